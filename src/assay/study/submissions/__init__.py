"""A submission, from its draft to its result: drafted, sealed, witnessed, run once."""
