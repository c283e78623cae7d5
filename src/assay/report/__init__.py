"""Records as people and programs read them. Computes nothing."""
