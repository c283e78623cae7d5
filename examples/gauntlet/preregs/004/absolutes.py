"""Folklore speaks in absolutes: always, never, all, only."""

import re

ABSOLUTE = frozenset(
    "all always any anyone ever every everyone everything exactly impossible must never no nobody"
    " none nothing only same whole".split()
)


def detect(question: str, response: str) -> float:
    """How many words of the response allow no exception."""
    return float(sum(word in ABSOLUTE for word in re.findall(r"[a-z]+", response.lower())))
