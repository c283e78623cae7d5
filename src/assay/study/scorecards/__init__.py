"""The scorecards of a study's results, under every version of its bars."""
