"""Other harnesses' logs and score files, read as trials and scores."""
