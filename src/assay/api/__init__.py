"""The library: one function a verb, sources in, results out."""
