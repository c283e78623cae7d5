"""Mean differences between two sides, with intervals that stay honest where nothing varies.

Ten runs out of ten on both sides do not show that the sides are the same: a usual interval would
have no width there. So the differences are given the company of made-up ones, as Agresti and Caffo
(2000) do for two shares and Bonett and Price (2012) for paired ones: one pair that went one way and
one that went the other, or in each arm one score at either end. With many runs that changes
nothing; with few it says how little is known.

How far made-up units lie off depends on what was seen. Where units moved alike (right or wrong,
grades, always the same step), or none moved against the others, nothing tells how far one might
fall, and it is the whole range. Where no two moved alike and several moved against the others they
tell it themselves, and it is the largest move: scores that move by hundredths are not drowned.
Between, it is as much of either as there are pairs of units that moved alike, or as one in
(1 + n) squared for n units that moved against the others.

That company is fair to an interval with two ends, and too kind to a bound with one: losses that are
rare are seen too seldom, and a bound at -5 % would be wrong one time in ten. So a lower bound has
one and a quarter made-up losses for company, and of gains only as many as there really were, up to
the same; an upper bound the other way round. Rare losses then come out as by the exact binomial
bound (where no pair differs, 61 rule out a loss of 5 %, and exactly 59 would do), and where gains
and losses are common the company is even.
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
"""Moves are alike where they differ by less than this share of the largest."""
_MadeUp = tuple[tuple[float, float], ...]


@dataclass(frozen=True, kw_only=True)
class MeanDifference:
    """A mean difference, and how far it can be trusted.

    `centre` and `error` make the interval, by the normal distribution or, with `df`, by Student's;
    `floor` and `ceiling` are the same for a lower and an upper bound alone, where they differ, and
    `narrow` for a lower bound that holds if no unit loses more than was seen to be won or lost.
    `lean` is the skewness of the mean: where a few units fall far and the others rise a little, a
    mean over 0 is more often luck than its error says (not where all that move move equally far, as
    right and wrong do: a mean of 0 is symmetric there). `reach` is how far off made-up units lie
    for its bounds, `units` what was averaged over, `spread` what one unit varies by.
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
        """The interval of so many errors to either side, and more where it leans."""
        low, high = (self._stretched(errors, lean) for lean in (-self.lean, self.lean))
        return self.centre - self.error * low, self.centre + self.error * high

    @property
    def statistic(self) -> float:
        """The largest number of errors with which `within` leaves out 0, with its sign.

        For a leaning mean that is the root of a square equation, the first term of Edgeworth's
        expansion of a studentised mean being what `within` adds.
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
        """Two-sided, by the distribution that it is held against."""
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
        """What one unit varies by, as far as the interval knows."""
        return self.error * math.sqrt(self.units)

    def quantile(self, p: float) -> float:
        """The quantile of the distribution that it is held against."""
        return normal_quantile(p) if self.df is None else t_quantile(p, self.df)


def paired(differences: Floats, *, whole: float | None) -> MeanDifference | None:
    """The mean of paired differences, one a unit.

    `whole` is the furthest that a unit can move: the range of the scores for a pair of runs, and
    less of it for a unit that is the mean of several. Without one nothing is made up, and where
    nothing varies then there is no interval.
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
    """How far off made-up units lie, by how many moved alike and how many against the others."""
    largest = float(np.abs(differences).max())
    unknown = unknown_share(_share_alike(differences, largest), _against(differences, largest))
    return unknown * whole + (1.0 - unknown) * min(largest, whole)


def _against(values: Floats, size: float) -> int:
    """How many lie on the side of 0 where fewer do, not counting those nearly at it."""
    return min(int((values > ALIKE * size).sum()), int((values < -ALIKE * size).sum()))


def unknown_share(alike: float, against: int) -> float:
    """How little was seen of how far units go."""
    return max(alike, 1.0 / (1.0 + against) ** 2)


def _share_alike(values: Floats, size: float) -> float:
    """The share of pairs of values that are nearly the same, as seen beside this size."""
    count = values.size
    if count < 2:
        return 1.0
    in_order = np.sort(values)
    ends = np.searchsorted(in_order, in_order + ALIKE * size + 1e-12, side="right")
    return float((ends - np.arange(count) - 1).sum()) / (count * (count - 1) / 2.0)


def _bounded(difference: MeanDifference, differences: Floats, reach: float) -> MeanDifference:
    """With bounds of one end; the narrow one reckons with moves as large as were seen."""
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


def clustered(differences: Floats, *, runs: float) -> MeanDifference:
    """The mean of differences, each the mean of so many runs of one instance, by Student's t.

    A unit that is the mean of several runs moves less. But a whole instance can be lost, however
    many runs of it there are, which is what a bound of one end has to reckon with.
    """
    difference = paired(differences, whole=1.0 / math.sqrt(runs))
    assert difference is not None  # noqa: S101 - with made-up units something always varies
    whole = reach_of(differences, 1.0)
    return _bounded(replace(difference, df=differences.size + 1.0), differences, whole)


def unpaired(
    values: Floats,
    second: NDArray[np.bool_],
    strata: NDArray[np.intp],
    *,
    ends: tuple[float, float] | None,
) -> MeanDifference | None:
    """The mean over strata of the second side's mean less the first's, runs being independent.

    `ends` are the least and the greatest score that there can be. Each side gets one made-up score
    at either end, or nearer to what was seen where no two scores are alike, spread evenly over the
    strata.
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
        """Each side with company at its lower end, or at its upper one where turned."""
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
    """Where the made-up scores of a side lie; `other` is the mean of the other side."""
    size = seen[1] - seen[0]
    unknown = unknown_share(_share_alike(values, size), _against(values - other, size))
    low, high = (
        unknown * end + (1.0 - unknown) * min(max(at, ends[0]), ends[1])
        for end, at in zip(ends, seen, strict=True)
    )
    return low, high


def _arms_lean(values: Floats, second: NDArray[np.bool_], strata: NDArray[np.intp]) -> float:
    """The skewness of the difference, each row held against the mean of its stratum."""
    if ((values == values.min()) | (values == values.max())).all():
        return 0.0
    moments = []
    for rows in (~second, second):
        own, cells = values[rows], strata[rows]
        means = np.bincount(cells, weights=own) / np.maximum(np.bincount(cells), 1)
        moments.append(_moments(own, means[cells]))
    return _skewness(moments[0][0] + moments[1][0], moments[1][1] - moments[0][1])


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
