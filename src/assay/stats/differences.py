"""Mean differences between two sides, with intervals that stay honest where nothing varies.

Ten runs out of ten on both sides do not show that the sides are the same: a usual interval would
have no width there. So scores with known ends are given the company of made-up ones, as Agresti
and Caffo (2000) do for two shares and Bonett and Price (2012) for paired ones: one pair that went
wholly one way and one that went wholly the other, or in each arm one score at either end. With
many runs that changes nothing; with few it says how little is known.

That company is fair to an interval with two ends, and too kind to a bound with one: losses that are
rare are seen too seldom, and a bound at -5 % would be wrong one time in ten. So a lower bound has
one and a quarter made-up losses for company, and of gains only as many as there really were, up to
the same; an upper bound the other way round. Rare losses then come out as by the exact binomial
bound (where no pair differs, 61 rule out a loss of 5 %, and exactly 59 would do), and where gains
and losses are common the company is even.
"""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Floats
from assay.stats.quantiles import normal_quantile, t_quantile

_COMPANY = 1.25
_MadeUp = tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class MeanDifference:
    """A mean difference, and how far it can be trusted.

    `centre` and `error` make the interval, by the normal distribution or, with `df`, by Student's;
    `floor` and `ceiling` are the same for a lower and an upper bound alone, where they differ.
    `units` is what was averaged over, `spread` what one unit varies by.
    """

    value: float
    centre: float
    error: float
    df: float | None
    units: int
    floor: tuple[float, float] | None = None
    ceiling: tuple[float, float] | None = None

    def interval(self, level: float) -> tuple[float, float]:
        """The two-sided interval at a level."""
        reach = self.error * self._quantile((1.0 + level) / 2.0)
        return self.centre - reach, self.centre + reach

    def lower(self, alpha: float) -> float:
        """The one-sided lower bound that errs with probability alpha."""
        pairs = (self.centre, self.error), self.floor or (self.centre, self.error)
        return min(centre - error * self._quantile(1.0 - alpha) for centre, error in pairs)

    def upper(self, alpha: float) -> float:
        """The one-sided upper bound that errs with probability alpha."""
        pairs = (self.centre, self.error), self.ceiling or (self.centre, self.error)
        return max(centre + error * self._quantile(1.0 - alpha) for centre, error in pairs)

    @property
    def spread(self) -> float:
        """What one unit varies by, as far as the interval knows."""
        return self.error * math.sqrt(self.units)

    def _quantile(self, p: float) -> float:
        return normal_quantile(p) if self.df is None else t_quantile(p, self.df)


def paired(differences: Floats, *, reach: float | None) -> MeanDifference | None:
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
        return MeanDifference(value=value, centre=value, error=error, df=units - 1.0, units=units)
    centre, error = _with(differences, ((-reach, 1.0), (reach, 1.0)))
    return replace(
        MeanDifference(value=value, centre=centre, error=error, df=None, units=units),
        floor=_with(differences, _losses(differences, reach)),
        ceiling=_with(differences, _losses(differences, -reach)),
    )


def _losses(differences: Floats, reach: float) -> _MadeUp:
    """Company for a lower bound; with a negative reach, for an upper one."""
    gained = float(np.maximum(differences / reach, 0.0).sum())
    return (-reach, _COMPANY), (reach, min(gained, _COMPANY))


def _with(differences: Floats, made_up: _MadeUp) -> tuple[float, float]:
    """The mean and its standard error, made-up differences (and how many) among the others."""
    units = differences.size + sum(count for _, count in made_up)
    centre = (float(differences.sum()) + sum(score * count for score, count in made_up)) / units
    squares = float(np.square(differences - centre).sum())
    squares += sum(count * (score - centre) ** 2 for score, count in made_up)
    return centre, math.sqrt(squares / (units - 1.0) / units)


def share_lower(up: NDArray[np.intp], down: NDArray[np.intp], pairs: int, alpha: float) -> Floats:
    """The lower bound of `paired`, for so many pairs of 0/1 scores that went up and down."""

    def bound(losses: float, gains: Floats) -> Floats:
        total = pairs + losses + gains
        mean = (up - down - losses + gains) / total
        squares = up + down + losses + gains - total * np.square(mean)
        error = np.sqrt(squares / (total - 1.0) / total)
        return np.asarray(mean - normal_quantile(1.0 - alpha) * error)

    even = bound(1.0, np.ones(up.size))
    return np.minimum(even, bound(_COMPANY, np.minimum(up.astype(np.float64), _COMPANY)))


