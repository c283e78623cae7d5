"""Groups: what records that belong together do to a variance.

The variance comes from group totals of each item's influence (Obuchowski 1997), so that copies of a
record add no evidence. Groups of uneven size count as so many equal ones as Kish's formula says: a
variance that comes from a few large groups is known no better than those few allow.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.arrays import Floats


def effective_groups(codes: NDArray[np.intp]) -> float:
    """How many groups of equal size would be as good as these: (sum m)^2 / sum m^2."""
    sizes = np.bincount(codes)
    return float(sizes.sum()) ** 2 / float(np.square(sizes, dtype=np.float64).sum())


def grouped_covariance(
    influence1: Floats, influence0: Floats, groups: tuple[ArrayLike, ArrayLike]
) -> tuple[Floats, Floats, Floats]:
    """The two addends of the variance and their sum with what groups share (Obuchowski 1997)."""
    labels1, labels0 = np.asarray(groups[0]), np.asarray(groups[1])
    _, codes = np.unique(np.concatenate([labels1, labels0]), return_inverse=True)
    size = int(codes.max()) + 1
    codes1, codes0 = codes[: labels1.size], codes[labels1.size :]
    totals1 = _group_totals(influence1, codes1, size)
    totals0 = _group_totals(influence0, codes0, size)
    within1 = totals1 @ totals1.T * correction(np.unique(codes1).size)
    within0 = totals0 @ totals0.T * correction(np.unique(codes0).size)
    shared = (totals1 @ totals0.T + totals0 @ totals1.T) * correction(size)
    return within1, within0, within1 + within0 + shared


def effective_units(groups: tuple[ArrayLike, ArrayLike]) -> tuple[float, float, float]:
    """Effective groups of each class, and by how much their unevenness raises the variance."""
    effective, raised = [], []
    for labels in groups:
        _, codes = np.unique(np.asarray(labels), return_inverse=True)
        effective.append(effective_groups(codes))
        raised.append(correction(effective[-1]) / correction(int(codes.max()) + 1))
    return effective[0], effective[1], max(raised)


def correction(units: float) -> float:
    """N / (n - 1): a sample's variance around its own mean is too small."""
    return units / max(units - 1.0, 1.0)


def _group_totals(influence: Floats, codes: NDArray[np.intp], size: int) -> Floats:
    return np.stack([np.bincount(codes, weights=row, minlength=size) for row in influence])
