"""Differences of conditions run with the same seeds on the same items: both are sampled.

Every seed is run on every item, so a mean over seeds has two sources of error: the items and the
seeds. With d_s a contrast of the conditions at seed s (for example A minus B), and u_s the items'
influences on it (`stats/metrics.py`), summed by group,

    variance of the mean of d_s  =  mean over pairs of seeds of u_s . u_t  +  variance of d_s / S

The first term comes from the items, which all seeds share; the second from the seeds and their
interaction with items. This is Obuchowski & Rockette's model of readers and cases (1995) with seeds
as readers; the degrees of freedom are Satterthwaite's, as Hillis (2007) uses them. With one seed
only the first term can be estimated.

Few seeds or few items give a poor estimate of the variance. Four corrections:

- The seeds' term is at least what their own influences imply; the variance of d_s is below that
  only by chance.
- The items' term has 2 / (sum u^4 / (sum u^2)^2 - 1/n) degrees of freedom, which is n for normal u
  and 2k if k items carry all of it: a memory of five items has the precision of five items.
- An interval is extended on the side to which u is skewed, by the first term of the studentised
  mean's expansion (Hall 1992), sum u^3 / variance * (2 z^2 + 1) / 6. The other side is unchanged.
- A sample without any difference does not show that there is none: the variance of a difference is
  at least that of one differing item of each class. For accuracy such an item changes from right to
  wrong; a rank moves half of the way.

A single condition has the score interval of `stats/auc_interval.py`, or for other metrics Wilson's,
at the sample size that the variance implies.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Floats, coded
from assay.stats.auc_interval import score_interval
from assay.stats.clusters import correction, degrees_of_freedom, effective_groups, skew_reach
from assay.stats.estimate import Estimate
from assay.stats.metrics import MetricName, measure
from assay.stats.quantiles import t_quantile

_RANK_GOES = 0.5
_HOW = "mean over seeds, interval over items and seeds (Obuchowski-Rockette)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Crossed:
    """The metric of every condition at every seed (conditions x seeds), with items' influences.

    `influence` is conditions x seeds x items.
    """

    metric: MetricName
    values: Floats
    influence: Floats
    positive: NDArray[np.bool_]
    codes: NDArray[np.intp] | None

    @property
    def n(self) -> int:
        """The number of items."""
        return int(self.positive.size)

    @property
    def seeds(self) -> int:
        """The number of seeds."""
        return int(self.values.shape[1])

    def per_seed(self, weights: Sequence[float]) -> Floats:
        """A contrast of the conditions for each seed."""
        return np.asarray(np.asarray(weights) @ self.values)

    def contrast(self, weights: Sequence[float], *, level: float = 0.95) -> Estimate:
        """A weighted sum of conditions, averaged over seeds."""
        value = float(self.per_seed(weights).mean())
        variance, degrees = self._variance(weights)
        half = t_quantile(0.5 + level / 2.0, degrees) * math.sqrt(variance)
        further = self._further(weights, variance, level)
        low, high = value - half + min(further, 0.0), value + half + max(further, 0.0)
        return self._estimate(value, low, high, level)

    def difference(self, i: int, j: int, *, level: float = 0.95) -> Estimate:
        """Condition i minus condition j."""
        estimate = self.contrast(_pick(i, j, len(self.values)), level=level)
        return replace(estimate, low=max(estimate.low, -1.0), high=min(estimate.high, 1.0))

    def condition(self, i: int, *, level: float = 0.95) -> Estimate:
        """The mean of one condition."""
        value = float(self.values[i].mean())
        variance, degrees = self._variance(_pick(i, None, len(self.values)))
        reach = t_quantile(0.5 + level / 2.0, degrees) ** 2
        if self.metric == "auroc":
            mean = self.influence[i].mean(axis=0)
            ones, others = int(self.positive.sum()), int((~self.positive).sum())
            sides = mean[self.positive] * ones + value, mean[~self.positive] * others + value
            low, high = score_interval(
                value, variance, sides=sides, sizes=self._sizes(i, variance), reach=reach
            )
        else:
            low, high = _wilson(value, variance, self._units, reach)
        return self._estimate(value, low, high, level)

    def over_seeds(self, weights: Sequence[float], *, level: float = 0.95) -> Estimate | None:
        """Student's interval over seeds alone, which does not cover other items."""
        return student(self.per_seed(weights), level=level)

    @cached_property
    def _classes(self) -> tuple[float, float]:
        """The effective number of groups of positives and of negatives."""
        if self.codes is None:
            ones = int(self.positive.sum())
            return float(ones), float(self.n - ones)
        return tuple(  # type: ignore[return-value]  # always two
            effective_groups(np.unique(self.codes[side], return_inverse=True)[1])
            if side.any()
            else 0.0
            for side in (self.positive, ~self.positive)
        )

    @cached_property
    def _units(self) -> float:
        """The effective number of groups."""
        return float(self.n) if self.codes is None else effective_groups(self.codes)

    @cached_property
    def _totals(self) -> Floats:
        """Influences by group (conditions x seeds x groups), corrected for degrees of freedom.

        The AUC is fitted to each class by itself, other metrics to all items.
        """
        if self.metric == "auroc":
            ones, others = (math.sqrt(correction(units)) for units in self._classes)
        else:
            ones = others = math.sqrt(correction(self._units))
        spread = self.influence * np.where(self.positive, ones, others)
        if self.codes is None:
            return spread
        groups = int(self.codes.max()) + 1
        flat = spread.reshape(-1, self.n)
        summed = np.stack([np.bincount(self.codes, weights=row, minlength=groups) for row in flat])
        return np.asarray(summed, dtype=np.float64).reshape(*self.values.shape, groups)

    def _of(self, weights: Sequence[float]) -> Floats:
        """The influences on a contrast (seeds x groups)."""
        return np.asarray(np.tensordot(np.asarray(weights), self._totals, axes=1))

    def _variance(self, weights: Sequence[float]) -> tuple[float, float]:
        """The variance of a contrast's mean, and its degrees of freedom."""
        u, s = self._of(weights), self.seeds
        alone, shared = self._parts(u, s)
        own, seen = 0.0, 0.0
        if s > 1:
            seen = float(self.per_seed(weights).var(ddof=1)) / s
            own = max(seen, (alone - shared) / s)
        slack = shared**2 / self._degrees(u.mean(axis=0)) + seen**2 / max(s - 1.0, 1.0)
        total = shared + own
        least = self._unseen(weights) if abs(sum(weights)) < 1e-9 else 0.0
        if total <= least or slack <= 0.0:
            return max(total, least), max(self._units - 1.0, 1.0)
        return total, total**2 / slack

    def seed_spread(self, i: int) -> float:
        """The spread expected between seeds of a condition if they differed only by noise."""
        u, s = self._of(_pick(i, None, len(self.values))), self.seeds
        alone, shared = self._parts(u, s)
        return math.sqrt(max(alone - shared, 0.0))

    @staticmethod
    def _parts(u: Floats, s: int) -> tuple[float, float]:
        """The variance of a single seed's value by its influences, and the seeds' common part."""
        alone = float(np.square(u).sum()) / s
        if s < 2:
            return alone, alone
        together = float(np.square(u.sum(axis=0)).sum())
        return alone, max((together - alone * s) / (s * (s - 1.0)), 0.0)

    def _degrees(self, u: Floats) -> float:
        """The degrees of freedom of the items' term; few if few items carry it."""
        most, square = max(self._units - 1.0, 1.0), float(np.square(u).sum())
        if square <= 0.0:
            return most
        return min(degrees_of_freedom(u), most)

    def _further(self, weights: Sequence[float], variance: float, level: float) -> float:
        """How far the interval is extended for skewness; the sign is the side."""
        return skew_reach(self._of(weights).mean(axis=0), variance, level)

    def _unseen(self, weights: Sequence[float]) -> float:
        """The least variance of a difference: if no item differed, the next of each class might."""
        used = self.influence[np.asarray(weights) != 0.0]
        variance = 0.0
        for side, units in zip((self.positive, ~self.positive), self._classes, strict=True):
            count = float(side.sum())
            if not count:  # all items are of one class, such as solved tasks
                continue
            reach = _RANK_GOES / count
            if self.metric != "auroc":
                goes = _RANK_GOES if self.metric == "average-precision" else 1.0
                spans = np.ptp(used[:, :, side], axis=2)
                reach = max(goes * float(spans.mean()), 1.0 / self.n)
            variance += (reach * count / units) ** 2
        return variance * float(np.square(weights).sum()) / 2.0

    def _sizes(self, i: int, variance: float) -> tuple[float, float]:
        """The class sizes of an independent sample, run once, with as much information."""
        alone = float(np.square(self.influence[i]).sum()) / self.seeds
        if alone <= 0.0 or variance <= 0.0:
            return self._classes
        ones, more = float(self.positive.sum()), alone / variance
        return max(ones * more, 1.0), max((self.n - ones) * more, 1.0)

    def _estimate(self, value: float, low: float, high: float, level: float) -> Estimate:
        how = _HOW + (", clustered by group" if self.codes is not None else "")
        return Estimate(value=value, low=low, high=high, level=level, n=self.n, how=how)


