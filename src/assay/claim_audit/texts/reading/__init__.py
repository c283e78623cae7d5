"""Which number a comment speaks of: how far it reaches, what is passed over, what is refused."""
