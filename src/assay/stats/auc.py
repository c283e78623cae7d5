"""The area under the ROC curve, its variance, and intervals that keep their coverage.

The AUC is the chance that a random positive scores above a random negative, ties counting one
half (Mann-Whitney). Each item has a *placement*: the share of the other class that it beats. The
AUC is the mean placement of the positives, and the placements' spread gives its variance and the
covariance between methods scored on the same items (DeLong, DeLong & Clarke-Pearson, 1988).

*Interval of one AUC.* A score interval: `stats/auc_interval.py`.

**Interval of a difference.* At each end the wider of two intervals: Wald with DeLong's variance and
t, and MOVER (Zou & Donner 2008), which combines the single intervals with DeLong's correlation. A
control read in its better direction counts as two controls, of which the larger is subtracted.

**Groups.* See `stats/clusters.py`. Intervals use the jackknife over groups. The score interval uses
the class sizes of an equivalent independent sample: the class sizes divided by the design effect,
which is the variance with groups divided by the variance without.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.arrays import Floats
from assay.stats.auc_interval import score_interval
from assay.stats.clusters import (
    degrees_of_freedom,
    effective_groups,
    grouped_covariance,
    jackknife_totals,
    side_codes,
    skew_reach,
)
from assay.stats.estimate import Estimate
from assay.stats.quantiles import t_quantile
from assay.stats.ranks import Levels, placements


def auc(positive: ArrayLike, negative: ArrayLike) -> float:
    """The AUC without an interval, in O(n log n)."""
    above = np.sort(np.asarray(positive, dtype=np.float64))
    below = np.sort(np.asarray(negative, dtype=np.float64))
    wins = np.searchsorted(below, above, "left").sum(dtype=np.float64)
    ties = np.searchsorted(below, above, "right").sum(dtype=np.float64) - wins
    return float((wins + ties / 2.0) / (above.size * below.size))


def _beaten(above: Floats, below: Floats) -> tuple[Floats, Floats]:
    """For each score of one side, how many of the other side it beats; ties count one half."""
    orders = np.argsort(above), np.argsort(below)
    ranked = above[orders[0]], below[orders[1]]
    beaten = np.empty(above.size), np.empty(below.size)
    for counts, order, ours, theirs in zip(beaten, orders, ranked, ranked[::-1], strict=True):
        counts[order] = np.searchsorted(theirs, ours, "left")
        counts[order] += np.searchsorted(theirs, ours, "right")
        counts /= 2.0
    return beaten


@dataclass(frozen=True, kw_only=True, eq=False)
class AucFit:
    """The AUCs of k methods on the same items, and everything an interval needs.

    `placements` are one an item, positives first. `within_positive` and `within_negative` are the
    two terms of the variance (k x k); `covariance` is their sum, plus the covariance of positives
    and negatives of one group. `ungrouped` are the variances if all items were independent.
    `units_positive`, `units_negative` and `units` are the effective numbers of groups, of each
    class and of both. `totals` (k x groups) are from the jackknife over groups; None without
    groups. `raised` is a factor on the variance, for what these items cannot show.
    """

    values: Floats
    wins: Floats
    placements: Floats
    covariance: Floats
    ungrouped: Floats
    within_positive: Floats
    within_negative: Floats
    positives: int
    negatives: int
    units_positive: float
    units_negative: float
    units: float
    totals: Floats | None = None
    raised: float = 1.0
    _known: dict[tuple[int, float], tuple[float, float]] = field(default_factory=dict, repr=False)

    @property
    def n(self) -> int:
        """How many items were scored."""
        return self.positives + self.negatives

    @property
    def grouped(self) -> bool:
        """Whether some items share a group."""
        return self.totals is not None

    def interval(self, i: int = 0, *, level: float = 0.95) -> tuple[float, float]:
        """The two-sided interval of method i's AUC."""
        if (i, level) in self._known:
            return self._known[i, level]
        alone = _pick(i, i, len(self.values))
        quantile = t_quantile(0.5 + level / 2.0, self._degrees(alone))
        variance = self._variance(alone)
        low, high = score_interval(
            float(self.values[i]),
            variance,
            sides=(self.placements[i, : self.positives], self.placements[i, self.positives :]),
            sizes=self._sizes(i, variance),
            units=(self.units_positive, self.units_negative),
            reach=quantile**2 * self.raised,
        )
        if self.totals is not None:
            further = skew_reach(self.totals[i], variance, level)
            low, high = max(low + min(further, 0.0), 0.0), min(high + max(further, 0.0), 1.0)
        self._known[i, level] = low, high
        return self._known[i, level]

    def difference_interval(self, i: int, j: int, *, level: float = 0.95) -> tuple[float, float]:
        """The two-sided interval of method i's AUC minus method j's."""
        contrast = _pick(i, j, len(self.values))
        value_i, value_j = float(self.values[i]), float(self.values[j])
        gap = self.gap(i, j)
        spread = math.sqrt(self._variance(contrast) * self.raised)
        wald = t_quantile(0.5 + level / 2.0, self._degrees(contrast)) * spread
        low_i, high_i = self.interval(i, level=level)
        low_j, high_j = self.interval(j, level=level)
        scale = math.sqrt(float(self.covariance[i, i] * self.covariance[j, j]))
        r = float(self.covariance[i, j]) / scale if scale > 0.0 else 0.0
        down = _combine(value_i - low_i, high_j - value_j, r)
        up = _combine(high_i - value_i, value_j - low_j, r)
        return max(gap - max(down, wald), -1.0), min(gap + max(up, wald), 1.0)

    def interval_at(self, level: float) -> tuple[float, float]:
        """The interval of the first method's AUC at a level."""
        return self.interval(level=level)

    def estimate(self, i: int = 0, *, level: float = 0.95) -> Estimate:
        """Method i's AUC with its interval."""
        value = float(self.values[i])
        how = "AUC, score interval on DeLong's variance"
        return self._estimate(value, self.interval(i, level=level), level, how)

    def difference(self, i: int, j: int, *, level: float = 0.95) -> Estimate:
        """Method i's AUC minus method j's, with the interval of a paired difference."""
        return self.least_difference(i, (j,), level=level)

    def least_difference(self, i: int, others: Sequence[int], *, level: float = 0.95) -> Estimate:
        """Method i's AUC minus the largest of the others'."""
        value = min(self.gap(i, j) for j in others)
        how = "difference of paired AUCs, MOVER and t on DeLong's covariance"
        return self._estimate(value, self.least_difference_at(i, others)(level), level, how)

    def least_difference_at(
        self, i: int, others: Sequence[int]
    ) -> Callable[[float], tuple[float, float]]:
        """The interval of the least difference, as a function of the level.

        The least of k differences is at least L if each is, so its lower bound is the least of
        their lower bounds. It is at most U if any is; to keep the error at its level whichever is
        the least, each upper bound uses a k-th of that level.
        """

        def interval(level: float) -> tuple[float, float]:
            upper_level = 1.0 - (1.0 - level) / len(others)
            lows = [self.difference_interval(i, j, level=level)[0] for j in others]
            highs = [self.difference_interval(i, j, level=upper_level)[1] for j in others]
            return min(lows), min(highs)

        return interval

    def gap(self, i: int, j: int) -> float:
        """Method i's AUC minus method j's, computed from counts of wins to avoid rounding."""
        return float(self.wins[i] - self.wins[j]) / (self.positives * self.negatives)

    def same_ranking(self, i: int, j: int) -> bool:
        """Whether two methods rank all items identically, so that they cannot differ."""
        return bool(np.array_equal(self.placements[i], self.placements[j]))

    def _estimate(
        self, value: float, ends: tuple[float, float], level: float, how: str
    ) -> Estimate:
        how += ", clustered by group" if self.grouped else ""
        return Estimate(value=value, low=ends[0], high=ends[1], level=level, n=self.n, how=how)

    def _variance(self, contrast: Floats) -> float:
        """The variance of a contrast of the k AUCs; with groups, the jackknife's."""
        variance = max(float(contrast @ self.covariance @ contrast), 0.0)
        if self.totals is None:
            return variance
        return max(variance, float(np.square(contrast @ self.totals).sum()))

    def _degrees(self, contrast: Floats) -> float:
        """Welch's degrees of freedom for a contrast of the AUCs, fewer if few groups carry it."""
        a = float(contrast @ self.within_positive @ contrast)
        b = float(contrast @ self.within_negative @ contrast)
        dof_a, dof_b = max(self.units_positive - 1.0, 1.0), max(self.units_negative - 1.0, 1.0)
        if a + b <= 1e-18:
            return float(min(dof_a, dof_b))
        welch = (a + b) ** 2 / (a**2 / dof_a + b**2 / dof_b)
        if self.totals is None:
            return welch
        return min(welch, max(self.units - 1.0, 1.0), degrees_of_freedom(contrast @ self.totals))

    def _sizes(self, i: int, variance: float) -> tuple[float, float]:
        """The class sizes of an independent sample with as much information about method i."""
        alone = float(self.ungrouped[i])
        if not self.grouped:
            return float(self.positives), float(self.negatives)
        if alone <= 0.0 or variance <= 0.0:
            return self.units_positive, self.units_negative
        design = variance / alone
        return max(self.positives / design, 1.0), max(self.negatives / design, 1.0)


