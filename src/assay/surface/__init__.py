"""Features of a text that need no meaning, the joint surface model, and the AUC beyond it."""
