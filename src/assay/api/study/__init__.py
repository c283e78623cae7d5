"""A study: its verbs as methods, their commits and their results."""
