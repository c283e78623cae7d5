"""Published corpora, read as benchmarks: one file for each, and a table of them in `formats.py`.

Whoever wants one downloads it; nothing here opens a connection. In every benchmark that comes out,
label 1 is what a detector is to find: a wrong step, a hallucination, a false claim, failing code.
"""
