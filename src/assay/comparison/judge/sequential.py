"""Sequential evidence: a look after every unit, until there is a verdict.

The order must be random: units are taken in the order drawn before they were run, or in one drawn
now. Otherwise any file sorted by gain would be ratified.

Each question (is the balance up, is a dimension down, is a gated one inside its margin) is a bet
(`stats/betting.py`). A result that was shown once stays shown. The first verdict stands, and later
units are not used.

Dimensions that have not moved yet are not part of the balance: weight on them would only lower the
power. Which have moved is known before each unit, so without any effect the bet is fair.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.comparison.judge.effects import DimensionEffect, Evidence, Tilt, classify
from assay.comparison.judge.table import TrialTable
from assay.comparison.judge.verdict import decide
from assay.comparison.result import Gate, NetVerdict, Settings
from assay.stats.arrays import Floats
from assay.stats.betting import adjusted, ever, log_capital, lower_bounds


@dataclass(frozen=True, kw_only=True)
class _Course:
    """After each unit: capital for and against, dimension by dimension, and the balance's."""

    gaps: Floats
    means: tuple[Floats, Floats]
    up: Floats
    down: Floats
    inside: NDArray[np.bool_]
    safe: NDArray[np.bool_]
    spotless: NDArray[np.bool_]
    tilt_up: Floats
    tilt_down: Floats


def watch(table: TrialTable, settings: Settings) -> Evidence:
    """The evidence at the first verdict, or of all units if there was none."""
    sides = table.kept.in_order(*table.values, seed=settings.seed)
    units = len(sides[0])
    if not table.counting or not units:
        return Evidence(dimensions=(), tilt=None, units=units)
    course = _course(table, *sides, settings.level)
    strict = settings.plan.strict_gates
    for unit in _turning_points(course, table.weights, settings.level, table.kept.round):
        evidence = _after(course, table, unit, settings)
        if decide(evidence, strict_gates=strict)[0] is not NetVerdict.INCONCLUSIVE:
            return _after(course, table, unit, settings, decided=True)
    return _after(course, table, units - 1, settings, final=True)


def _course(table: TrialTable, first: Floats, second: Floats, level: float) -> _Course:
    alpha = 1.0 - level
    gaps = second - first
    scores = (1.0 + gaps) / 2.0
    margins = np.array([dimension.scaled_margin for dimension in table.counting])
    over = log_capital(scores, (1.0 - margins) / 2.0)
    under = log_capital(1.0 - scores, (1.0 - margins) / 2.0)
    shown = math.log(1.0 / alpha)
    ideals = [dimension.scaled_ideal for dimension in table.counting]
    reached = second >= np.array([np.inf if x is None else x for x in ideals]) - 1e-12
    tilt = ((1.0 + _balance(gaps, table.weights)) / 2.0)[:, None]
    counts = np.arange(1, len(gaps) + 1)[:, None]
    return _Course(
        gaps=gaps,
        means=(np.cumsum(first, axis=0) / counts, np.cumsum(second, axis=0) / counts),
        up=ever(adjusted(log_capital(scores, 0.5))),
        down=ever(adjusted(log_capital(1.0 - scores, 0.5))),
        inside=(ever(over) >= shown) & (ever(under) >= shown),
        safe=ever(over) >= shown,
        spotless=np.minimum.accumulate(reached, axis=0),
        tilt_up=ever(log_capital(tilt, 0.5))[:, 0],
        tilt_down=ever(log_capital(1.0 - tilt, 0.5))[:, 0],
    )


def _balance(gaps: Floats, weights: Floats) -> Floats:
    """Each unit's weighted mean over the dimensions that moved before it; at first over all."""
    moved = np.maximum.accumulate(np.abs(gaps) > 1e-12, axis=0)
    before = np.vstack([np.zeros((1, gaps.shape[1]), dtype=bool), moved[:-1]])
    part = np.where(before.any(axis=1, keepdims=True), before, True) * weights
    return np.asarray((gaps * part).sum(axis=1) / part.sum(axis=1))


