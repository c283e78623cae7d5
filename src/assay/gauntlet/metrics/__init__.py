"""The metrics of bars: a module for each family, and one table of all."""