def fit(
    positive: ArrayLike, negative: ArrayLike, *, groups: tuple[ArrayLike, ArrayLike] | None = None
) -> AucFit:
    """AUCs of one method (1-D scores) or of k methods (k x items), with paired DeLong covariance.

    `groups` names the group of each positive and of each negative; without it, items are
    independent.
    """
    above = np.atleast_2d(np.asarray(positive, dtype=np.float64))
    below = np.atleast_2d(np.asarray(negative, dtype=np.float64))
    n1, n0 = above.shape[1], below.shape[1]
    if not n1 or not n0:
        raise ValueError("an AUC needs at least one positive and one negative")
    beaten1, beaten0 = map(np.stack, zip(*map(_beaten, above, below), strict=True))
    return _fit(beaten1 / n0, 1.0 - beaten0 / n1, beaten1.sum(axis=1), groups)


def fit_levels(
    columns: Sequence[Levels],
    positive: NDArray[np.bool_],
    *,
    groups: tuple[ArrayLike, ArrayLike] | None = None,
) -> AucFit:
    """Like `fit`, for columns whose levels are known."""
    sides = np.flatnonzero(positive), np.flatnonzero(~positive)
    above, below, wins = zip(*(placements(column, sides) for column in columns), strict=True)
    return _fit(np.stack(above), np.stack(below), np.array(wins), groups)


