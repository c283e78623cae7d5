"""The linter: faults of the data that a reader of the file can see, each with its remedy."""
