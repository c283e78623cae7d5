"""The checkers; each reads one kind of evidence."""
