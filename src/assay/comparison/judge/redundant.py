"""Columns that are no evidence of their own: copies, mirror images, means, what an instance brings.

A score written twice would weigh twice, and one beside its mirror image not at all. A weighted mean
of other columns, such as an overall score beside its parts, would count these parts again. A column
that is the same on both sides for every instance (a label, an expected value) tells of the
instances and not of the systems, and counting it would make every difference look smaller.
"""

from collections.abc import Sequence

import numpy as np

from assay.comparison.judge.pairing import MANY_INSTANCES
from assay.comparison.spec import Dimension
from assay.stats.arrays import Codes, Floats

_NEAR = 1e-9
_LEAST_WEIGHT = 1e-6


def redundant(
    dimensions: Sequence[Dimension], values: Floats, instances: Codes, *, assumed: bool
) -> dict[int, str]:
    """Which columns (rows of both sides x dimensions) to leave out, and why.

    Of columns that say the same a gated one stays, else the first. A mean of others, and what an
    instance brings, are left out only where nothing but the columns said what is a score; the
    latter only where something is left.
    """
    varying = np.ptp(values, axis=0) > _NEAR if len(values) else np.zeros(len(dimensions), bool)
    order = sorted(np.flatnonzero(varying).tolist(), key=lambda at: not dimensions[at].gated)
    kept: list[int] = []
    reasons: dict[int, str] = {}
    for at in order:
        same = next((k for k in kept if _is_same(values[:, at], values[:, k])), None)
        mirror = next((k for k in kept if _is_same(values[:, at], 1.0 - values[:, k])), None)
        if same is not None:
            reasons[at] = f"{dimensions[at].name} is {dimensions[same].name} again"
        elif mirror is not None:
            reasons[at] = f"{dimensions[at].name} is {dimensions[mirror].name} turned round"
        else:
            kept.append(at)
    if assumed:
        means = [at for at in kept if not dimensions[at].gated and _is_mean(values, at, kept)]
        for at in means:
            reasons[at] = f"{dimensions[at].name} is a weighted mean of other columns"
            kept.remove(at)
        given = [
            at for at in kept if not dimensions[at].gated and _is_given(values[:, at], instances)
        ]
        if len(given) < len(dimensions) - len(reasons):
            words = "is the same on both sides for every instance"
            reasons |= {at: f"{dimensions[at].name} {words}" for at in given}
    return dict(sorted(reasons.items()))


def _is_same(one: Floats, other: Floats) -> bool:
    return bool((np.abs(one - other) <= _NEAR).all())


def _is_mean(values: Floats, at: int, kept: Sequence[int]) -> bool:
    """Whether a column is, in every run, one weighted mean of at least two of the others.

    Weights over 0 that sum to 1 make it unique: no part is such a mean of the whole and the other
    parts, so the order of the columns decides nothing. With few distinct runs anything fits.
    """
    others = [other for other in kept if other != at]
    parts, whole = values[:, others], values[:, at]
    if len(others) < 2 or len(values) <= len(kept) + 2:
        return False
    if len(np.unique(values[:, kept], axis=0)) <= len(others) + 1:
        return False
    weights, _, rank, _ = np.linalg.lstsq(parts, whole, rcond=None)
    if rank < len(others) or not _is_same(parts @ weights, whole):
        return False
    return bool(
        (weights > -_NEAR).all()
        and (weights > _LEAST_WEIGHT).sum() >= 2
        and abs(weights.sum() - 1.0) <= _LEAST_WEIGHT
    )


def _is_given(column: Floats, instances: Codes) -> bool:
    """Whether a value depends on the instance alone, and there are enough to tell."""
    count = int(instances.max()) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, instances, column)
    np.maximum.at(high, instances, column)
    return count >= MANY_INSTANCES and bool((high - low <= _NEAR).all())
