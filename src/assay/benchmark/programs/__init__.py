"""Run programs written by a model against their tests, each in its own process."""
