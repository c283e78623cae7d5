"""The AUC within strata: only pairs of one stratum count.

Where positives come mostly from one source and negatives from another, telling the sources apart
looks like telling the classes apart. Here a positive is compared only with negatives of its own
stratum: the wins over all strata, over the pairs of all strata, which is the mean of the strata's
AUCs weighted by their pairs. A stratum with a single class has no pair and counts for nothing.

The variance is the sum of each stratum's (DeLong's, from placements within it), or that of group
totals where records form groups; the interval is the score interval of `stats/score_interval.py`
at the sizes of the classes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from assay.stats.arrays import Floats
from assay.stats.auc import fit
from assay.stats.clusters import effective_units, grouped_covariance
from assay.stats.estimate import Estimate
from assay.stats.quantiles import t_quantile
from assay.stats.score_interval import score_interval


@dataclass(frozen=True, kw_only=True, eq=False)
class WithinFit:
    """An AUC over pairs of one stratum, and what its interval needs."""

    value: float
    variance: float
    degrees: float
    sides: tuple[Floats, Floats]
    sizes: tuple[float, float]
    strata: int
    grouped: bool

    @property
    def n(self) -> int:
        """How many records stand in a stratum with both classes."""
        return self.sides[0].size + self.sides[1].size

    def interval_at(self, level: float) -> tuple[float, float]:
        """The two-sided interval at a level."""
        reach = t_quantile(0.5 + level / 2.0, self.degrees) ** 2
        return score_interval(
            self.value, self.variance, sides=self.sides, sizes=self.sizes, reach=reach
        )

    def estimate(self, *, level: float = 0.95) -> Estimate:
        """The AUC with its interval."""
        low, high = self.interval_at(level)
        how = f"AUC within {self.strata} strata, score interval" + (
            ", clustered by group" if self.grouped else ""
        )
        return Estimate(value=self.value, low=low, high=high, level=level, n=self.n, how=how)


def fit_within(
    positive: Floats,
    negative: Floats,
    strata: tuple[Sequence[str], Sequence[str]],
    *,
    groups: tuple[ArrayLike, ArrayLike] | None = None,
) -> WithinFit | None:
    """The AUC within strata; None where no stratum has both classes."""
    above, below = np.asarray(strata[0]), np.asarray(strata[1])
    shared = sorted(set(above.tolist()) & set(below.tolist()))
    if not shared:
        return None
    chosen1 = [np.flatnonzero(above == one) for one in shared]
    chosen0 = [np.flatnonzero(below == one) for one in shared]
    pairs = np.array([a.size * b.size for a, b in zip(chosen1, chosen0, strict=True)], dtype=float)
    share = pairs / pairs.sum()
    placed1, placed0 = np.zeros(positive.size), np.zeros(negative.size)
    value = 0.0
    influence1, influence0 = np.zeros(positive.size), np.zeros(negative.size)
    for weight, a, b in zip(share, chosen1, chosen0, strict=True):
        one = fit(positive[a], negative[b])
        placed1[a], placed0[b] = np.split(one.placements[0], [a.size])
        own = float(one.values[0])
        value += float(weight) * own
        influence1[a] = weight * (placed1[a] - own) / a.size * _correction(a.size)
        influence0[b] = weight * (placed0[b] - own) / b.size * _correction(b.size)
    kept1, kept0 = np.concatenate(chosen1), np.concatenate(chosen0)
    return _fit(
        value,
        (placed1[kept1], placed0[kept0]),
        (influence1[kept1], influence0[kept0]),
        None if groups is None else (np.asarray(groups[0])[kept1], np.asarray(groups[1])[kept0]),
        len(shared),
    )


def _fit(
    value: float,
    sides: tuple[Floats, Floats],
    influence: tuple[Floats, Floats],
    groups: tuple[ArrayLike, ArrayLike] | None,
    strata: int,
) -> WithinFit:
    sizes = float(sides[0].size), float(sides[1].size)
    within1, within0 = (float(side @ side) for side in influence)
    alone = variance = within1 + within0
    units = sizes
    if groups is not None:
        a, b, whole = grouped_covariance(influence[0][None], influence[1][None], groups)
        within1, within0, variance = float(a[0, 0]), float(b[0, 0]), float(whole[0, 0])
        units = effective_units(groups)[:2]
        design = variance / alone if alone > 0.0 and variance > 0.0 else 1.0
        sizes = max(sizes[0] / design, 1.0), max(sizes[1] / design, 1.0)
    dof1, dof0 = (max(size - strata, 1.0) for size in units)
    total = within1 + within0
    degrees = min(dof1, dof0)
    if total > 1e-18:
        degrees = total**2 / (within1**2 / dof1 + within0**2 / dof0)
    return WithinFit(
        value=value,
        variance=variance,
        degrees=degrees,
        sides=sides,
        sizes=sizes,
        strata=strata,
        grouped=groups is not None,
    )


def _correction(size: int) -> float:
    """The root of n / (n - 1): a sample's spread around its own mean is too small."""
    return float(np.sqrt(size / max(size - 1, 1)))
