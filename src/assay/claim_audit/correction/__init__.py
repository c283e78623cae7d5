"""Correct what a text says: other numbers in its places, shown as a patch or written."""
