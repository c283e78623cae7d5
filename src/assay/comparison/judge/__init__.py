"""Two sides of trials in, a comparison out. Pure."""
