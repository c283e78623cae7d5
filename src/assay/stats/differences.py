"""Mean differences between two sides, with intervals that stay honest where nothing varies.

Ten runs out of ten on both sides do not show that the sides are the same: a usual interval would
have no width there. So scores with known ends are given the company of made-up ones, as Agresti
and Caffo (2000) do for two shares and Bonett and Price (2012) for paired ones: one pair that went
wholly one way and one that went wholly the other, or in each arm one score at either end. With
many runs that changes nothing; with few it says how little is known.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Floats
from assay.stats.quantiles import normal_quantile, t_quantile


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A mean difference, and how far it can be trusted.

    `centre` and `error` make the interval, by the normal distribution or, with `df`, by Student's.
    `units` is what was averaged over, `spread` what one unit varies by.
    """

    value: float
    centre: float
    error: float
    df: float | None
    units: int

    def interval(self, level: float) -> tuple[float, float]:
        """The two-sided interval at a level."""
        reach = self.error * self._quantile((1.0 + level) / 2.0)
        return self.centre - reach, self.centre + reach

    def lower(self, alpha: float) -> float:
        """The one-sided lower bound that errs with probability alpha."""
        return self.interval(1.0 - 2.0 * alpha)[0]

    @property
    def spread(self) -> float:
        """What one unit varies by, as far as the interval knows."""
        return self.error * math.sqrt(self.units)

    def _quantile(self, p: float) -> float:
        return normal_quantile(p) if self.df is None else t_quantile(p, self.df)


def paired(differences: Floats, *, reach: float | None) -> Difference | None:
    """The mean of paired differences, one a unit.

    `reach` is how far a made-up unit lies to either side: the whole range of the scores for a pair
    of runs, and less of it for a unit that is the mean of several. Without one nothing is made up,
    and where nothing varies then there is no interval.
    """
    units, value = differences.size, float(differences.mean())
    if reach is None:
        error = float(differences.std(ddof=1)) / math.sqrt(units) if units > 1 else 0.0
        if error <= 1e-12 * max(abs(value), 1e-300):
            return None
        return Difference(value=value, centre=value, error=error, df=units - 1.0, units=units)
    padded = units + 2
    centre = float(differences.sum()) / padded
    squares = float(np.square(differences - centre).sum())
    squares += (reach - centre) ** 2 + (reach + centre) ** 2
    error = math.sqrt(squares) / padded
    return Difference(value=value, centre=centre, error=error, df=None, units=units)


def clustered(differences: Floats, *, reach: float | None) -> Difference | None:
    """The mean of differences, each the mean of several runs of one instance, by Student's t."""
    found = paired(differences, reach=reach)
    if found is None or reach is None:
        return found
    return Difference(
        value=found.value,
        centre=found.centre,
        error=found.error,
        df=differences.size + 1.0,
        units=found.units,
    )


def unpaired(
    values: Floats,
    second: NDArray[np.bool_],
    strata: NDArray[np.intp],
    *,
    ends: tuple[float, float] | None,
) -> Difference | None:
    """The mean over strata of the second side's mean less the first's, runs being independent.

    Each side's variance is pooled over the strata. `ends` are the least and the greatest score, of
    which each side gets one of each, spread evenly over the strata.
    """
    cells = int(strata.max()) + 1
    sides = [
        _arm(values[second == flag], strata[second == flag], cells, ends) for flag in (False, True)
    ]
    value = sides[1].raw - sides[0].raw
    centre = sides[1].mean - sides[0].mean
    error = math.sqrt(sides[0].error2 + sides[1].error2)
    if error <= 1e-12 * max(abs(value), 1e-300):
        return None
    units = min(int((~second).sum()), int(second.sum()))
    df = None
    if ends is None:
        df = error**4 / sum(side.error2**2 / side.df for side in sides)
    return Difference(value=value, centre=centre, error=error, df=df, units=units)


@dataclass(frozen=True, kw_only=True)
class _Arm:
    raw: float
    mean: float
    error2: float
    df: float


def _arm(
    values: Floats, strata: NDArray[np.intp], cells: int, ends: tuple[float, float] | None
) -> _Arm:
    counts = np.bincount(strata, minlength=cells).astype(np.float64)
    sums = np.bincount(strata, weights=values, minlength=cells)
    raw = float((sums / counts).mean())
    weight = 0.0 if ends is None else 1.0 / cells
    low, high = (0.0, 0.0) if ends is None else ends
    padded = counts + 2.0 * weight
    means = (sums + weight * (low + high)) / padded
    squares = float(np.square(values - means[strata]).sum())
    squares += weight * float((np.square(low - means) + np.square(high - means)).sum())
    df = max(float(padded.sum()) - cells, 1.0)
    spread2 = squares / (df if ends is None else df + 1.0)
    error2 = spread2 * float((1.0 / padded).sum()) / cells**2
    return _Arm(raw=raw, mean=float(means.mean()), error2=error2, df=df)
