"""Accuracy and F1, as shares of trials with exact intervals.

Accuracy is a share of items. F1 is not, but F1 = 2J / (1 + J) where J = TP / (TP + FP + FN) is the
share of hits among the items that are, or were called, the class. So both get the interval of
Clopper & Pearson (1934), which covers at least its level; F1's is mapped through that monotone
function.

If items share groups, the number of trials is replaced by the *effective* number, that of an
independent sample with the same variance (Korn & Graubard 1998). This is an approximation: with few
groups of uneven size it can cover a few percent too little.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.clusters import effective_groups
from assay.stats.estimate import Estimate
from assay.stats.quantiles import beta_quantile, t_quantile


@dataclass(frozen=True, kw_only=True)
class ShareFit:
    """`hits` of `counted` items, worth so many independent `trials`; as a share or as an F1."""

    hits: int
    counted: int
    trials: float
    n: int
    as_f1: bool
    grouped: bool

    @property
    def value(self) -> float:
        """The accuracy or the F1."""
        if self.as_f1:
            return 2.0 * self.hits / (self.hits + self.counted)
        return self.hits / self.counted

    def interval(self, *, level: float = 0.95) -> tuple[float, float]:
        """The two-sided Clopper-Pearson interval."""
        tail = (1.0 - level) / 2.0
        share = self.hits / self.counted
        hits, misses = share * self.trials, (1.0 - share) * self.trials
        low = beta_quantile(tail, hits, misses + 1.0) if hits > 1e-9 else 0.0
        high = beta_quantile(1.0 - tail, hits + 1.0, misses) if misses > 1e-9 else 1.0
        return self._read(low), self._read(high)

    def interval_at(self, level: float) -> tuple[float, float]:
        """The interval at a level."""
        return self.interval(level=level)

    def sharing(self, correlation: float) -> "ShareFit":
        """The fit with an extra correlation between any two trials, which does not average out."""
        return replace(self, trials=self.trials / (1.0 + correlation * self.trials))

    def estimate(self, *, level: float = 0.95) -> Estimate:
        """The value with its interval."""
        low, high = self.interval(level=level)
        how = "F1" if self.as_f1 else "accuracy"
        how += ", Clopper-Pearson" + (" on effective trials by group" if self.grouped else "")
        return Estimate(value=self.value, low=low, high=high, level=level, n=self.n, how=how)

    def _read(self, share: float) -> float:
        return 2.0 * share / (1.0 + share) if self.as_f1 else share


def accuracy(correct: ArrayLike, *, groups: Sequence[str] | None = None) -> ShareFit:
    """The share of correct items."""
    hits = np.asarray(correct, dtype=bool)
    return _fit(hits, np.ones_like(hits), groups, as_f1=False)


def f1(truth: ArrayLike, called: ArrayLike, *, groups: Sequence[str] | None = None) -> ShareFit:
    """The F1 of one class: `truth` marks its items, `called` the items that were assigned to it."""
    is_class, called_so = np.asarray(truth, dtype=bool), np.asarray(called, dtype=bool)
    return _fit(is_class & called_so, is_class | called_so, groups, as_f1=True)


def _fit(
    hits: NDArray[np.bool_], counted: NDArray[np.bool_], groups: Sequence[str] | None, as_f1: bool
) -> ShareFit:
    trials = int(counted.sum())
    if not trials:
        raise ValueError("no item counts towards this share")
    return ShareFit(
        hits=int(hits.sum()),
        counted=trials,
        trials=float(trials) if groups is None else _effective(hits, counted, np.asarray(groups)),
        n=hits.size,
        as_f1=as_f1,
        grouped=groups is not None,
    )


def _effective(
    hits: NDArray[np.bool_], counted: NDArray[np.bool_], groups: NDArray[np.str_]
) -> float:
    """The size of an independent sample with the same variance, at most the actual size."""
    trials = float(counted.sum())
    share = float(hits.sum()) / trials
    _, codes = np.unique(groups[counted], return_inverse=True)
    units = effective_groups(codes)
    residual = (hits[counted] - share) / trials
    totals = np.bincount(codes, weights=residual)
    if units < 2.0:
        return units
    variance = float(totals @ totals) * units / (units - 1.0)
    if variance <= 0.0 or share in (0.0, 1.0):
        return units
    effective = share * (1.0 - share) / variance
    widen = t_quantile(0.975, trials - 1.0) / t_quantile(0.975, units - 1.0)
    return min(effective * widen**2, trials)
