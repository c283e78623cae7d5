"""The area under the ROC curve, its variance, and intervals that keep their coverage.

The AUC is the chance that a random positive scores above a random negative, ties counting one
half (Mann-Whitney). Each item has a *placement*: the share of the other class that it beats. The
AUC is the mean placement of the positives, and the placements' spread gives its variance and the
covariance between methods scored on the same items (DeLong, DeLong & Clarke-Pearson, 1988).

*Interval of one AUC.* DeLong's variance with a symmetric interval, which everybody ships, covers
.75 where it says .95 when the AUC is high. Newcombe's (2006) score interval uses a variance that
depends on the parameter and so behaves near 1, but it assumes a shape of the score distribution.
Ours solves

    (theta - AUC)^2 = t^2 * r * H(theta)

with H the Hanley-McNeil variance as Newcombe uses it, t Student's quantile with Welch's degrees
of freedom, and r the ratio of DeLong's variance to H at the estimate, pulled a quarter of the way
to 1 where it is under 1: the data say how large the variance is, the model only how it changes
with theta. The worst coverage over 48 situations is in docs/explanation/error-rates.md.

*Interval of a difference.* At each end the wider of two: Wald with DeLong's variance and t, and
MOVER (Zou & Donner 2008), which combines the single intervals with DeLong's correlation.

*Groups.* Where records share a group, the variance comes from group totals of each item's
influence (Obuchowski 1997), so that copies of a record add no evidence. H is then taken at the
sizes of an independent sample: the class sizes over the design effect, which is the variance with
groups over the variance without.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.estimate import Estimate
from assay.stats.quantiles import t_quantile

Floats = NDArray[np.float64]
_SHRINK = 0.25


def auc(positive: ArrayLike, negative: ArrayLike) -> float:
    """The AUC alone, O(n log n): two sorts, then two merges of sorted arrays."""
    above = np.sort(np.asarray(positive, dtype=np.float64))
    below = np.sort(np.asarray(negative, dtype=np.float64))
    wins = np.searchsorted(below, above, "left").sum(dtype=np.float64)
    ties = np.searchsorted(below, above, "right").sum(dtype=np.float64) - wins
    return float((wins + ties / 2.0) / (above.size * below.size))


def _beaten(scores: Floats, others: Floats) -> Floats:
    """For each score, how many of the others it beats, ties one half."""
    order = np.argsort(scores)
    ranked, field = scores[order], np.sort(others)
    counts = np.empty(scores.size)
    counts[order] = np.searchsorted(field, ranked, "left") + np.searchsorted(field, ranked, "right")
    counts /= 2.0
    return counts


@dataclass(frozen=True, kw_only=True, eq=False)
class AucFit:
    """k methods on the same items: their AUCs and everything an interval needs.

    `placements` are each item's, positives first. `within_positive` and `within_negative` are the
    two addends of the variance (k x k); `covariance` is their sum, plus what positives and
    negatives of one group share. `ungrouped` are the variances as if every item stood alone.
    """

    values: Floats
    placements: Floats
    covariance: Floats
    ungrouped: Floats
    within_positive: Floats
    within_negative: Floats
    positives: int
    negatives: int
    units_positive: int
    units_negative: int
    grouped: bool

    @property
    def n(self) -> int:
        """How many items were scored."""
        return self.positives + self.negatives

    def interval(self, i: int = 0, *, level: float = 0.95) -> tuple[float, float]:
        """The two-sided interval of method i's AUC."""
        value = float(self.values[i])
        variance = float(self.covariance[i, i])
        quantile = t_quantile(0.5 + level / 2.0, self._degrees(_pick(i, i, len(self.values))))
        sizes = self._sizes(i)
        scale = quantile**2 * _ratio(variance, hanley_mcneil(value, *sizes))
        return _solve(value, 0.0, scale, sizes), _solve(value, 1.0, scale, sizes)

    def difference_interval(self, i: int, j: int, *, level: float = 0.95) -> tuple[float, float]:
        """The two-sided interval of method i's AUC minus method j's."""
        contrast = _pick(i, j, len(self.values))
        value_i, value_j = float(self.values[i]), float(self.values[j])
        gap = value_i - value_j
        spread = math.sqrt(max(float(contrast @ self.covariance @ contrast), 0.0))
        wald = t_quantile(0.5 + level / 2.0, self._degrees(contrast)) * spread
        low_i, high_i = self.interval(i, level=level)
        low_j, high_j = self.interval(j, level=level)
        scale = math.sqrt(float(self.covariance[i, i] * self.covariance[j, j]))
        r = float(self.covariance[i, j]) / scale if scale > 0.0 else 0.0
        down = _combine(value_i - low_i, high_j - value_j, r)
        up = _combine(high_i - value_i, value_j - low_j, r)
        return max(gap - max(down, wald), -1.0), min(gap + max(up, wald), 1.0)

    def estimate(self, i: int = 0, *, level: float = 0.95) -> Estimate:
        """Method i's AUC with its interval."""
        value = float(self.values[i])
        how = "AUC, score interval on DeLong's variance"
        return self._estimate(value, self.interval(i, level=level), level, how)

    def difference(self, i: int, j: int, *, level: float = 0.95) -> Estimate:
        """Method i's AUC minus method j's, with the interval of a paired difference."""
        value = float(self.values[i] - self.values[j])
        how = "difference of paired AUCs, MOVER and t on DeLong's covariance"
        return self._estimate(value, self.difference_interval(i, j, level=level), level, how)

    def same_ranking(self, i: int, j: int) -> bool:
        """Whether two methods place every item alike, so that their difference is no accident."""
        return bool(np.array_equal(self.placements[i], self.placements[j]))

    def _estimate(
        self, value: float, ends: tuple[float, float], level: float, how: str
    ) -> Estimate:
        how += ", clustered by group" if self.grouped else ""
        return Estimate(value=value, low=ends[0], high=ends[1], level=level, n=self.n, how=how)

    def _degrees(self, contrast: Floats) -> float:
        """Welch's degrees of freedom for a contrast of the k AUCs."""
        a = float(contrast @ self.within_positive @ contrast)
        b = float(contrast @ self.within_negative @ contrast)
        dof_a, dof_b = max(self.units_positive - 1, 1), max(self.units_negative - 1, 1)
        if a + b <= 1e-18:
            return float(min(dof_a, dof_b))
        return (a + b) ** 2 / (a**2 / dof_a + b**2 / dof_b)

    def _sizes(self, i: int) -> tuple[float, float]:
        """The class sizes of an independent sample that says as much about method i."""
        alone = float(self.ungrouped[i])
        if not self.grouped:
            return float(self.positives), float(self.negatives)
        if alone <= 0.0 or self.covariance[i, i] <= 0.0:
            return float(self.units_positive), float(self.units_negative)
        design = float(self.covariance[i, i]) / alone
        return max(self.positives / design, 1.0), max(self.negatives / design, 1.0)


