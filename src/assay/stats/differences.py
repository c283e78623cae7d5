"""Mean differences between two sides, with intervals that stay valid if nothing varies.

Ten successes of ten on both sides do not show that the sides are equal, but a standard interval
would have no width. So made-up units are added, as Agresti and Caffo (2000) do for two shares and
Bonett and Price (2012) for paired ones: one pair that went up and one that went down, or in each
arm one score at either end. With many runs this changes nothing; with few it widens the interval.

How far the made-up units move depends on the data. If units moved by equal steps (right or wrong,
grades), or none moved against the others, the data do not show how far a unit might fall, and the
made-up units move by the whole range. If no two moved equally and several moved against the others,
the data show it, and they move by the largest move seen, so that they do not drown scores that move
by hundredths. In between it is a mixture, weighted by the share of pairs of units that moved
equally, or by one in (1 + n) squared for n units that moved against the others.

This suits a two-sided interval but is too optimistic for a one-sided bound: rare losses are seen
too seldom, and a bound at -5 % would be wrong one time in ten. So a lower bound uses one and a
quarter made-up losses, and as many made-up gains as there really were gains, at most as many as
losses; an upper bound the reverse. For rare losses the bound then agrees with the exact binomial
bound (if no pair differs, 61 pairs rule out a loss of 5 %; the exact number is 59); if gains and
losses are common, both kinds are added equally.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.bounds import SMALLEST_ERROR
from assay.stats.arrays import Floats
from assay.stats.quantiles import normal_quantile, normal_tail, t_quantile, t_tail

_COMPANY = 1.25
ALIKE = 0.01
"""Moves count as equal if they differ by less than this share of the largest."""
_MadeUp = tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class MeanDifference:
    """A mean difference and its uncertainty.

    `centre` and `error` give the interval, by the normal distribution or, with `df`, Student's.
    `floor` and `ceiling` are the same for a one-sided lower and upper bound, if they differ, and
    `narrow` for a lower bound that holds if no unit moves further than any unit did. `lean` is the
    skewness of the mean: if a few units fall far and the others rise a little, a mean above 0 is
    more often luck than its error suggests (not if all moves are equal, as for right and wrong: a
    mean of 0 is symmetric then). `reach` is how far made-up units move for the bounds, `units` the
    number averaged over, `spread` the standard deviation of one unit.
    """

    value: float
    centre: float
    error: float
    df: float | None
    units: int
    floor: tuple[float, float] | None = None
    ceiling: tuple[float, float] | None = None
    narrow: tuple[float, float] | None = None
    lean: float = 0.0
    reach: float = 1.0

    def interval(self, level: float) -> tuple[float, float]:
        """The two-sided interval at a level."""
        return self.within(self.quantile((1.0 + level) / 2.0))

    def within(self, errors: float) -> tuple[float, float]:
        """The interval of so many standard errors to either side, wider on the side of the skew."""
        low, high = (self._stretched(errors, lean) for lean in (-self.lean, self.lean))
        return self.centre - self.error * low, self.centre + self.error * high

    @property
    def statistic(self) -> float:
        """The largest number of standard errors for which `within` excludes 0, with its sign.

        For a skewed mean it solves a quadratic equation: `within` adds the first term of
        Edgeworth's expansion of a studentised mean.
        """
        if self.error <= 0.0:
            return 0.0
        size = abs(self.centre) / self.error
        lean = max(-self.lean if self.centre > 0.0 else self.lean, 0.0) / 6.0
        if lean > 1e-9:
            size = max(math.sqrt(max(1.0 + 8.0 * lean * (size - lean), 0.0)) - 1.0, 0.0)
            size /= 4.0 * lean
        return math.copysign(size, self.centre)

    @staticmethod
    def _stretched(errors: float, lean: float) -> float:
        return errors + max(lean, 0.0) * (2.0 * errors**2 + 1.0) / 6.0

    def p_value(self) -> float:
        """The two-sided p-value, by the normal distribution or Student's."""
        size = abs(self.statistic)
        return 2.0 * (normal_tail(size) if self.df is None else t_tail(size, self.df))

    def lower(self, alpha: float, *, narrow: bool = False) -> float:
        """The one-sided lower bound that errs with probability alpha."""
        if narrow:
            if self.narrow is None:
                return -math.inf
            return self.narrow[0] - self.narrow[1] * self.quantile(1.0 - alpha)
        quantile = self.quantile(1.0 - alpha)
        centre, error = self.floor or (self.centre, self.error)
        return min(self.within(quantile)[0], centre - error * quantile)

    def upper(self, alpha: float) -> float:
        """The one-sided upper bound that errs with probability alpha."""
        quantile = self.quantile(1.0 - alpha)
        centre, error = self.ceiling or (self.centre, self.error)
        return max(self.within(quantile)[1], centre + error * quantile)

    @property
    def spread(self) -> float:
        """The standard deviation of one unit, as the interval implies."""
        return self.error * math.sqrt(self.units)

    def quantile(self, p: float) -> float:
        """The quantile of the normal distribution, or of Student's."""
        return normal_quantile(p) if self.df is None else t_quantile(p, self.df)


