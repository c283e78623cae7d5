"""Benchmarks: the record, the readers of files, the bundled data, the published corpora."""
