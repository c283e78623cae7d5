"""Capability or memory? Evaluate a system with its state, without it, and without what it saw."""