def clustered(
    differences: Floats, *, reach: float | None, whole: float | None = None
) -> MeanDifference | None:
    """The mean of differences, each the mean of several runs of one instance, by Student's t.

    `whole` is how far a whole instance can be lost, which is what a bound alone has to reckon with,
    however many runs of it there are; `reach` where nothing else is said.
    """
    difference = paired(differences, reach=reach)
    if difference is None or reach is None:
        return difference
    far = reach if whole is None else whole
    return replace(
        difference,
        df=differences.size + 1.0,
        floor=_with(differences, _losses(differences, far)),
        ceiling=_with(differences, _losses(differences, -far)),
    )


def unpaired(
    values: Floats,
    second: NDArray[np.bool_],
    strata: NDArray[np.intp],
    *,
    ends: tuple[float, float] | None,
) -> MeanDifference | None:
    """The mean over strata of the second side's mean less the first's, runs being independent.

    `ends` are the least and the greatest score, of which each side gets one of each, spread evenly
    over the strata.
    """
    cells = int(strata.max()) + 1

    def arms(*made_up: _MadeUp) -> tuple[float, float, list[_Arm]]:
        sides = [
            _arm(values[second == flag], strata[second == flag], cells, company)
            for flag, company in zip((False, True), made_up, strict=True)
        ]
        error = math.sqrt(sides[0].error2 + sides[1].error2)
        return sides[1].mean - sides[0].mean, error, sides

    value, error, sides = arms((), ())
    units = min(int((~second).sum()), int(second.sum()))
    if ends is None:
        if error <= 1e-12 * max(abs(value), 1e-300):
            return None
        df = error**4 / sum(side.error2**2 / side.df for side in sides)
        return MeanDifference(value=value, centre=value, error=error, df=df, units=units)
    both = ((ends[0], 1.0), (ends[1], 1.0))
    low = [_company(values[second == flag], ends) for flag in (False, True)]
    high = [_company(values[second == flag], ends[::-1]) for flag in (False, True)]
    centre, error, _ = arms(both, both)
    return replace(
        MeanDifference(value=value, centre=centre, error=error, df=None, units=units),
        floor=arms(high[0], low[1])[:2],
        ceiling=arms(low[0], high[1])[:2],
    )


def _company(values: Floats, ends: tuple[float, float]) -> _MadeUp:
    """Made-up scores at the first end, and as many at the other as are really there."""
    opposite = float(np.abs((values - ends[0]) / (ends[1] - ends[0])).sum())
    return (ends[0], _COMPANY), (ends[1], min(opposite, _COMPANY))


@dataclass(frozen=True, kw_only=True)
class _Arm:
    mean: float
    error2: float
    df: float


def _arm(values: Floats, strata: NDArray[np.intp], cells: int, made_up: _MadeUp) -> _Arm:
    """One side's mean over the strata, with made-up scores (and how many), a share in each stratum.

    Each stratum has a variance of its own, since a few runs of one that varies weigh more than many
    runs of one that does not; a single run has what the others have together.
    """
    counts = np.bincount(strata, minlength=cells).astype(np.float64)
    sums = np.bincount(strata, weights=values, minlength=cells)
    many = sum(count for _, count in made_up) / cells
    padded = counts + many
    means = (sums + sum(score * count for score, count in made_up) / cells) / padded
    away = np.square(values - means[strata])
    squares: Floats = np.bincount(strata, weights=away, minlength=cells).astype(np.float64)
    for score, count in made_up:
        squares = squares + count / cells * np.square(score - means)
    free = padded - 1.0
    pooled = float(squares.sum()) / max(float(free.sum()), 1.0)
    known = free > 1e-9
    variances = np.where(known, squares / np.where(known, free, 1.0), pooled)
    parts = variances / padded / cells**2
    error2 = float(parts.sum())
    rough = float((np.square(parts) / np.maximum(free, 1.0)).sum())
    df = error2**2 / rough if rough > 0.0 else max(float(free.sum()), 1.0)
    return _Arm(mean=float(means.mean()), error2=error2, df=df)
