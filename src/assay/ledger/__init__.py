"""A record that cannot be edited unnoticed: entries, chain, tree, checkpoints.

It knows digests, not meanings: it does not know what a seal or a bar is.
"""
