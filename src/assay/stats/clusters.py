"""Groups: how records that belong together change a variance and an interval.

The variance comes from group totals of each item's influence (Obuchowski 1997), so that copies of a
record add no evidence. Groups of uneven size count as an effective number of equal ones (Kish).

An interval uses the *jackknife*: how far the estimate moves when a whole group is left out. A
group that holds a share h of a class pulls the estimate towards itself, so its total is divided by
1 - h. If all groups have the same number of records of each class, the result is Obuchowski's
variance; if sizes or shares of positives vary, it is larger, by the part that his omits.

Few groups give a poor estimate of the variance. Two corrections, with u the totals:

- The variance has 2 / (sum u^4 / (sum u^2)^2 - 1/G) degrees of freedom, which is G for normal u and
  2k if k groups carry all of it.
- An interval is extended on the side to which u is skewed, by the first term of the studentised
  mean's expansion (Hall 1992), sum u^3 / variance * (2 z^2 + 1) / 6. The other side is unchanged.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from assay.stats.arrays import Codes, Floats
from assay.stats.quantiles import normal_quantile


def side_codes(groups: tuple[ArrayLike, ArrayLike]) -> tuple[Codes, Codes]:
    """The groups of positives and of negatives as numbers, the same for the same group."""
    first = np.asarray(groups[0])
    both = np.concatenate([first, np.asarray(groups[1])])
    codes = np.unique(both, return_inverse=True)[1]
    return codes[: first.size], codes[first.size :]


def effective_groups(codes: Codes) -> float:
    """The effective number of groups, as if of equal size: (sum m)^2 / sum m^2."""
    sizes = np.bincount(codes)
    return float(sizes.sum()) ** 2 / float(np.square(sizes, dtype=np.float64).sum())


def grouped_covariance(
    influence1: Floats, influence0: Floats, codes: tuple[Codes, Codes]
) -> tuple[Floats, Floats, Floats]:
    """The two terms of the variance, and their sum with groups' covariance (Obuchowski 1997)."""
    size = _size(codes)
    totals1, totals0 = (
        _group_totals(influence, own, size)
        for influence, own in zip((influence1, influence0), codes, strict=True)
    )
    within1 = totals1 @ totals1.T * correction(_count(codes[0]))
    within0 = totals0 @ totals0.T * correction(_count(codes[1]))
    shared = (totals1 @ totals0.T + totals0 @ totals1.T) * correction(size)
    return within1, within0, within1 + within0 + shared


def jackknife_totals(influence1: Floats, influence0: Floats, codes: tuple[Codes, Codes]) -> Floats:
    """The change of each estimate without each group (k x groups); squares sum to the variance."""
    size = _size(codes)
    totals = np.zeros((influence1.shape[0], size))
    for influence, own in zip((influence1, influence0), codes, strict=True):
        share = np.bincount(own, minlength=size) / own.size
        # The only group of a class has a total of 0, and no information on other groups.
        left = np.where(share < 1.0, 1.0 - share, 1.0)
        scale = math.sqrt(correction(_count(own)))
        totals += _group_totals(influence, own, size) / (left * scale)
    return totals


def degrees_of_freedom(totals: Floats) -> float:
    """The degrees of freedom of the sum of squared group totals; few if few groups carry it."""
    square = float(np.square(totals).sum())
    if square <= 0.0:
        return float(totals.size)
    carried = float((totals**4).sum()) / square**2 - 1.0 / totals.size
    return max(2.0 / max(carried, 1e-12), 1.0)


def skew_reach(totals: Floats, variance: float, level: float) -> float:
    """How far an interval is extended for skewness; the sign is the side."""
    if variance <= 0.0:
        return 0.0
    z = normal_quantile(0.5 + level / 2.0)
    third = float((totals**3).sum())
    return third / variance * (2.0 * z * z + 1.0) / 6.0


def correction(units: float) -> float:
    """The factor n / (n - 1): a variance around the sample's own mean is too small."""
    return units / max(units - 1.0, 1.0)


def _size(codes: tuple[Codes, Codes]) -> int:
    return 1 + int(max(codes[0].max(), codes[1].max()))


def _count(codes: Codes) -> int:
    return int(np.count_nonzero(np.bincount(codes)))


def _group_totals(influence: Floats, codes: Codes, size: int) -> Floats:
    return np.stack([np.bincount(codes, weights=row, minlength=size) for row in influence])
