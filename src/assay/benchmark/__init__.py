"""Benchmarks: the noun, the readers of files, the bundled data, the published corpora."""
