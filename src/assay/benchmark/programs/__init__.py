"""Programs that a model wrote, run against their tests: one process for each side."""
