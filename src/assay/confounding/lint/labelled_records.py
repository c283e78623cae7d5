"""The records for the linter: labels, units, and normalised texts.

Values that several checks need are computed once here.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Item
from assay.confounding.result import Finding
from assay.stats.arrays import Codes, coded
from assay.stats.clusters import effective_groups
from assay.surface.near_duplicates import normalised

MOST_NAMED = 20
"""The most records that a finding names."""

FOLDS, DEALS = 5, 3
_LONGEST_QUOTE = 60
_EXTREME = 2.576


def quoted(text: str) -> str:
    """A user's text for a message: shortened, without control characters."""
    short = text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 3] + "..."
    return repr(short)


def has_both(codes: Codes, positive: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Whether each category has positives and negatives."""
    sizes, ours = np.bincount(codes), np.bincount(codes, weights=positive)
    return np.asarray((ours > 0) & (ours < sizes))


@dataclass(frozen=True, kw_only=True, eq=False)
class Records:
    """Items and their labels; `questions` and `responses` are normalised texts."""

    items: Sequence[Item]
    positive: NDArray[np.bool_]
    questions: Sequence[str]
    responses: Sequence[str]

    @property
    def judges_responses(self) -> bool:
        """Whether any record has a response; if none has, only the questions are judged."""
        return any(item.response is not None for item in self.items)

    @property
    def both_classes(self) -> bool:
        """Whether there are positives and negatives."""
        return bool(self.positive.any() and not self.positive.all())

    @cached_property
    def units(self) -> Codes:
        """The independent units, as codes."""
        return coded([item.unit for item in self.items])

    @cached_property
    def deals(self) -> tuple[Codes, ...]:
        """Several deals of folds, one fold a record; a unit is never split."""
        rng = np.random.default_rng(0)
        count = int(self.units.max()) + 1
        return tuple((rng.permutation(count) % FOLDS)[self.units] for _ in range(DEALS))

    @cached_property
    def chance(self) -> float:
        """The standard error of an AUC that is unrelated to the label.

        That of Mann and Whitney (1947), with the effective number of groups in place of records.
        """
        ours = effective_groups(self.units[self.positive])
        theirs = effective_groups(self.units[~self.positive])
        return float(np.sqrt((ours + theirs + 1.0) / (12.0 * ours * theirs)))

    def finding(self, code: str, places: Sequence[int], *, message: str, remedy: str) -> Finding:
        """A finding about the records at these places."""
        return Finding(
            code=code,
            count=len(places),
            message=message,
            remedy=remedy,
            records=tuple(self.items[i].id for i in places[:MOST_NAMED]),
        )

    def split(self, places: Sequence[int]) -> str:
        """The split of some records between the labels if it is lopsided; else empty."""
        hit = np.zeros(len(self.items))
        hit[list(places)] = 1.0
        n1, n0 = int(self.positive.sum()), int((~self.positive).sum())
        k1, k0 = int(hit[self.positive].sum()), int(hit[~self.positive].sum())
        spread = hit.var() * (1.0 / max(n1, 1) + 1.0 / max(n0, 1))
        gap = abs(k1 / max(n1, 1) - k0 / max(n0, 1))
        if not self.both_classes or gap <= _EXTREME * np.sqrt(spread):
            return ""
        return f" ({k1} of {n1} positives, {k0} of {n0} negatives)"


def records_of(items: Sequence[Item], positive: NDArray[np.bool_]) -> Records:
    """Prepare items and labels for the checks."""
    return Records(
        items=items,
        positive=np.asarray(positive, dtype=np.bool_),
        questions=normalised([item.question for item in items]),
        responses=normalised([item.response or "" for item in items]),
    )
