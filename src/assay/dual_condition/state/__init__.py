"""What a system keeps between runs: its layers, their rows, and the state of each condition."""
