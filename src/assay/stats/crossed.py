"""Conditions measured with the same seeds on the same items: differences that count both.

Every seed is run on every item, so a mean over seeds errs in two ways: other items, and other
seeds. With d_s a contrast of the conditions at seed s (A minus B, say), and u_s its items'
influences (`stats/metrics.py`), summed by group,

    variance of the mean of d_s  =  mean over pairs of seeds of u_s . u_t  +  variance of d_s / S

The first addend is what all seeds share, the items; the second what each has of its own, by chance
of the seed or of the seed at an item. This is Obuchowski & Rockette's model of readers and cases
(1995) with seeds for readers; the degrees of freedom are Satterthwaite's, as Hillis (2007) has them
there. With one seed only the first can be told.

*Ends.* A difference of two conditions takes at each end the wider of Student's interval and MOVER
(Zou & Donner 2008), which knows that an AUC ends at 1. A condition by itself has the score interval
of `stats/score_interval.py`, or for other metrics Wilson's, at the size of sample that the variance
amounts to. A sample in which nothing differs does not show that nothing ever does: each class is
given one more item, which differs by a half.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Floats
from assay.stats.clusters import effective_groups
from assay.stats.codes import coded
from assay.stats.estimate import Estimate
from assay.stats.metrics import MetricName, measure
from assay.stats.quantiles import t_quantile
from assay.stats.score_interval import score_interval

_UNSEEN = 0.5
_HOW = "mean over seeds, interval over items and seeds (Obuchowski-Rockette)"


@dataclass(frozen=True, kw_only=True, eq=False)
class Crossed:
    """Every condition at every seed (conditions x seeds), with the influence of every item.

    `influence` is conditions x seeds x items. `units` is the effective number of groups, the lesser
    of the two classes'.
    """

    metric: MetricName
    values: Floats
    influence: Floats
    positive: NDArray[np.bool_]
    codes: NDArray[np.intp] | None

    @property
    def n(self) -> int:
        """How many items."""
        return int(self.positive.size)

    @property
    def seeds(self) -> int:
        """How many seeds."""
        return int(self.values.shape[1])

    @cached_property
    def _classes(self) -> tuple[float, float]:
        """The effective number of groups of positives and of negatives."""
        if self.codes is None:
            ones = int(self.positive.sum())
            return float(ones), float(self.n - ones)
        return tuple(  # type: ignore[return-value]  # two of them
            effective_groups(np.unique(self.codes[side], return_inverse=True)[1])
            for side in (self.positive, ~self.positive)
        )

    @cached_property
    def _totals(self) -> Floats:
        """Influences by group (conditions x seeds x groups), each class spread a little more."""
        ones, others = (math.sqrt(units / max(units - 1.0, 1.0)) for units in self._classes)
        spread = self.influence * np.where(self.positive, ones, others)
        if self.codes is None:
            return spread
        groups = int(self.codes.max()) + 1
        flat = spread.reshape(-1, self.n)
        summed = np.stack([np.bincount(self.codes, weights=row, minlength=groups) for row in flat])
        return np.asarray(summed, dtype=np.float64).reshape(*self.values.shape, groups)

    def per_seed(self, weights: Sequence[float]) -> Floats:
        """A contrast of the conditions, seed by seed."""
        return np.asarray(np.asarray(weights) @ self.values)

    def contrast(self, weights: Sequence[float], *, level: float = 0.95) -> Estimate:
        """A weighted sum of conditions, in the mean over seeds, with Student's interval."""
        value = float(self.per_seed(weights).mean())
        variance, degrees = self._variance(weights)
        half = t_quantile(0.5 + level / 2.0, degrees) * math.sqrt(variance)
        return self._estimate(value, value - half, value + half, level)

    def condition(self, i: int, *, level: float = 0.95) -> Estimate:
        """One condition by itself."""
        value = float(self.values[i].mean())
        variance, degrees = self._variance(_pick(i, None, len(self.values)))
        reach = t_quantile(0.5 + level / 2.0, degrees) ** 2
        if self.metric == "auroc":
            mean = self.influence[i].mean(axis=0)
            ones, others = int(self.positive.sum()), int((~self.positive).sum())
            sides = mean[self.positive] * ones + value, mean[~self.positive] * others + value
            low, high = score_interval(
                value, variance, sides=sides, sizes=self._classes, reach=reach
            )
        else:
            low, high = _wilson(value, variance, self.n, reach)
        return self._estimate(value, low, high, level)

    def difference(self, i: int, j: int, *, level: float = 0.95) -> Estimate:
        """Condition i minus condition j."""
        plain = self.contrast(_pick(i, j, len(self.values)), level=level)
        one, other = self.condition(i, level=level), self.condition(j, level=level)
        r = self._correlation(i, j)
        down = _combine(one.value - one.low, other.high - other.value, r)
        up = _combine(one.high - one.value, other.value - other.low, r)
        low = max(min(plain.low, plain.value - down), -1.0)
        high = min(max(plain.high, plain.value + up), 1.0)
        return self._estimate(plain.value, low, high, level)

    def over_seeds(self, weights: Sequence[float], *, level: float = 0.95) -> Estimate | None:
        """Student's interval over seeds alone, which says nothing of other items."""
        found = self.per_seed(weights)
        if self.seeds < 2:
            return None
        half = t_quantile(0.5 + level / 2.0, self.seeds - 1.0) * math.sqrt(
            float(found.var(ddof=1)) / self.seeds
        )
        value = float(found.mean())
        how = "mean over seeds, Student's interval over seeds alone"
        return Estimate(
            value=value, low=value - half, high=value + half, level=level, n=self.seeds, how=how
        )

    def _variance(self, weights: Sequence[float]) -> tuple[float, float]:
        """The variance of a contrast's mean, and its degrees of freedom."""
        shared, own = self._parts(np.asarray(weights), np.asarray(weights))
        ones, others = self._classes
        if abs(sum(weights)) < 1e-9:  # a difference; the intervals of a condition see to this
            scale = _UNSEEN**2 * float(np.square(weights).sum()) / 2.0
            shared += scale * (1.0 / ones**2 + 1.0 / others**2)
        total = shared + own
        units = max(min(ones, others) - 1.0, 1.0)
        if total <= 0.0:
            return 0.0, units
        slack = own**2 / max(self.seeds - 1.0, 1.0) + shared**2 / units
        return total, total**2 / slack

    def _correlation(self, i: int, j: int) -> float:
        k = len(self.values)
        one, other = np.asarray(_pick(i, None, k)), np.asarray(_pick(j, None, k))
        cross = sum(self._parts(one, other))
        scale = math.sqrt(sum(self._parts(one, one)) * sum(self._parts(other, other)))
        return min(max(cross / scale, -1.0), 1.0) if scale > 0.0 else 0.0

    def _parts(self, one: Floats, other: Floats) -> tuple[float, float]:
        """What two contrasts share by items, and what by seeds; their variance where they are one.

        The part of items cannot be under nothing where it is a variance.
        """
        same = one is other or np.array_equal(one, other)
        u = np.tensordot(one, self._totals, axes=1)
        v = u if same else np.tensordot(other, self._totals, axes=1)
        s = self.seeds
        alone = float(np.einsum("sg,sg->", u, v))
        if s == 1:
            return alone, 0.0
        together = float(u.sum(axis=0) @ v.sum(axis=0))
        shared = (together - alone) / (s * (s - 1.0))
        d, e = one @ self.values, other @ self.values
        own = float(((d - d.mean()) * (e - e.mean())).sum()) / (s - 1.0) / s
        return (max(shared, 0.0) if same else shared), own

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
    """Scores (conditions x seeds x items) as estimates of every contrast of the conditions."""
    conditions, seeds, items = scores.shape
    values, influence = measure(metric, scores.reshape(-1, items), positive, threshold=threshold)
    return Crossed(
        metric=metric,
        values=values.reshape(conditions, seeds),
        influence=influence.reshape(conditions, seeds, items),
        positive=positive,
        codes=None if groups is None else coded(list(groups)),
    )


def _pick(i: int, j: int | None, k: int) -> tuple[float, ...]:
    return tuple(1.0 if at == i else -1.0 if at == j else 0.0 for at in range(k))


def _wilson(value: float, variance: float, n: int, reach: float) -> tuple[float, float]:
    """Wilson's interval of a share, at the size of sample that the variance amounts to."""
    size = value * (1.0 - value) / variance if variance > 0.0 else float(n)
    size = min(max(size, 1.0), float(n)) if variance <= 0.0 else max(size, 1.0)
    middle = value + reach / (2.0 * size)
    half = math.sqrt(reach * (value * (1.0 - value) + reach / (4.0 * size)) / size)
    whole = 1.0 + reach / size
    return max((middle - half) / whole, 0.0), min((middle + half) / whole, 1.0)


def _combine(a: float, b: float, r: float) -> float:
    return math.sqrt(max(a * a + b * b - 2.0 * r * a * b, 0.0))
