"""Is it capability, or memory? A system with its state, without it, and without what it saw."""
