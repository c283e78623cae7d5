"""A study for people: the board, the predictions, the verification, and the pages on disk."""