def paired(differences: Floats, *, whole: float | None) -> MeanDifference | None:
    """The mean of paired differences, one a unit.

    `whole` is the furthest that a unit can move: the range of the scores for a pair of runs, less
    for a unit that is the mean of several. Without it no units are made up; if nothing varies then,
    there is no interval and the result is None.
    """
    units, value = differences.size, float(differences.mean())
    if whole is None:
        error = float(differences.std(ddof=1)) / math.sqrt(units) if units > 1 else 0.0
        if error <= max(1e-12 * abs(value), SMALLEST_ERROR):
            return None
        return MeanDifference(value=value, centre=value, error=error, df=units - 1.0, units=units)
    reach = reach_of(differences, whole)
    centre, error = _with(differences, ((-reach, 1.0), (reach, 1.0)))
    steps = np.abs(differences[differences != 0.0])
    uneven = steps.size and float(steps.max() - steps.min()) > 1e-9
    lean = _skewness(*_moments(differences, differences.mean())) if uneven else 0.0
    bare = MeanDifference(value=value, centre=centre, error=error, df=None, units=units, lean=lean)
    return _bounded(bare, differences, reach)


def _moments(values: Floats, means: Floats) -> tuple[float, float]:
    """Variance and third central moment of a mean."""
    away, count = values - means, values.size
    return float(np.square(away).mean()) / count, float((away**3).mean()) / count**2


def _skewness(variance: float, third: float) -> float:
    return third / variance**1.5 if variance > 1e-18 else 0.0


def reach_of(differences: Floats, whole: float) -> float:
    """How far made-up units move, from how many moved equally and how many against the others."""
    largest = float(np.abs(differences).max())
    unknown = unknown_share(_share_alike(differences, largest), _against(differences, largest))
    return unknown * whole + (1.0 - unknown) * min(largest, whole)


def _against(values: Floats, size: float) -> int:
    """The number of values on the side of 0 that has fewer, without those nearly 0."""
    return min(int((values > ALIKE * size).sum()), int((values < -ALIKE * size).sum()))


def unknown_share(alike: float, against: int) -> float:
    """From 0 to 1, how little the data show of how far a unit can move."""
    return max(alike, 1.0 / (1.0 + against) ** 2)


def _share_alike(values: Floats, size: float) -> float:
    """The share of pairs of values that are nearly equal, relative to `size`."""
    count = values.size
    if count < 2:
        return 1.0
    in_order = np.sort(values)
    ends = np.searchsorted(in_order, in_order + ALIKE * size + 1e-12, side="right")
    return float((ends - np.arange(count) - 1).sum()) / (count * (count - 1) / 2.0)


def _bounded(difference: MeanDifference, differences: Floats, reach: float) -> MeanDifference:
    """Add the one-sided bounds; the narrow one assumes no larger moves than were seen."""
    largest = float(np.abs(differences).max())
    is_nearer = 0.0 < largest < reach - 1e-9
    return replace(
        difference,
        floor=_with(differences, _losses(differences, reach)),
        ceiling=_with(differences, _losses(differences, -reach)),
        narrow=_with(differences, _losses(differences, largest)) if is_nearer else None,
        reach=reach,
    )


def _losses(differences: Floats, reach: float) -> _MadeUp:
    """The made-up units of a lower bound; with a negative reach, of an upper one."""
    gained = float(np.maximum(differences / reach, 0.0).sum())
    return (-reach, _COMPANY), (reach, min(gained, _COMPANY))


def _with(differences: Floats, made_up: _MadeUp) -> tuple[float, float]:
    """The mean and its standard error with made-up differences (and their counts) added."""
    units = differences.size + sum(count for _, count in made_up)
    centre = (float(differences.sum()) + sum(score * count for score, count in made_up)) / units
    squares = float(np.square(differences - centre).sum())
    squares += sum(count * (score - centre) ** 2 for score, count in made_up)
    return centre, math.sqrt(squares / (units - 1.0) / units)


