"""What can be read off a text without its meaning: features, the joint surface model, beyond it."""
