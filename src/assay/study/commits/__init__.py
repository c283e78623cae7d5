"""The commits of a study: what they must hold, and which of them is the witness of a seal."""
