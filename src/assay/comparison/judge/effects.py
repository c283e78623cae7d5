"""What the differences show: for each dimension an interval, a p-value and a class; a balance.

Every p-value of a dimension holds for all of them together (the step-down maximum under joint
resampling), so that related dimensions are no separate proof. The balance is tested by the sum of
the standardised differences, which sees a small gain in many.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.comparison.judge.table import TrialTable
from assay.comparison.result import BETTER, WORSE, Change, Gate, Settings
from assay.comparison.spec import Dimension
from assay.stats import differences
from assay.stats.arrays import Floats
from assay.stats.differences import MeanDifference
from assay.stats.permutation import Resampled, flip_signs, shuffle_labels


@dataclass(frozen=True, kw_only=True)
class DimensionEffect:
    """A dimension in its scaled form: means, the difference with its interval, and what it is."""

    dimension: Dimension
    baseline: float
    candidate: float
    delta: float
    low: float | None
    high: float | None
    p: float
    change: Change
    gate: Gate | None
    difference: MeanDifference | None = None

    def in_doubt(self, *, strict: bool) -> bool:
        """Whether its gate is in doubt; `strict` gates do not accept a spotless record."""
        return self.gate is Gate.DOUBT or (strict and self.gate is Gate.SPOTLESS)


@dataclass(frozen=True, kw_only=True)
class Tilt:
    """The balance of all dimensions that count, and whether it is shown to tilt."""

    value: float
    low: float | None
    high: float | None
    p: float
    shown: bool
    difference: MeanDifference | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Everything that a verdict rests on.

    `looked` says that it was looked at unit by unit, and `whole` how many there were to look at.
    """

    dimensions: Sequence[DimensionEffect]
    tilt: Tilt | None
    units: int
    decided_at: int | None = None
    looked: bool = False
    whole: int = 0

    @property
    def better(self) -> list[DimensionEffect]:
        """Dimensions shown better."""
        return [effect for effect in self.dimensions if effect.change in BETTER]

    @property
    def worse(self) -> list[DimensionEffect]:
        """Dimensions shown worse."""
        return [effect for effect in self.dimensions if effect.change in WORSE]


def weigh(table: TrialTable, settings: Settings) -> Evidence:
    """The evidence of all runs at once."""
    kept, dimensions = table.kept, table.counting
    if not dimensions or not kept.units:
        return Evidence(dimensions=(), tilt=None, units=kept.units)
    first, second, by_dimension, resampled = _compared(table, settings)
    weights = table.weights / table.weights.sum()
    adjusted = resampled.adjusted()
    alpha = 1.0 - settings.level
    spotless = _spotless(table)
    effects = []
    for index, (dimension, difference) in enumerate(zip(dimensions, by_dimension, strict=True)):
        means = (float(first[index]), float(second[index]))
        low, high = difference.interval(settings.level)
        floor, ceiling = difference.lower(alpha), difference.upper(alpha)
        margin = dimension.scaled_margin
        apart = low > 0.0 or high < 0.0
        agree = float(resampled.observed[index]) * difference.value > 0.0
        is_shown = adjusted[index] <= alpha and apart and agree
        effects.append(
            DimensionEffect(
                dimension=dimension,
                baseline=means[0],
                candidate=means[1],
                delta=difference.value,
                low=max(low, -1.0),
                high=min(high, 1.0),
                p=float(adjusted[index]),
                change=classify(
                    dimension,
                    means,
                    equivalent=-margin < floor and ceiling < margin,
                    shown=is_shown,
                ),
                gate=_gate(dimension, floor > -margin, spotless[index]),
                difference=difference,
            )
        )
    tilt = _tilt(table, weights, resampled, alpha, settings.level)
    if len(effects) == 1:  # the balance of one dimension is that dimension
        (only,) = effects
        shown = only.change not in (Change.UNCLEAR, Change.EQUIVALENT)
        tilt = replace(tilt, low=only.low, high=only.high, p=only.p, shown=shown)
    return Evidence(dimensions=effects, tilt=tilt, units=kept.units)


