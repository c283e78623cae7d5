"""Columns without evidence of their own: copies, mirror images, and properties of instances.

A score written twice would count twice, and a score with its mirror image would cancel out. A
column that is the same on both sides for every instance (a label, an expected value) describes the
instances, not the systems, and counting it would make every difference look smaller.
"""

from collections.abc import Sequence

import numpy as np

from assay.comparison.judge.pairing import MANY_INSTANCES
from assay.comparison.spec import Dimension
from assay.stats.arrays import Codes, Floats

_NEAR = 1e-9


def redundant(
    dimensions: Sequence[Dimension], values: Floats, instances: Codes, *, assumed: bool
) -> dict[int, str]:
    """Which columns (rows of both sides x dimensions) to leave out, and why.

    Of equal columns the gated one stays, else the first. Properties of instances are left out only
    if the dimensions were taken from the columns, and some column remains.
    """
    varying = np.ptp(values, axis=0) > _NEAR if len(values) else np.zeros(len(dimensions), bool)
    order = sorted(np.flatnonzero(varying).tolist(), key=lambda at: not dimensions[at].gated)
    kept: list[int] = []
    reasons: dict[int, str] = {}
    for at in order:
        same = next((k for k in kept if _is_same(values[:, at], values[:, k])), None)
        mirror = next((k for k in kept if _is_same(values[:, at], 1.0 - values[:, k])), None)
        if same is not None:
            reasons[at] = f"{dimensions[at].name} is a copy of {dimensions[same].name}"
        elif mirror is not None:
            reasons[at] = f"{dimensions[at].name} is {dimensions[mirror].name} reversed"
        else:
            kept.append(at)
    if assumed:
        given = [
            at for at in kept if not dimensions[at].gated and _is_given(values[:, at], instances)
        ]
        if len(given) < len(dimensions) - len(reasons):
            words = "is the same on both sides for every instance"
            reasons |= {at: f"{dimensions[at].name} {words}" for at in given}
    return dict(sorted(reasons.items()))


def _is_same(one: Floats, other: Floats) -> bool:
    return bool((np.abs(one - other) <= _NEAR).all())


def _is_given(column: Floats, instances: Codes) -> bool:
    """Whether a value depends only on the instance, judged from enough instances."""
    count = int(instances.max()) + 1
    low, high = np.full(count, np.inf), np.full(count, -np.inf)
    np.minimum.at(low, instances, column)
    np.maximum.at(high, instances, column)
    return count >= MANY_INSTANCES and bool((high - low <= _NEAR).all())
