"""The AUC within strata: only pairs of one stratum count.

If positives come mostly from one source and negatives from another, separating the sources looks
like separating the classes. Here a positive is compared only with negatives of its own stratum: the
result is the wins of all strata over their pairs, the mean of the strata's AUCs weighted by pairs.
A stratum with a single class has no pairs and no weight.

The variance is the sum of the strata's (DeLong's, from placements within a stratum). If records
form groups, it is that of group totals, and if a group is as large as a stratum, at least the
variance between strata. The interval is the score interval of `stats/auc_interval.py` at the class
sizes.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.arrays import Floats
from assay.stats.auc import fit
from assay.stats.auc_interval import score_interval
from assay.stats.clusters import correction, effective_groups, grouped_covariance, side_codes
from assay.stats.estimate import Estimate
from assay.stats.quantiles import t_quantile

_LEAST_DESIGN = 0.2


@dataclass(frozen=True, kw_only=True, eq=False)
class WithinFit:
    """An AUC over pairs of one stratum, and what its interval needs."""

    value: float
    variance: float
    degrees: float
    sides: tuple[Floats, Floats]
    sizes: tuple[float, float]
    strata: int
    grouped: bool

    @property
    def n(self) -> int:
        """The number of records in strata with both classes."""
        return self.sides[0].size + self.sides[1].size

    def interval_at(self, level: float) -> tuple[float, float]:
        """The two-sided interval at a level."""
        reach = t_quantile(0.5 + level / 2.0, self.degrees) ** 2
        return score_interval(
            self.value, self.variance, sides=self.sides, sizes=self.sizes, reach=reach
        )

    def estimate(self, *, level: float = 0.95) -> Estimate:
        """The AUC with its interval."""
        low, high = self.interval_at(level)
        how = f"AUC within {self.strata} strata, score interval" + (
            ", clustered by group" if self.grouped else ""
        )
        return Estimate(value=self.value, low=low, high=high, level=level, n=self.n, how=how)


def fit_within(
    positive: Floats,
    negative: Floats,
    strata: tuple[Sequence[str], Sequence[str]],
    *,
    groups: tuple[ArrayLike, ArrayLike] | None = None,
) -> WithinFit | None:
    """The AUC within strata; None if no stratum has both classes."""
    above, below = np.asarray(strata[0]), np.asarray(strata[1])
    shared = sorted(set(above.tolist()) & set(below.tolist()))
    if not shared:
        return None
    chosen1 = [np.flatnonzero(above == stratum) for stratum in shared]
    chosen0 = [np.flatnonzero(below == stratum) for stratum in shared]
    pairs = np.array([a.size * b.size for a, b in zip(chosen1, chosen0, strict=True)], dtype=float)
    share = pairs / pairs.sum()
    fits = [fit(positive[a], negative[b]) for a, b in zip(chosen1, chosen0, strict=True)]
    value = float(sum(w * f.values[0] for w, f in zip(share, fits, strict=True)))
    owns = [float(f.values[0]) for f in fits]
    sides = [
        _Side.of(chosen, rows, owns, share.tolist(), value)
        for chosen, rows in (
            (chosen1, [f.placements[0, : f.positives] for f in fits]),
            (chosen0, [f.placements[0, f.positives :] for f in fits]),
        )
    ]
    kept = None
    if groups is not None:
        kept = np.asarray(groups[0])[sides[0].places], np.asarray(groups[1])[sides[1].places]
    return _fit(value, sides[0], sides[1], kept, len(shared))


@dataclass(frozen=True, kw_only=True, eq=False)
class _Side:
    """The positives or the negatives: placements and influences, ordered by stratum.

    `influence` is relative to each stratum's own AUC, as for fixed strata; for a stratum's only
    record of a class, which has no spread, it is relative to the overall AUC. `between` adds the
    variation between strata, for groups as large as strata.
    """

    places: NDArray[np.intp]
    placed: Floats
    influence: Floats
    between: Floats
    degrees: float

    @classmethod
    def of(
        cls,
        chosen: Sequence[NDArray[np.intp]],
        rows: Sequence[Floats],
        owns: Sequence[float],
        share: Sequence[float],
        value: float,
    ) -> "_Side":
        """The side from its strata."""
        influence, between = [], []
        for row, own, weight in zip(rows, owns, share, strict=True):
            centre = own if row.size > 1 else value
            influence.append(weight * (row - centre) / row.size * math.sqrt(correction(row.size)))
            between.append(weight * (row - value - (own - value) / 2.0) / row.size)
        single = sum(row.size == 1 for row in rows)
        spread = sum(row.size - 1 for row in rows)
        return cls(
            places=np.concatenate(chosen),
            placed=np.concatenate(rows),
            influence=np.concatenate(influence),
            between=np.concatenate(between),
            degrees=max(spread + max(single - 1, 0), 1),
        )


def _fit(
    value: float,
    above: _Side,
    below: _Side,
    groups: tuple[ArrayLike, ArrayLike] | None,
    strata: int,
) -> WithinFit:
    sizes = float(above.placed.size), float(below.placed.size)
    within1, within0 = (float(side.influence @ side.influence) for side in (above, below))
    alone = variance = within1 + within0
    dof1, dof0 = above.degrees, below.degrees
    if groups is not None:
        codes = side_codes(groups)
        covariances = [
            grouped_covariance(above.influence[None], below.influence[None], codes),
            grouped_covariance(above.between[None], below.between[None], codes),
        ]
        a, b, whole = max(covariances, key=lambda addends: float(addends[2][0, 0]))
        within1, within0, variance = float(a[0, 0]), float(b[0, 0]), float(whole[0, 0])
        dof1, dof0 = (max(units - 1.0, 1.0) for units in map(effective_groups, codes))
        design = max(variance / alone, _LEAST_DESIGN) if alone > 0.0 else 1.0
        sizes = max(sizes[0] / design, 1.0), max(sizes[1] / design, 1.0)
    total = within1 + within0
    degrees = min(dof1, dof0)
    if total > 1e-18:
        degrees = total**2 / (within1**2 / dof1 + within0**2 / dof0)
    return WithinFit(
        value=value,
        variance=variance,
        degrees=degrees,
        sides=(above.placed, below.placed),
        sizes=sizes,
        strata=strata,
        grouped=groups is not None,
    )
