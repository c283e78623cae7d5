"""Is it the task, or the surface of the data? The audit, the linter, balance."""
