"""The columns of tables: features, combinations of two features, and positions in a period.

A rule may depend on the difference of two lengths, on the number of capitalised words (a share
times a count), on a ratio, on whether a count is even, or on a wave. As a table of the features
themselves it would have hundreds of cells; as a table of the combination it has a few.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from assay.stats.arrays import Codes, Floats

FINEST = 48
"""A column is divided into steps of 1/48 of the records, or of the period."""
_FEWEST_VALUES = 6
"""Features with fewer values are combined only as tables."""
_MOST_COMBINED = 24
_CYCLES = np.arange(1.5, 12.1, 0.25)
"""How many periods the middle nine tenths of a feature's values may span."""
_WHOLE_PERIODS = range(2, 9)

How = Literal["alone", "minus", "plus", "times", "over"]


@dataclass(frozen=True)
class TableColumn:
    """A feature, or two combined; with a period, the position of the value in it."""

    how: How
    of: tuple[int, ...]
    period: float | None = None

    def values(self, features: Floats) -> Floats:
        """The value of each record."""
        value = features[:, self.of[0]]
        if self.how != "alone":
            other = features[:, self.of[1]]
            if self.how in ("minus", "plus") and not (_is_whole(value) and _is_whole(other)):
                value, other = _standard(value), _standard(other)
            value = _COMBINED[self.how](value, other)
        return value if self.period is None else np.mod(value, self.period) / self.period

    def steps(self, features: Floats, sample: Codes) -> Codes:
        """The step of each record, by its rank in the sample or its position in the period."""
        values = self.values(features)
        if self.period is not None:
            return np.minimum(values * FINEST, FINEST - 1).astype(np.intp)
        known = np.sort(values[sample])
        below, upto = (np.searchsorted(known, values, side=side) for side in ("left", "right"))
        return np.asarray(np.minimum((below + upto) * FINEST // (2 * known.size), FINEST - 1))


_COMBINED: dict[How, Callable[[Floats, Floats], Floats]] = {
    "minus": lambda a, b: a - b,
    "plus": lambda a, b: a + b,
    "times": lambda a, b: a * b,
    "over": lambda a, b: a / np.where(b == 0.0, 1.0, b),
}


def columns_of(features: Floats, sample: Codes) -> tuple[list[TableColumn], int]:
    """All columns, single features first, and the number of single features.

    The features are ordered by importance: of many, only the first are combined.
    """
    seen = features[sample]
    varied = [k for k in range(features.shape[1]) if np.ptp(seen[:, k]) > 0.0]
    alone = [TableColumn("alone", (k,)) for k in varied]
    rich = [k for k in varied if np.unique(seen[:, k]).size >= _FEWEST_VALUES][:_MOST_COMBINED]
    pairs = list(combinations(rich, 2))
    combined = [TableColumn(how, pair) for pair in pairs for how in _COMBINED]
    waves = [TableColumn("alone", (k,), period) for k in rich for period in _periods(seen[:, k])]
    counts = [k for k in rich if _is_whole(seen[:, k])]
    whole: list[tuple[How, tuple[int, ...]]] = [("alone", (k,)) for k in counts]
    whole += [(how, pair) for pair in combinations(counts, 2) for how in ("minus", "plus")]
    remainders = [
        TableColumn(how, of, float(period)) for how, of in whole for period in _WHOLE_PERIODS
    ]
    return [*alone, *combined, *waves, *remainders], len(alone)


def _periods(values: Floats) -> Sequence[float]:
    low, high = np.quantile(values, [0.05, 0.95])
    return (float(high - low) / _CYCLES).tolist() if high > low else []


def _is_whole(values: Floats) -> bool:
    return bool(np.array_equal(values, np.rint(values)))


def _standard(values: Floats) -> Floats:
    spread = float(values.std())
    return np.asarray((values - values.mean()) / spread) if spread > 0.0 else values * 0.0
