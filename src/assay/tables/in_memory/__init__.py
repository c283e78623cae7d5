"""Rows in memory as a table."""