def cross(
    scores: Floats,
    positive: NDArray[np.bool_],
    *,
    metric: MetricName = "auroc",
    groups: Sequence[str] | None = None,
    threshold: float = 0.5,
) -> Crossed:
    """Prepare scores (conditions x seeds x items) for estimates of contrasts between conditions."""
    conditions, seeds, items = scores.shape
    values, influence = measure(metric, scores.reshape(-1, items), positive, threshold=threshold)
    return Crossed(
        metric=metric,
        values=values.reshape(conditions, seeds),
        influence=influence.reshape(conditions, seeds, items),
        positive=positive,
        codes=None if groups is None else coded(list(groups)),
    )


def student(values: Floats, *, level: float = 0.95) -> Estimate | None:
    """Student's interval of the mean over seeds; None for a single seed."""
    if values.size < 2:
        return None
    value, spread = float(values.mean()), float(values.std(ddof=1)) / math.sqrt(values.size)
    half = t_quantile(0.5 + level / 2.0, values.size - 1.0) * spread
    how = "mean over seeds, Student's interval over seeds alone"
    return Estimate(
        value=value, low=value - half, high=value + half, level=level, n=values.size, how=how
    )


def _pick(i: int, j: int | None, k: int) -> tuple[float, ...]:
    return tuple(1.0 if at == i else -1.0 if at == j else 0.0 for at in range(k))


def _wilson(value: float, variance: float, units: float, reach: float) -> tuple[float, float]:
    """Wilson's interval of a share, at the sample size that the variance implies."""
    size = max(value * (1.0 - value) / variance, 1.0) if variance > 0.0 else units
    middle = value + reach / (2.0 * size)
    half = math.sqrt(reach * (value * (1.0 - value) + reach / (4.0 * size)) / size)
    whole = 1.0 + reach / size
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)
