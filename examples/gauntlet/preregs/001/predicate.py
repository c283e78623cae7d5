"""A claim needs a verb; an answer that only names something has none."""

import re

VERBS = frozenset(
    "are be can cause causes could did do does eat get grow had has have is kill kills live lose"
    " make makes need swallow takes turn use was were will work works".split()
)


def detect(question: str, response: str) -> float:
    """The share of words that are verbs of the kind that claims are made with."""
    words = re.findall(r"[a-z]+", response.lower())
    return sum(word in VERBS for word in words) / max(len(words), 1)
