"""Spearman's rank correlation with an interval.

Interval: Fisher's z with the variance of Bonett & Wright (2000), (1 + rho^2 / 2) / (n - 3), which
keeps its coverage further from zero than Fieller's constant. With groups, n is replaced by the
effective number that gives the variance of the group totals of each item's influence.

Measured: it covers as it says for continuous data (docs/explanation/error-rates.md), and too little
with many ties on both sides, heavy tails, or few groups of uneven size. No verdict rests on it.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from assay.stats.arrays import Floats
from assay.stats.estimate import Estimate
from assay.stats.levels import levels, rank_correlation
from assay.stats.quantiles import normal_quantile


def ranks(values: ArrayLike) -> Floats:
    """Ranks from 1, ties sharing the mean of the ranks they span."""
    found = levels(np.asarray(values, dtype=np.float64))
    return found.midranks()[found.codes]


def rho(x: ArrayLike, y: ArrayLike) -> float | None:
    """Spearman's rho; None where one side is constant, since then nothing is ranked."""
    a, b = (levels(np.asarray(side, dtype=np.float64)) for side in (x, y))
    return rank_correlation(a, b)


def spearman(
    x: ArrayLike, y: ArrayLike, *, groups: Sequence[str] | None = None, level: float = 0.95
) -> Estimate | None:
    """Spearman's rho with its interval; None where it is undefined (constant, or n < 4)."""
    a, b = _standard(ranks(x)), _standard(ranks(y))
    if a is None or b is None or a.size < 4:
        return None
    value = float(np.clip(np.mean(a * b), -1.0, 1.0))
    n = float(a.size)
    how = "Spearman's rho, Fisher z with Bonett-Wright variance"
    if groups is not None:
        n = max(n / _design_effect(a * b - value * (a**2 + b**2) / 2.0, groups), 4.0)
        how += ", clustered by group"
    if abs(value) >= 1.0 - 1e-12:
        # Perfect order leaves no spread to measure: one-sided, from the chance of one exception.
        edge = 1.0 - 2.0 * (1.0 - ((1.0 - level) / 2.0) ** (1.0 / n))
        low, high = (edge, 1.0) if value > 0 else (-1.0, -edge)
    else:
        reach = normal_quantile(0.5 + level / 2.0) * math.sqrt((1.0 + value**2 / 2.0) / (n - 3.0))
        low, high = math.tanh(math.atanh(value) - reach), math.tanh(math.atanh(value) + reach)
    return Estimate(value=value, low=low, high=high, level=level, n=a.size, how=how)


def _standard(values: Floats) -> Floats | None:
    spread = values.std()
    return None if spread == 0.0 else (values - values.mean()) / spread


def _design_effect(influence: Floats, groups: Sequence[str]) -> float:
    """Variance from group totals over variance from items, never under 1."""
    _, codes = np.unique(np.asarray(groups), return_inverse=True)
    totals = np.bincount(codes, weights=influence)
    units = totals.size
    alone = float(influence @ influence)
    if units < 2 or alone <= 0.0:
        return float(influence.size) / max(units, 1)
    return max(float(totals @ totals) * units / (units - 1) / alone, 1.0)