def _fit(
    placed1: Floats, placed0: Floats, wins: Floats, groups: tuple[ArrayLike, ArrayLike] | None
) -> AucFit:
    """Everything an interval needs, from the placements of positives and negatives."""
    n1, n0 = placed1.shape[1], placed0.shape[1]
    values = wins / (n1 * n0)
    totals = None
    if groups is None:
        within1, within0 = _mean_covariance(placed1), _mean_covariance(placed0)
        units1, units0, covariance = float(n1), float(n0), within1 + within0
        units = units1 + units0
        ungrouped = np.diagonal(covariance)
    else:
        influence1, influence0 = (placed1 - values[:, None]) / n1, (placed0 - values[:, None]) / n0
        ungrouped = np.square(influence1).sum(axis=1) + np.square(influence0).sum(axis=1)
        codes = side_codes(groups)
        within1, within0, covariance = grouped_covariance(influence1, influence0, codes)
        units1, units0 = map(effective_groups, codes)
        units = effective_groups(np.concatenate(codes))
        totals = jackknife_totals(influence1, influence0, codes)
    return AucFit(
        values=values,
        wins=wins,
        placements=np.concatenate([placed1, placed0], axis=1),
        covariance=covariance,
        ungrouped=ungrouped,
        within_positive=within1,
        within_negative=within0,
        positives=n1,
        negatives=n0,
        units_positive=units1,
        units_negative=units0,
        units=units,
        totals=totals,
    )


def _pick(i: int, j: int, k: int) -> Floats:
    """The contrast for method i alone if i equals j, else for i minus j."""
    contrast = np.zeros(k)
    contrast[i] = 1.0
    if i != j:
        contrast[j] = -1.0
    return contrast


def _mean_covariance(placed: Floats) -> Floats:
    """Covariance of the mean placements; zero for a single item."""
    k, n = placed.shape
    if n < 2:
        return np.zeros((k, k))
    centred = placed - placed.mean(axis=1, keepdims=True)
    return np.asarray(centred @ centred.T / ((n - 1) * n))


def _combine(a: float, b: float, r: float) -> float:
    return math.sqrt(max(a * a + b * b - 2.0 * r * a * b, 0.0))
