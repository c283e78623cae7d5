"""Is it good enough? Bars, their revisions, and scorecards."""
