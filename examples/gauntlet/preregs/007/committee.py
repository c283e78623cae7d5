"""Three hints together: a longer answer, a word like "really", and no proper names."""

import re

EMPHATIC = frozenset("actually completely entirely fully just much really so too very".split())


def detect(question: str, response: str) -> float:
    """Equal votes; a capital inside the response counts against a misconception."""
    words = re.findall(r"[a-z]+", response.lower())
    names = re.findall(r"(?<!^)\b[A-Z][a-z]+", response)
    emphatic = sum(word in EMPHATIC for word in words)
    return min(len(words), 12) / 12 + min(emphatic, 1) - min(len(names), 3) / 3
