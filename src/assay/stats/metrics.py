"""Metrics of scores against labels, with each item's influence on them.

An item's *influence* is how far the metric moves when the item counts a little more: the derivative
by its weight, divided by the number of items. The influences sum to 0, and their squares to the
metric's variance (the infinitesimal jackknife; for the AUC this is DeLong's).

- AUROC: the chance that a positive scores above a negative, ties counting one half.
- accuracy, F1: with a score at or above the threshold read as "positive".
- average precision: the mean, over positives, of the precision at their score, ties taken together.
"""

from typing import Literal

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Floats
from assay.stats.auc import fit

MetricName = Literal["auroc", "accuracy", "f1", "average-precision"]


def measure(
    name: MetricName, scores: Floats, positive: NDArray[np.bool_], *, threshold: float = 0.5
) -> tuple[Floats, Floats]:
    """The metric of each row of scores, and the influence of each item on each."""
    match name:
        case "auroc":
            return _auroc(scores, positive)
        case "accuracy":
            return _accuracy(scores, positive, threshold)
        case "f1":
            return _f1(scores, positive, threshold)
        case "average-precision":
            rows = [_average_precision(row, positive) for row in scores]
            return np.array([row[0] for row in rows]), np.stack([row[1] for row in rows])


def _auroc(scores: Floats, positive: NDArray[np.bool_]) -> tuple[Floats, Floats]:
    fitted = fit(scores[:, positive], scores[:, ~positive])
    centred = fitted.placements - fitted.values[:, None]
    influence = np.empty_like(scores)
    influence[:, positive] = centred[:, : fitted.positives] / fitted.positives
    influence[:, ~positive] = centred[:, fitted.positives :] / fitted.negatives
    return fitted.values, influence


def _accuracy(
    scores: Floats, positive: NDArray[np.bool_], threshold: float
) -> tuple[Floats, Floats]:
    right = ((scores >= threshold) == positive).astype(np.float64)
    values = right.mean(axis=1)
    return values, (right - values[:, None]) / positive.size


def _f1(scores: Floats, positive: NDArray[np.bool_], threshold: float) -> tuple[Floats, Floats]:
    called = scores >= threshold
    hits = (called & positive).astype(np.float64)
    slips = (called ^ positive).astype(np.float64)
    whole = 2.0 * hits.sum(axis=1) + slips.sum(axis=1)
    values = 2.0 * hits.sum(axis=1) / whole
    part = 2.0 * hits * (1.0 - values[:, None]) - slips * values[:, None]
    return values, part / whole[:, None]


def _average_precision(scores: Floats, positive: NDArray[np.bool_]) -> tuple[float, Floats]:
    order = np.argsort(-scores, kind="stable")
    ranked, flags = scores[order], positive[order].astype(np.float64)
    ends = np.r_[np.flatnonzero(np.diff(ranked)), ranked.size - 1]  # the last of each tie
    level = np.repeat(np.arange(ends.size), np.diff(np.r_[-1, ends]))
    above = (ends + 1.0)[level]
    hits = np.cumsum(flags)[ends][level]
    precision, total = hits / above, flags.sum()
    value = float((flags * precision).sum() / total)
    # An item's effect on the precision of every positive at its level and below.
    more = _from_below(flags / above, ends, level)
    less = _from_below(flags * precision / above, ends, level)
    part = flags * (precision - value) + flags * more - less
    influence = np.empty_like(scores)
    influence[order] = part / total
    return value, influence


def _from_below(values: Floats, ends: NDArray[np.intp], level: NDArray[np.intp]) -> Floats:
    """For each item, the sum over all items at its level and below."""
    sums = np.add.reduceat(values, np.r_[0, ends[:-1] + 1])
    return np.asarray(np.cumsum(sums[::-1])[::-1][level])
