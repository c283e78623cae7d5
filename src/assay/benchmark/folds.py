"""Folds for learners: every item is predicted by a model that was not trained on it.

Items of one unit (a group, or a single item) share a fold, since one reveals the others. Units are
dealt class by class, so that each fold has its share of each.
"""

import random
from collections import defaultdict
from collections.abc import Sequence

from assay.benchmark.benchmark import FEWEST_QUESTIONS, Item


def fold_units(items: Sequence[Item]) -> list[str]:
    """The unit of each item: items linked by a shared group or question must not be split.

    With too few distinct questions (a fixed prompt), only groups count.
    """
    by_question = len({item.question for item in items}) >= FEWEST_QUESTIONS
    leader: dict[str, str] = {}

    def lead(name: str) -> str:
        while leader.setdefault(name, name) != name:
            name = leader[name]
        return name

    for item in items:
        if by_question:
            leader[lead(f"question {item.question}")] = lead(item.unit)
    return [lead(item.unit) for item in items]


def assign_folds(
    targets: Sequence[object], units: Sequence[str], *, folds: int, seed: int
) -> list[int]:
    """The fold of each item, from 0; the same for the same seed."""
    members: dict[str, list[int]] = defaultdict(list)
    for index, unit in enumerate(units):
        members[unit].append(index)
    kinds: dict[str, list[str]] = defaultdict(list)
    for unit, indices in members.items():
        kinds[repr(sorted({str(targets[i]) for i in indices}))].append(unit)
    fold_of = [0] * len(targets)
    rng = random.Random(seed)  # noqa: S311 - a seeded deal, not a secret
    turn = 0
    for kind in sorted(kinds):
        dealt = kinds[kind]
        rng.shuffle(dealt)
        for unit in dealt:
            for index in members[unit]:
                fold_of[index] = turn % folds
            turn += 1
    return fold_of
