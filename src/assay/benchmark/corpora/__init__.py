"""Published corpora, read as benchmarks: one file for each, and a table of them in `table.py`."""
