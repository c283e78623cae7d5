"""Trials as numbers, nothing dropped in silence: missing values and crashed runs by stated policy.

Dimensions that count are turned and scaled, so that 0 is the worst and 1 the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.comparison.judge.caveats import Notes
from assay.comparison.judge.pairing import By, Design, KeptUnits, arrange
from assay.comparison.spec import Dimension, Dimensions
from assay.errors import SpecError
from assay.logs.trial import Trial
from assay.stats.arrays import Floats
from assay.wording import counted

_SIDES = ("baseline", "candidate")


@dataclass(frozen=True, kw_only=True)
class TrialTable:
    """What can be compared: units, and each side's rows of the dimensions that count.

    `values` are scaled; `others` are dimensions that decide nothing, as they were given, with NaN
    where a value is missing. `untold` are dimensions that count and cannot be compared, `included`
    the rows that no policy leaves out.
    """

    kept: KeptUnits
    counting: tuple[Dimension, ...]
    values: tuple[Floats, Floats]
    others: tuple[Dimension, ...]
    raw: tuple[Floats, Floats]
    untold: tuple[Dimension, ...]
    included: tuple[NDArray[np.bool_], NDArray[np.bool_]]


def tabulate(
    baseline: Sequence[Trial],
    candidate: Sequence[Trial],
    plan: Dimensions,
    notes: Notes,
    *,
    by: By = "auto",
    whole_pairs: bool = False,
) -> TrialTable:
    """Apply the policies, say what they did, and arrange what is left.

    `by` says what the unit is, where that is settled beforehand. With `whole_pairs` pairs stay
    pairs, however little alike they are.
    """
    design = arrange(baseline, candidate, by)
    _note_crashed(baseline, candidate, plan, notes)
    if any(design.lost):
        _note_lost(design, baseline, candidate, plan, notes)
        if plan.crashed == "fail":
            baseline = [*baseline, *(_failed(candidate[row]) for row in design.lost[1])]
            candidate = [*candidate, *(_failed(baseline[row]) for row in design.lost[0])]
            design = arrange(baseline, candidate, by)
    sides = (baseline, candidate)
    crashed = tuple(np.array([one.crashed for one in side], dtype=bool) for side in sides)
    left_out = [
        flags.copy() if plan.crashed != "fail" else np.zeros_like(flags) for flags in crashed
    ]
    for side, rows in enumerate(design.lost):
        left_out[side][list(rows)] = True
    counting, untold, columns = [], [], []
    settled = [flags.copy() for flags in left_out]
    for one in (d for d in plan.dimensions if d.counts):
        column = tuple(_scaled(side, one) for side in sides)
        column = _without_crashed(column, crashed, plan)
        if _comparable(one, column, settled, plan, notes):
            counting.append(one)
            columns.append(_settle(column, left_out, plan))
        elif one.gated or not _is_absent(column, settled):
            untold.append(one)
    values = _side_by_side(columns, sides)
    if columns and not whole_pairs:
        weights = np.array([one.weight for one in counting])
        left = design.keep(~left_out[0], ~left_out[1]).pairs
        design = design.loosened(values[0] @ weights, values[1] @ weights, left)
    kept = design.keep(~left_out[0], ~left_out[1])
    others = tuple(d for d in plan.dimensions if not d.counts)
    return TrialTable(
        kept=kept,
        counting=tuple(counting),
        values=values,
        others=others,
        raw=_side_by_side([tuple(_raw(side, d.name) for side in sides) for d in others], sides),
        untold=tuple(untold),
        included=(~left_out[0], ~left_out[1]),
    )


def _side_by_side(
    columns: Sequence[tuple[Floats, ...]], sides: tuple[Sequence[Trial], ...]
) -> tuple[Floats, Floats]:
    empty = [np.empty((len(side), 0)) for side in sides]
    if not columns:
        return empty[0], empty[1]
    return (
        np.stack([column[0] for column in columns], axis=1),
        np.stack([column[1] for column in columns], axis=1),
    )


def _raw(side: Sequence[Trial], name: str) -> Floats:
    found = [one.dimensions.get(name) for one in side]
    return np.array([np.nan if value is None else value for value in found], dtype=np.float64)


def _scaled(side: Sequence[Trial], dimension: Dimension) -> Floats:
    values = _raw(side, dimension.name)
    assert dimension.range is not None  # noqa: S101 - what counts has a range
    low, high = dimension.range
    outside = np.flatnonzero((values < low) | (values > high))
    if outside.size:
        one = side[int(outside[0])]
        raise SpecError(
            f"{one.place}: {dimension.name:.80} is {values[outside[0]]:g}, outside its range of"
            f" {low:g} to {high:g}",
            hint=f"Say its range: [dimensions.{dimension.name}] range = [LOW, HIGH], by `config=`.",
        )
    shares = (values - low) / (high - low)
    return shares if dimension.better == "higher" else 1.0 - shares


def _without_crashed(
    column: tuple[Floats, ...], crashed: tuple[NDArray[np.bool_], ...], plan: Dimensions
) -> tuple[Floats, ...]:
    """Crashed runs at the worst, where that is the policy; their other values count for nothing."""
    worst = 0.0 if plan.crashed == "fail" else np.nan
    return tuple(
        np.where(flags, worst, values) for values, flags in zip(column, crashed, strict=True)
    )


def _comparable(
    dimension: Dimension,
    column: tuple[Floats, ...],
    left_out: Sequence[NDArray[np.bool_]],
    plan: Dimensions,
    notes: Notes,
) -> bool:
    """Whether a dimension has values to compare, and what is to be said about those it lacks."""
    gaps = [np.isnan(values) & ~out for values, out in zip(column, left_out, strict=True)]
    totals = [int((~out).sum()) for out in left_out]
    missing = [int(gap.sum()) for gap in gaps]
    if not any(missing):
        return True
    whole = [gone == total for gone, total in zip(missing, totals, strict=True)]
    if all(whole) and not dimension.gated:
        notes.add("absent", f"{dimension.name}.")
        return False
    said = " and ".join(
        f"{gone} of {total} of the {side}"
        for side, gone, total in zip(_SIDES, missing, totals, strict=True)
        if gone
    )
    if any(whole):
        gated = ", which is gated" if dimension.gated else ""
        words = "No value of that side is a number."
        notes.add("missing", f"{dimension.name}{gated}: {said}. {words}", blocking=True)
        return False
    policy = {
        None: "Say what they are: --missing fail, or --missing exclude.",
        "fail": "They count as the worst value.",
        "exclude": "Those runs are left out.",
    }[plan.missing]
    notes.add("missing", f"{dimension.name}: {said}. {policy}", blocking=plan.missing is None)
    return True


def _is_absent(column: tuple[Floats, ...], left_out: Sequence[NDArray[np.bool_]]) -> bool:
    """Whether neither side has a value."""
    return all(
        bool(np.isnan(values[~out]).all()) for values, out in zip(column, left_out, strict=True)
    )


def _settle(
    column: tuple[Floats, ...], left_out: Sequence[NDArray[np.bool_]], plan: Dimensions
) -> tuple[Floats, ...]:
    """Missing values as the policy has them; runs to be left out are marked."""
    settled = []
    for values, out in zip(column, left_out, strict=True):
        gaps = np.isnan(values)
        if plan.missing != "fail":
            out |= gaps
        settled.append(np.where(gaps, 0.0, values))
    return tuple(settled)


def _note_crashed(
    baseline: Sequence[Trial], candidate: Sequence[Trial], plan: Dimensions, notes: Notes
) -> None:
    counts = [sum(one.crashed for one in side) for side in (baseline, candidate)]
    said = " and ".join(
        f"{count} of {len(trials)} of the {side}"
        for side, trials, count in zip(_SIDES, (baseline, candidate), counts, strict=True)
        if count
    )
    if said:
        notes.add("crashed", f"{said}. {_crash_policy(plan)}", blocking=plan.crashed is None)


def _note_lost(
    design: Design,
    baseline: Sequence[Trial],
    candidate: Sequence[Trial],
    plan: Dimensions,
    notes: Notes,
) -> None:
    for side, trials, rows in zip(_SIDES, (baseline, candidate), design.lost, strict=True):
        if rows:
            one = trials[rows[0]]
            which = one.place + (", ..." if len(rows) > 1 else "")
            notes.add(
                "crashed",
                f"Only the {side} has {counted(len(rows), 'run')} ({which}). {_crash_policy(plan)}",
                blocking=plan.crashed is None,
            )


def _crash_policy(plan: Dimensions) -> str:
    return {
        None: "Say what they count as: --crashed fail, or --crashed exclude.",
        "fail": "They count as the worst value.",
        "exclude": "They are left out.",
    }[plan.crashed]


def _failed(twin: Trial) -> Trial:
    """The run that ought to pair with this one and is not there."""
    return Trial(instance=twin.instance, trial=twin.trial, dimensions={}, crashed=True)
