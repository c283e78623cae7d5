"""Fuzzing of every reader: mutations, the campaign, and the table of targets."""