def share_lower(up: NDArray[np.intp], down: NDArray[np.intp], pairs: int, alpha: float) -> Floats:
    """The lower bound of `paired` for counts of pairs of 0/1 scores that went up and down."""

    def bound(losses: float, gains: Floats) -> Floats:
        total = pairs + losses + gains
        mean = (up - down - losses + gains) / total
        squares = up + down + losses + gains - total * np.square(mean)
        error = np.sqrt(squares / (total - 1.0) / total)
        return np.asarray(mean - normal_quantile(1.0 - alpha) * error)

    even = bound(1.0, np.ones(up.size))
    return np.minimum(even, bound(_COMPANY, np.minimum(up.astype(np.float64), _COMPANY)))


def clustered(differences: Floats, *, runs: float) -> MeanDifference:
    """The mean of differences by Student's t, each the mean of several runs of one instance.

    A mean of several runs moves less. But a whole instance can be lost, however many runs it has,
    which a one-sided bound must allow for.
    """
    difference = paired(differences, whole=1.0 / math.sqrt(runs))
    assert difference is not None  # noqa: S101 - made-up units always vary
    whole = reach_of(differences, 1.0)
    return _bounded(replace(difference, df=differences.size + 1.0), differences, whole)


def unpaired(
    values: Floats,
    second: NDArray[np.bool_],
    strata: NDArray[np.intp],
    *,
    ends: tuple[float, float] | None,
) -> MeanDifference | None:
    """The mean over strata of the second side's mean minus the first's, for independent runs.

    `ends` are the least and the greatest possible score. Each side gets one made-up score at either
    end, or nearer to the data if no two scores are equal, spread evenly over the strata.
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
        if error <= max(1e-12 * abs(value), SMALLEST_ERROR):
            return None
        df = error**4 / sum(side.error2**2 / side.df for side in sides)
        return MeanDifference(value=value, centre=value, error=error, df=df, units=units)
    seen = float(values.min()), float(values.max())
    width = seen[1] - seen[0]
    means = [float(values[second == flag].mean()) for flag in (False, True)]
    near = [
        _arm_ends(values[second == flag], means[not flag], ends, seen) for flag in (False, True)
    ]

    def bound(
        ends: Sequence[tuple[float, float]], turned: tuple[bool, bool]
    ) -> tuple[float, float]:
        """A bound with made-up scores at the lower end of each side, or at the upper if turned."""
        company = [
            _company(values[second == flag], own[::-1] if turn else own)
            for flag, own, turn in zip((False, True), ends, turned, strict=True)
        ]
        return arms(*company)[:2]

    centre, error, _ = arms(*(((low, 1.0), (high, 1.0)) for low, high in near))
    reach = max(high - low for low, high in near)
    lean = _arms_lean(values, second, strata)
    return replace(
        MeanDifference(value=value, centre=centre, error=error, df=None, units=units, lean=lean),
        floor=bound(near, (True, False)),
        ceiling=bound(near, (False, True)),
        narrow=bound((seen, seen), (True, False)) if 0.0 < width < reach - 1e-9 else None,
        reach=reach,
    )


def _arm_ends(
    values: Floats, other: float, ends: tuple[float, float], seen: tuple[float, float]
) -> tuple[float, float]:
    """The values of a side's made-up scores; `other` is the mean of the other side."""
    size = seen[1] - seen[0]
    unknown = unknown_share(_share_alike(values, size), _against(values - other, size))
    low, high = (
        unknown * end + (1.0 - unknown) * min(max(at, ends[0]), ends[1])
        for end, at in zip(ends, seen, strict=True)
    )
    return low, high


def _arms_lean(values: Floats, second: NDArray[np.bool_], strata: NDArray[np.intp]) -> float:
    """The skewness of the difference, from deviations from the means of the strata."""
    if ((values == values.min()) | (values == values.max())).all():
        return 0.0
    moments = []
    for rows in (~second, second):
        own, cells = values[rows], strata[rows]
        means = np.bincount(cells, weights=own) / np.maximum(np.bincount(cells), 1)
        moments.append(_moments(own, means[cells]))
    return _skewness(moments[0][0] + moments[1][0], moments[1][1] - moments[0][1])


def _company(values: Floats, ends: tuple[float, float]) -> _MadeUp:
    """Made-up scores at the first end, and as many at the other as the data have there."""
    opposite = float(np.abs((values - ends[0]) / (ends[1] - ends[0])).sum())
    return (ends[0], _COMPANY), (ends[1], min(opposite, _COMPANY))


@dataclass(frozen=True, kw_only=True)
class _Arm:
    mean: float
    error2: float
    df: float


def _arm(values: Floats, strata: NDArray[np.intp], cells: int, made_up: _MadeUp) -> _Arm:
    """One side's mean over the strata, with made-up scores (and counts) shared among the strata.

    Each stratum has its own variance, since a few runs of a variable stratum weigh more than many
    runs of a constant one; a stratum with a single run uses the pooled variance.
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
