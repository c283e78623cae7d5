"""How often a model says, on its own, what it rejects when it is shown it."""
