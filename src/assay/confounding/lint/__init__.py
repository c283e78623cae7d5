"""The linter: faults of the data that are visible in the file, each with its remedy."""
