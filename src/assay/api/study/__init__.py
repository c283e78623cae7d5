"""A study: its verbs as methods, the commits that they make, what they give."""
