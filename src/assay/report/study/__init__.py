"""Draw a study: the board, the predictions, the verification, and the pages on disk."""
