"""The sides of a comparison: what each is read from, and what may be compared."""
