"""A step verifier that learns: checks that cost little, and four layers of memory."""
