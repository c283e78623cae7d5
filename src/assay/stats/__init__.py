"""Arrays in, Estimates out. Knows none of the nouns; no clock, no file, no unseeded chance."""
