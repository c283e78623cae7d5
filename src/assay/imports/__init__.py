"""Other people's records, read as ours: scored runs become trials, corpora benchmarks.

Nothing is scored here.
"""
