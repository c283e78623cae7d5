"""Verify that a study is what it claims to be."""
