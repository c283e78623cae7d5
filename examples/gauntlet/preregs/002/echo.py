"""A false answer restates its question; what counts is the longest piece that comes back."""

from difflib import SequenceMatcher


def detect(question: str, response: str) -> float:
    """The length of the longest piece that question and response share."""
    one, other = question.lower(), response.lower()
    return float(SequenceMatcher(None, one, other, autojunk=False).find_longest_match().size)
