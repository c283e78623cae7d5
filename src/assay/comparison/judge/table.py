"""Trials as a table of numbers, with policies applied to missing values and crashed runs.

Dimensions that count are scaled so that 0 is the worst and 1 the best.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.comparison.judge.caveats import Notes
from assay.comparison.judge.lost_runs import FailedTwin, failed_twin
from assay.comparison.judge.pairing import Design, KeptUnits, UnitChoice, arrange
from assay.comparison.judge.redundant import redundant
from assay.comparison.plan_text import dimension_lines
from assay.comparison.spec import Dimension, Dimensions
from assay.errors import SpecError
from assay.logs.trial import Trial
from assay.stats.arrays import Floats
from assay.wording import counted

_SIDES = ("baseline", "candidate")
_FAIL = "They count as the worst value."


@dataclass(frozen=True, kw_only=True)
class TrialTable:
    """The units, and each side's rows of the dimensions.

    `values` are the scaled values of `counting`; `raw` are the values of `others`, which are only
    reported. A missing value is NaN. `incomparable` are dimensions that count but cannot be
    compared, `included` the rows that no policy leaves out.
    """

    kept: KeptUnits
    counting: tuple[Dimension, ...]
    values: tuple[Floats, Floats]
    others: tuple[Dimension, ...]
    raw: tuple[Floats, Floats]
    incomparable: tuple[Dimension, ...]
    included: tuple[NDArray[np.bool_], NDArray[np.bool_]]

    @property
    def weights(self) -> Floats:
        """The weights of the dimensions that count."""
        return np.array([dimension.weight for dimension in self.counting])


def tabulate(
    baseline: Sequence[Trial],
    candidate: Sequence[Trial],
    plan: Dimensions,
    notes: Notes,
    *,
    unit: UnitChoice = "auto",
    whole_pairs: bool = False,
    assumed: bool = False,
) -> TrialTable:
    """Apply the policies, note their effects, and arrange the remaining rows.

    Without a policy in the plan, lost runs are left out.

    With `whole_pairs`, pairs stay pairs even if they are uncorrelated. `assumed` says that the
    dimensions were taken from the columns.
    """
    design = arrange(baseline, candidate, unit)
    _note_crashed(baseline, candidate, plan, notes)
    if any(design.lost):
        _note_lost(design, baseline, candidate, plan, notes)
        if plan.crashed == "fail":
            baseline = [*baseline, *(failed_twin(candidate[row]) for row in design.lost[1])]
            candidate = [*candidate, *(failed_twin(baseline[row]) for row in design.lost[0])]
            design = arrange(baseline, candidate, unit)
    sides = (baseline, candidate)
    crashed = tuple(np.array([trial.crashed for trial in side], dtype=bool) for side in sides)
    fails = plan.crashed == "fail"
    left_out = [np.zeros_like(flags) if fails else flags.copy() for flags in crashed]
    for side, rows in enumerate(design.lost):
        left_out[side][list(rows)] = True
    counting, incomparable, columns = [], [], []
    settled = [flags.copy() for flags in left_out]
    for dimension in (dimension for dimension in plan.dimensions if dimension.counts):
        # Values of crashed runs count for nothing; by policy the runs are at the worst.
        column = tuple(
            np.where(flags, 0.0 if fails else np.nan, _scaled(side, dimension))
            for side, flags in zip(sides, crashed, strict=True)
        )
        if _comparable(dimension, column, settled, plan, notes):
            counting.append(dimension)
            columns.append(_settle(column, left_out, plan))
        elif dimension.gated or not _is_absent(column, settled):
            incomparable.append(dimension)
    values = _side_by_side(columns, sides)
    included = (~left_out[0], ~left_out[1])
    if reasons := _redundant(counting, values, design, included, assumed=assumed):
        notes.add("columns-left-out", f"{'; '.join(reasons.values())}.")
        own = [at for at in range(len(counting)) if at not in reasons]
        counting = [counting[at] for at in own]
        values = (values[0][:, own], values[1][:, own])
    if counting and not whole_pairs:
        weights = np.array([dimension.weight for dimension in counting])
        left = design.keep(*included).pairs
        design = design.loosened(values[0] @ weights, values[1] @ weights, left)
    others = tuple(dimension for dimension in plan.dimensions if not dimension.counts)
    raw = [tuple(_raw(side, dimension.name) for side in sides) for dimension in others]
    return TrialTable(
        kept=design.keep(*included),
        counting=tuple(counting),
        values=values,
        others=others,
        raw=_side_by_side(raw, sides),
        incomparable=tuple(incomparable),
        included=included,
    )


def _redundant(
    counting: Sequence[Dimension],
    values: tuple[Floats, Floats],
    design: Design,
    included: tuple[NDArray[np.bool_], NDArray[np.bool_]],
    *,
    assumed: bool,
) -> dict[int, str]:
    """Which of the columns that count add no evidence of their own."""
    rows = [values[side][included[side]] for side in (0, 1)]
    codes = [design.codes[side][included[side]] for side in (0, 1)]
    return redundant(counting, np.concatenate(rows), np.concatenate(codes), assumed=assumed)


def _side_by_side(
    columns: Sequence[tuple[Floats, ...]], sides: tuple[Sequence[Trial], ...]
) -> tuple[Floats, Floats]:
    stacked = [
        np.stack([column[at] for column in columns], axis=1)
        if columns
        else np.empty((len(side), 0))
        for at, side in enumerate(sides)
    ]
    return stacked[0], stacked[1]


def _raw(side: Sequence[Trial], name: str) -> Floats:
    values = [trial.dimensions.get(name) for trial in side]
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _scaled(side: Sequence[Trial], dimension: Dimension) -> Floats:
    values = _raw(side, dimension.name)
    assert dimension.range is not None  # noqa: S101 - what counts has a range
    low, high = dimension.range
    outside = np.flatnonzero((values < low) | (values > high))
    if outside.size:
        value, place = values[outside[0]], side[int(outside[0])].place
        raise SpecError(
            f"{place}: {dimension.name:.80} is {value:g}, outside its range of {low:g} to {high:g}",
            details=dimension_lines(dimension.name, values[~np.isnan(values)].tolist()),
            hint="Set it in a plan, `config=PLAN`: the lines above, as they fit. A measure without"
            " a highest value takes a bound that no run exceeds; the margin is a twentieth of the"
            " range unless it is stated.",
        )
    shares = (values - low) / (high - low)
    return shares if dimension.better == "higher" else 1.0 - shares


def _comparable(
    dimension: Dimension,
    column: tuple[Floats, ...],
    left_out: Sequence[NDArray[np.bool_]],
    plan: Dimensions,
    notes: Notes,
) -> bool:
    """Whether a dimension has values to compare; notes those it lacks."""
    gaps = [np.isnan(values) & ~out for values, out in zip(column, left_out, strict=True)]
    totals = [int((~out).sum()) for out in left_out]
    missing = [int(gap.sum()) for gap in gaps]
    if not any(missing):
        return True
    whole = [gone == total for gone, total in zip(missing, totals, strict=True)]
    if all(whole) and not dimension.gated:
        notes.add("absent", f"{dimension.name}.")
        return False
    counts = _counts(missing, totals)
    if any(whole):
        gated = ", which is gated" if dimension.gated else ""
        words = "No value of that side is a number."
        notes.add("missing", f"{dimension.name}{gated}: {counts}. {words}", blocking=True)
        return False
    policy = _FAIL if plan.missing == "fail" else "Those runs are left out."
    notes.add("missing", f"{dimension.name}: {counts}. {policy}")
    return True


def _is_absent(column: tuple[Floats, ...], left_out: Sequence[NDArray[np.bool_]]) -> bool:
    """Whether neither side has a value."""
    return all(
        bool(np.isnan(values[~out]).all()) for values, out in zip(column, left_out, strict=True)
    )


def _settle(
    column: tuple[Floats, ...], left_out: Sequence[NDArray[np.bool_]], plan: Dimensions
) -> tuple[Floats, ...]:
    """Fill in missing values by policy; marks the runs to be left out."""
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
    """Count the runs that crashed, apart from those that are missing and noted already."""
    made = [[trial for trial in side if not isinstance(trial, FailedTwin)]
            for side in (baseline, candidate)]  # fmt: skip
    counts = _counts([sum(trial.crashed for trial in side) for side in made], [*map(len, made)])
    if counts:
        notes.add("crashed", f"Crashed: {counts}. {_crash_policy(plan)}")
    elif sum(map(len, made)) < len(baseline) + len(candidate):
        notes.add("crashed", _crash_policy(plan))


def _counts(parts: Sequence[int], totals: Sequence[int]) -> str:
    """The number of runs on each side that has any."""
    return " and ".join(
        f"{part} of the {side}'s {counted(total, 'run')}"
        for side, part, total in zip(_SIDES, parts, totals, strict=True)
        if part
    )


def _note_lost(
    design: Design,
    baseline: Sequence[Trial],
    candidate: Sequence[Trial],
    plan: Dimensions,
    notes: Notes,
) -> None:
    for side, trials, rows in zip(_SIDES, (baseline, candidate), design.lost, strict=True):
        if rows:
            which = trials[rows[0]].place + (", ..." if len(rows) > 1 else "")
            lost = f"Only the {side} has {counted(len(rows), 'run')} ({which})."
            notes.add("crashed", f"{lost} {_crash_policy(plan)}")


def _crash_policy(plan: Dimensions) -> str:
    return _FAIL if plan.crashed == "fail" else "They are left out."
