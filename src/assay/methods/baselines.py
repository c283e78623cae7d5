"""Baselines that know nothing: what a number must beat before it means anything."""

import hashlib
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

CLASSES = ("truth", "folklore", "factual-error", "pseudoscience")


def constant(question: str) -> dict[str, object]:  # noqa: ARG001 - it ignores what it is asked
    """The same answer to everything."""
    return {"score": 0.0, "class": "truth"}


def hash_random(question: str) -> dict[str, object]:
    """A score and a class drawn from the hash of the question: chance that repeats."""
    number = int.from_bytes(hashlib.sha256(question.encode()).digest()[:8], "big")
    return {"score": number / 2**64, "class": CLASSES[number % len(CLASSES)]}


def question_length(question: str) -> str:
    """A class from the number of words in the question alone."""
    words = len(question.split())
    for limit, name in ((6, "truth"), (9, "folklore"), (12, "factual-error")):
        if words <= limit:
            return name
    return "pseudoscience"


class Majority:
    """The most frequent class of the training folds, for every item."""

    @staticmethod
    def fit(examples: Sequence[Mapping[str, object]]) -> Callable[[str], object]:
        """Count the targets; ties go to the one met first."""
        common = Counter(example["target"] for example in examples).most_common(1)[0][0]
        return lambda question: common  # noqa: ARG005 - it ignores what it is asked