def _compared(
    table: TrialTable, settings: Settings
) -> tuple[Floats, Floats, list[MeanDifference], Resampled]:
    """Means of both sides, each dimension's difference, and all resampled together."""
    kept, how = table.kept, {"draws": settings.resamples, "seed": settings.seed}
    if kept.design.unit == "run":
        values, flags, strata = kept.stacked(*table.values)
        by_dimension = [
            _known(differences.unpaired(column, flags, strata, ends=(0.0, 1.0)))
            for column in values.T
        ]
        resampled = shuffle_labels(values, flags, strata, **how)
        return *stratum_means(values, flags, strata), by_dimension, resampled
    first, second = kept.sides(*table.values)
    gaps = second - first
    if kept.design.unit == "pair":
        by_dimension = [_known(differences.paired(column, reach=1.0)) for column in gaps.T]
    else:
        reach = 1.0 / math.sqrt(kept.runs_a_unit)
        by_dimension = [
            _known(differences.clustered(column, reach=reach, whole=1.0)) for column in gaps.T
        ]
    first_even, second_even = kept.evened().sides(*table.values)
    resampled = flip_signs(second_even - first_even, **how)
    return first.mean(axis=0), second.mean(axis=0), by_dimension, resampled


def stratum_means(
    values: Floats, flags: NDArray[np.bool_], strata: NDArray[np.intp]
) -> tuple[Floats, Floats]:
    """For each side, the mean over strata of each column's mean inside a stratum."""
    sides = []
    for chosen in (~flags, flags):
        counts = np.bincount(strata[chosen], minlength=int(strata.max()) + 1)
        sums = [
            np.bincount(strata[chosen], weights=column, minlength=counts.size)
            for column in values[chosen].T
        ]
        sides.append(np.array([(column / counts).mean() for column in sums]))
    return sides[0], sides[1]


def _known(difference: MeanDifference | None) -> MeanDifference:
    assert difference is not None  # noqa: S101 - with made-up units something always varies
    return difference


def _tilt(
    table: TrialTable, weights: Floats, resampled: Resampled, alpha: float, level: float
) -> Tilt:
    """The balance of all dimensions.

    Shuffling separates sides of unequal size and unequal spread even where their means are equal,
    so unpaired runs must also differ by their own spread.
    """
    total = resampled.total(weights)
    difference = _balance(table, weights)
    low, high = difference.interval(level)
    p = float(total.p_values()[0])
    agree = float(total.observed[0]) * difference.value > 0.0
    if table.kept.design.unit == "run":
        agree = agree and (low > 0.0 or high < 0.0)
    return Tilt(
        value=difference.value,
        low=max(low, -1.0),
        high=min(high, 1.0),
        p=p,
        shown=p <= alpha and agree,
        difference=difference,
    )


def _balance(table: TrialTable, weights: Floats) -> MeanDifference:
    """The weighted mean difference; where nothing varies, with made-up units."""
    kept = table.kept
    joined = tuple((values @ weights)[:, None] for values in table.values)
    reach = float(np.sqrt(np.square(weights).sum()))
    if kept.design.unit == "run":
        values, flags, strata = kept.stacked(*joined)
        ends = (0.5 - reach / 2.0, 0.5 + reach / 2.0)
        return differences.unpaired(values[:, 0], flags, strata, ends=None) or _known(
            differences.unpaired(values[:, 0], flags, strata, ends=ends)
        )
    first, second = kept.sides(*joined)
    gaps = (second - first)[:, 0]
    return differences.paired(gaps, reach=None) or _known(
        differences.paired(gaps, reach=reach / math.sqrt(kept.runs_a_unit))
    )


def classify(
    dimension: Dimension, means: tuple[float, float], *, equivalent: bool, shown: bool
) -> Change:
    """What happened to a dimension, from what is shown of it."""
    if equivalent:
        return Change.EQUIVALENT
    if not shown:
        return Change.UNCLEAR
    baseline, candidate = means
    margin, ideal = dimension.scaled_margin, dimension.scaled_ideal
    at_ideal = [ideal is not None and abs(mean - ideal) <= margin for mean in means]
    if candidate > baseline:
        return Change.REPAIR if at_ideal[1] and not at_ideal[0] else Change.IMPROVEMENT
    return Change.REGRESSION if at_ideal[0] and not at_ideal[1] else Change.DECLINE


def _spotless(table: TrialTable) -> list[bool]:
    """For each dimension, whether every run of the candidate reached the ideal."""
    kept = table.kept
    rows = kept.pairs[:, 1] if kept.design.unit == "pair" else kept.rows[1]
    return [
        ideal is not None and bool((table.values[1][rows, index] >= ideal - 1e-12).all())
        for index, ideal in enumerate(dimension.scaled_ideal for dimension in table.counting)
    ]


def _gate(dimension: Dimension, shown: bool, spotless: bool) -> Gate | None:
    if not dimension.gated:
        return None
    if shown:
        return Gate.SHOWN
    return Gate.SPOTLESS if spotless else Gate.DOUBT
