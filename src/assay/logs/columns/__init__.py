"""The columns of a table of trials: what their names mean, and which are scores."""