def _turning_points(course: _Course, weights: Floats, level: float, every: int) -> list[int]:
    """The units at which something is newly shown, a spot appears, or a mean changes its sign.

    Looks are taken at the ends of rounds over the instances. There a bet is fair even if the change
    helps some instances and hurts others, since a product of factors with mean 1 is at most 1.
    Inside a round, the first instances would decide for all.
    """
    target = math.log(2.0 / (1.0 - level))
    gaps = course.means[1] - course.means[0]
    seen = np.concatenate([gaps, (gaps @ weights)[:, None]], axis=1)
    tilts = np.stack([course.tilt_up, course.tilt_down], axis=1) >= target
    states = np.concatenate(
        [
            course.up >= target,
            course.down >= target,
            course.inside,
            course.safe,
            course.spotless,
            tilts,
            seen > 0.0,
            seen < 0.0,
        ],
        axis=1,
    )
    ends = np.arange(every - 1, len(states), every)
    looks = states[ends]
    changed = (looks[1:] != looks[:-1]).any(axis=1)
    return [int(unit) for unit in ends[np.concatenate([[0], np.flatnonzero(changed) + 1])]]


def _after(
    course: _Course,
    table: TrialTable,
    unit: int,
    settings: Settings,
    *,
    decided: bool = False,
    final: bool = False,
) -> Evidence:
    """The evidence after a unit; intervals only if they will be shown."""
    alpha = 1.0 - settings.level
    target = math.log(2.0 / alpha)
    bounds = _bounds(course.gaps[: unit + 1], alpha) if decided or final else None
    effects = []
    for index, dimension in enumerate(table.counting):
        means = (float(course.means[0][unit, index]), float(course.means[1][unit, index]))
        up, down = float(course.up[unit, index]), float(course.down[unit, index])
        delta = means[1] - means[0]
        is_shown = (up >= target and delta > 0.0) or (down >= target and delta < 0.0)
        gate = None
        if dimension.gated:
            gate = Gate.SPOTLESS if course.spotless[unit, index] else Gate.DOUBT
            gate = Gate.SHOWN if course.safe[unit, index] else gate
        effects.append(
            DimensionEffect(
                dimension=dimension,
                baseline=means[0],
                candidate=means[1],
                delta=delta,
                low=None if bounds is None else float(bounds[0][index]),
                high=None if bounds is None else float(bounds[1][index]),
                p=_p(max(up, down)),
                change=classify(
                    dimension, means, equivalent=bool(course.inside[unit, index]), shown=is_shown
                ),
                gate=gate,
            )
        )
    return Evidence(
        dimensions=effects,
        tilt=_tilt(course, table, unit, target),
        units=unit + 1,
        decided_at=unit + 1 if decided else None,
        looked=True,
        whole=len(course.gaps),
    )


def _tilt(course: _Course, table: TrialTable, unit: int, target: float) -> Tilt:
    mean_gaps = course.gaps[: unit + 1].mean(axis=0)
    value = float(mean_gaps @ table.weights / table.weights.sum())
    up, down = float(course.tilt_up[unit]), float(course.tilt_down[unit])
    is_shown = (up >= target and value > 0.0) or (down >= target and value < 0.0)
    return Tilt(value=value, low=None, high=None, p=_p(max(up, down)), shown=is_shown)


def _bounds(gaps: Floats, alpha: float) -> tuple[Floats, Floats]:
    """The confidence sequence of each dimension's difference, as it stands."""
    scores = (1.0 + gaps) / 2.0
    low = 2.0 * lower_bounds(scores, alpha / 2.0) - 1.0
    high = 1.0 - 2.0 * lower_bounds(1.0 - scores, alpha / 2.0)
    return low, high


def _p(log_capital_: float) -> float:
    """Two-sided: both directions were bet on."""
    return min(1.0, 2.0 * math.exp(-log_capital_)) if log_capital_ > 0.0 else 1.0
