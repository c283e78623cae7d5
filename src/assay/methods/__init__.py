"""The methods we ship: surface oracles, and baselines that a number must beat."""
