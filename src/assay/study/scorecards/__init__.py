"""What the results of a study are worth, under every version of its bars."""
