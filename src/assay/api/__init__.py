"""The library: one function per verb, from sources to results."""
