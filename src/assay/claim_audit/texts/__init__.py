"""Texts that claim something: their numbers, their tables, and the claims in place."""
