"""The state of a system between runs: its layers, their rows, and each condition's state."""