def fit(
    positive: ArrayLike, negative: ArrayLike, *, groups: tuple[ArrayLike, ArrayLike] | None = None
) -> AucFit:
    """AUCs of one method (1-D scores) or of k methods (k x items), with paired DeLong covariance.

    `groups` names the group of each positive and of each negative; without it every item stands
    alone.
    """
    above = np.atleast_2d(np.asarray(positive, dtype=np.float64))
    below = np.atleast_2d(np.asarray(negative, dtype=np.float64))
    n1, n0 = above.shape[1], below.shape[1]
    if not n1 or not n0:
        raise ValueError("an AUC needs at least one positive and one negative")
    placed1 = np.stack([_beaten(a, b) for a, b in zip(above, below, strict=True)]) / n0
    placed0 = 1.0 - np.stack([_beaten(b, a) for a, b in zip(above, below, strict=True)]) / n1
    values = placed1.mean(axis=1)
    influence1, influence0 = (placed1 - values[:, None]) / n1, (placed0 - values[:, None]) / n0
    if groups is None:
        within1, within0 = _mean_covariance(placed1), _mean_covariance(placed0)
        units1, units0, covariance = n1, n0, within1 + within0
    else:
        within1, within0, covariance, units1, units0 = _grouped(influence1, influence0, groups)
    return AucFit(
        values=values,
        placements=np.concatenate([placed1, placed0], axis=1),
        covariance=covariance,
        ungrouped=np.square(influence1).sum(axis=1) + np.square(influence0).sum(axis=1),
        within_positive=within1,
        within_negative=within0,
        positives=n1,
        negatives=n0,
        units_positive=units1,
        units_negative=units0,
        grouped=groups is not None,
    )


