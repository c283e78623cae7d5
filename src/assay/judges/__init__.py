"""Pure: the same input gives the same bytes. No clock, no file, no network, no unseeded chance."""
