"""Naive Bayes over words, fitted out of fold."""

import math
import re
from collections import Counter


def words(question, response):
    """The words of both, marked by where they stand."""
    asked = [f"q:{word}" for word in re.findall(r"[a-z]+", question.lower())]
    return asked + [f"r:{word}" for word in re.findall(r"[a-z]+", (response or "").lower())]


class Bayes:
    """Learns how much more often each word stands in a misconception."""

    def fit(self, examples):
        """Count, and smooth by one."""
        counts = {0: Counter(), 1: Counter()}
        for example in examples:
            counts[example["target"]].update(set(words(example["question"], example["response"])))
        known = set(counts[0]) | set(counts[1])
        totals = {label: sum(found.values()) + len(known) for label, found in counts.items()}
        weight = {
            word: math.log((counts[1][word] + 1) / totals[1])
            - math.log((counts[0][word] + 1) / totals[0])
            for word in known
        }
        return lambda question, response: sum(
            weight.get(word, 0.0) for word in words(question, response)
        )
