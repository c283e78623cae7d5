"""Ranks: values as ordered levels, from which ties, placements and Spearman's rho follow.

Whole numbers of a narrow range (counts, flags) need no sort; other values need one.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.stats.arrays import Codes, Floats

_WIDEST_COUNT = 1 << 16


@dataclass(frozen=True, kw_only=True, eq=False)
class Levels:
    """The level of each value, levels in the values' order, and how often each occurs.

    A level may be empty: its count is then 0.
    """

    codes: Codes
    counts: Codes

    @property
    def constant(self) -> bool:
        """Whether all values are the same."""
        return int(np.count_nonzero(self.counts)) < 2

    def midranks(self) -> Floats:
        """The rank of each level, from 1; ties share the mean rank."""
        return np.asarray(np.cumsum(self.counts) - (self.counts - 1) / 2.0)


def levels(values: Floats) -> Levels:
    """The levels of a column."""
    low = values.min()
    with np.errstate(over="ignore"):
        narrow = np.isfinite(low) and values.max() - low < _WIDEST_COUNT
    if narrow:
        whole = (values - low).astype(np.intp)
        if np.array_equal(whole + low, values):
            return Levels(codes=whole, counts=np.bincount(whole))
    _, codes, counts = np.unique(values, return_inverse=True, return_counts=True)
    return Levels(codes=codes, counts=counts)


def ranks(values: ArrayLike) -> Floats:
    """Ranks from 1; ties share the mean rank."""
    column = levels(np.asarray(values, dtype=np.float64))
    return column.midranks()[column.codes]


def placements(column: Levels, sides: tuple[Codes, Codes]) -> tuple[Floats, Floats, float]:
    """The placements of positives and negatives, and the positives' wins (ties one half).

    `sides` are the indices of both in the column. A positive's placement is the share of negatives
    that it beats; a negative's is the share of positives that beat it.
    """
    size = column.counts.size
    above, below = (column.codes[side] for side in sides)
    up, down = np.bincount(above, minlength=size), np.bincount(below, minlength=size)
    beaten = np.cumsum(down) - down / 2.0
    beating = above.size - np.cumsum(up) + up / 2.0
    wins = float(up @ beaten)
    return beaten[above] / below.size, beating[below] / above.size, wins


def rank_correlation(x: Levels, y: Levels) -> float | None:
    """Spearman's rho; None if one side is constant and so has no ranking."""
    if x.constant or y.constant:
        return None
    a, b = _standard(x), _standard(y)
    return float(np.clip(np.mean(a[x.codes] * b[y.codes]), -1.0, 1.0))


def _standard(column: Levels) -> Floats:
    """The ranks of the levels with mean 0 and variance 1 over the values."""
    n = column.codes.size
    centred = column.midranks() - (n + 1) / 2.0
    return np.asarray(centred / np.sqrt(column.counts @ np.square(centred) / n))
