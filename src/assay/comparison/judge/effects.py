"""What the differences show: for each dimension an interval, a p-value and a class; a balance.

One rule decides what is shown; interval and p-value are two views of it. Each difference is tested
by resampling twice: as it is, and studentised with made-up units added (`stats/differences.py`);
the studentised one also against the normal distribution. The p-value is the largest of the three,
the interval the widest. All dimensions are resampled together, and p-values are corrected for all
of them (step-down maximum), so related dimensions are not separate proofs. The balance is one more
such difference.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

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
    """A scaled dimension: means, the difference with its interval, and its class."""

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
        """Whether its gate is in doubt; `strict` gates need the margin shown."""
        return self.gate is Gate.DOUBT or (strict and self.gate in (Gate.SPOTLESS, Gate.NARROW))


@dataclass(frozen=True, kw_only=True)
class Tilt:
    """The balance of all dimensions that count, and whether it is shown to be up or down."""

    value: float
    low: float | None
    high: float | None
    p: float
    shown: bool
    difference: MeanDifference | None = None


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """All the evidence behind a verdict.

    `looked` says that it was sequential, unit by unit; `whole` is the number of units available.
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
    alpha = 1.0 - settings.level
    each, balance = resampled.split(len(dimensions))
    tested = judge_differences(by_dimension[:-1], each, settings.level)
    spotless = _spotless(table)
    effects = []
    for index, (dimension, test) in enumerate(zip(dimensions, tested, strict=True)):
        means = (float(first[index]), float(second[index]))
        difference, margin = by_dimension[index], dimension.scaled_margin
        inside = difference.lower(alpha) > -margin
        effects.append(
            DimensionEffect(
                dimension=dimension,
                baseline=means[0],
                candidate=means[1],
                delta=difference.value,
                low=max(test.low, -1.0),
                high=min(test.high, 1.0),
                p=test.p,
                change=classify(
                    dimension,
                    means,
                    equivalent=inside and difference.upper(alpha) < margin,
                    shown=test.shown,
                ),
                gate=_gate(dimension, difference, alpha, spotless[index]),
                difference=difference,
            )
        )
    overall = by_dimension[-1]
    (test,) = judge_differences([overall], balance, settings.level)
    if len(effects) == 1:  # the balance of one dimension is that dimension
        (test,), overall = tested, by_dimension[0]
    tilt = Tilt(
        value=overall.value,
        low=max(test.low, -1.0),
        high=min(test.high, 1.0),
        p=test.p,
        shown=test.shown,
        difference=overall,
    )
    return Evidence(dimensions=effects, tilt=tilt, units=kept.units)


class Tested(NamedTuple):
    """A difference with its p-value and interval; the interval excludes 0 if it is shown."""

    p: float
    low: float
    high: float
    shown: bool


def judge_differences(
    by_dimension: Sequence[MeanDifference], resampled: Resampled, level: float
) -> list[Tested]:
    """Test all differences together by resampling."""
    alpha = 1.0 - level
    among = resampled.as_if(np.array([difference.statistic for difference in by_dimension]))
    p_values = np.maximum(resampled.adjusted(), among.adjusted())
    tests = []
    for difference, observed, p, bare, own in zip(
        by_dimension,
        resampled.observed.tolist(),
        p_values.tolist(),
        resampled.critical(alpha).tolist(),
        among.critical(alpha).tolist(),
        strict=True,
    ):
        agree = observed * difference.value > 0.0
        p = max(p, difference.p_value()) if agree else 1.0
        shown = p <= alpha
        errors = max(difference.quantile(1.0 - alpha / 2.0), own)
        low, high = difference.within(errors)
        half = abs(difference.centre) if not shown else 0.0
        if agree and math.isfinite(bare):
            half = max(half, abs(difference.centre) * bare / abs(observed))
        low, high = min(low, difference.centre - half), max(high, difference.centre + half)
        tests.append(Tested(p=p, low=low, high=high, shown=shown))
    return tests


def _compared(
    table: TrialTable, settings: Settings
) -> tuple[Floats, Floats, list[MeanDifference], Resampled]:
    """Means of both sides, each dimension's difference, and all resampled together."""
    kept, how = table.kept, {"draws": settings.resamples, "seed": settings.seed}
    weights = table.weights / table.weights.sum()
    sides = tuple(np.column_stack([values, values @ weights]) for values in table.values)
    plain = kept.design.unit != "instance" and _are_shares(table)
    if kept.design.unit == "run":
        values, flags, strata = kept.stacked(*sides)
        *columns, joint = values.T
        half = _joint_width(values[:, :-1] - values[:, :-1].mean(axis=0), weights) / 2.0
        ends = (float(joint.mean()) - half, float(joint.mean()) + half)
        balance = differences.unpaired(joint, flags, strata, ends=None if plain else ends)
        by_dimension = [
            *(differences.unpaired(column, flags, strata, ends=(0.0, 1.0)) for column in columns),
            balance or differences.unpaired(joint, flags, strata, ends=ends),
        ]
        resampled = shuffle_labels(values, flags, strata, **how)
        first, second = stratum_means(values, flags, strata)
    else:
        one, other = kept.sides(*sides)
        first, second = one.mean(axis=0), other.mean(axis=0)
        *columns, joint = (other - one).T
        runs = kept.runs_a_unit
        width = _joint_width((other - one)[:, :-1], weights) / math.sqrt(runs)
        balance = differences.paired(joint, whole=None if plain else width)
        by_dimension = [
            *(
                differences.paired(column, whole=1.0)
                if kept.design.unit == "pair"
                else differences.clustered(column, runs=runs)
                for column in columns
            ),
            balance or differences.paired(joint, whole=width),
        ]
        one, other = kept.evened().sides(*sides)
        resampled = flip_signs(other - one, **how)
    known = list(map(_known, by_dimension))
    df = len(joint) + 1.0 if kept.design.unit == "instance" else None
    return first, second, [*known[:-1], replace(known[-1], df=df)], resampled


def _are_shares(table: TrialTable) -> bool:
    """Whether every dimension has only two values, such as right and wrong.

    Equal rates have equal distributions, so resampling alone is an exact test of them.
    """
    both = np.concatenate(table.values)
    ends = (both.min(axis=0), both.max(axis=0))
    return bool(((both == ends[0]) | (both == ends[1])).all())


def _joint_width(columns: Floats, weights: Floats) -> float:
    """The largest change of the weighted mean, if each column that moved changes by its range.

    Columns that moved together do so again; others add less. If none moved, any may.
    """
    sizes = np.sqrt(np.square(columns).sum(axis=0))
    if not sizes.any():
        return 1.0
    scaled = columns / np.where(sizes > 0.0, sizes, 1.0)
    alike = np.maximum(scaled.T @ scaled, 0.0)
    return float(math.sqrt(weights @ alike @ weights))


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


def classify(
    dimension: Dimension, means: tuple[float, float], *, equivalent: bool, shown: bool
) -> Change:
    """The class of a dimension's change, from what is shown."""
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


def _gate(
    dimension: Dimension, difference: MeanDifference, alpha: float, spotless: bool
) -> Gate | None:
    if not dimension.gated:
        return None
    margin = dimension.scaled_margin
    if difference.lower(alpha) > -margin:
        return Gate.SHOWN
    if spotless:
        return Gate.SPOTLESS
    return Gate.NARROW if difference.lower(alpha, narrow=True) > -margin else Gate.DOUBT
