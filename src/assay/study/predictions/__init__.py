"""What was predicted, what became of it, and how good the predictions are."""
