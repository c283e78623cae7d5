"""Capability or memory: a system with its state, without it, and without what it saw."""
