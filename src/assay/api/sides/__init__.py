"""The sides of a comparison that are given in memory, and texts in their place."""
