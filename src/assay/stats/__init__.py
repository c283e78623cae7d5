"""Statistics: arrays in, Estimates out. No clock, no file, no unseeded randomness."""