def better_direction(value: float) -> float:
    """The AUC of a score or of its negative, whichever is larger."""
    return max(value, 1.0 - value)


def hanley_mcneil(theta: float, positives: float, negatives: float) -> float:
    """Hanley & McNeil's (1982) variance of an AUC, with Newcombe's mean class size."""
    mean = (positives + negatives) / 2.0
    spread = (mean - 1.0) * ((1.0 - theta) / (2.0 - theta) + theta / (1.0 + theta))
    return theta * (1.0 - theta) * (1.0 + spread) / (positives * negatives)


def _pick(i: int, j: int, k: int) -> Floats:
    """Method i alone where i is j, else i minus j, as a contrast."""
    contrast = np.zeros(k)
    contrast[i] = 1.0
    if i != j:
        contrast[j] = -1.0
    return contrast


def _mean_covariance(placed: Floats) -> Floats:
    """Covariance of the mean placements; zero where a single item gives none."""
    k, n = placed.shape
    if n < 2:
        return np.zeros((k, k))
    centred = placed - placed.mean(axis=1, keepdims=True)
    return np.asarray(centred @ centred.T / ((n - 1) * n))


def _grouped(
    influence1: Floats, influence0: Floats, groups: tuple[ArrayLike, ArrayLike]
) -> tuple[Floats, Floats, Floats, int, int]:
    labels1, labels0 = np.asarray(groups[0]), np.asarray(groups[1])
    _, codes = np.unique(np.concatenate([labels1, labels0]), return_inverse=True)
    size = int(codes.max()) + 1
    totals1 = _group_totals(influence1, codes[: labels1.size], size)
    totals0 = _group_totals(influence0, codes[labels1.size :], size)
    units1 = np.unique(codes[: labels1.size]).size
    units0 = np.unique(codes[labels1.size :]).size
    within1 = totals1 @ totals1.T * _correction(units1)
    within0 = totals0 @ totals0.T * _correction(units0)
    shared = (totals1 @ totals0.T + totals0 @ totals1.T) * _correction(size)
    return within1, within0, within1 + within0 + shared, units1, units0


def _correction(units: int) -> float:
    return units / max(units - 1, 1)


def _group_totals(influence: Floats, codes: NDArray[np.intp], size: int) -> Floats:
    return np.stack([np.bincount(codes, weights=row, minlength=size) for row in influence])


def _combine(a: float, b: float, r: float) -> float:
    return math.sqrt(max(a * a + b * b - 2.0 * r * a * b, 0.0))


def _ratio(variance: float, model: float) -> float:
    """The variance that was seen over the model's, pulled to 1 from below."""
    if model <= 0.0 or variance <= 0.0:
        return 1.0
    ratio = variance / model
    return ratio if ratio >= 1.0 else (1.0 - _SHRINK) * ratio + _SHRINK


def _solve(value: float, end: float, scale: float, sizes: tuple[float, float]) -> float:
    """The theta between the estimate and `end` (0 or 1) where the score equation holds."""
    inside, outside = value, end
    for _ in range(60):
        theta = (inside + outside) / 2.0
        if (theta - value) ** 2 > scale * hanley_mcneil(theta, *sizes):
            outside = theta
        else:
            inside = theta
    return outside
