"""The record that cannot be quietly edited: entries, chain, tree, checkpoints.

Knows digests, not meanings: what a seal or a bar is, it has never heard of.
"""
