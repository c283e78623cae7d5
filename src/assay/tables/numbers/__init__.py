"""Numbers as texts write them."""
