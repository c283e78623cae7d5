"""Results of dimensions, each on its own scale; and which instances flipped.

Costs and columns of unknown direction are not part of the verdict. They have no range, so their
intervals are Student's, and their p-values are not corrected. Runs without a value are left out of
that dimension, as its `n` shows. A sequential comparison reports them without a test.
"""

from collections.abc import Iterator, Sequence

import numpy as np
from msgspec.structs import replace
from numpy.typing import NDArray

from assay.comparison.judge.effects import DimensionEffect, Evidence, stratum_means
from assay.comparison.judge.table import TrialTable
from assay.comparison.result import Balance, Change, DimensionResult, Flip, Gate, Settings
from assay.comparison.spec import Dimension
from assay.stats import differences
from assay.stats.differences import MeanDifference
from assay.stats.permutation import flip_signs, shuffle_labels

_NEAR = 1e-9


def result_of(effect: DimensionEffect, units: int) -> DimensionResult:
    """A dimension that counts, scaled back."""
    dimension = effect.dimension
    assert dimension.range is not None  # noqa: S101 - it counts
    up = dimension.better == "higher"
    turn = dimension.width if up else -dimension.width
    base = dimension.range[0] if up else dimension.range[1]
    ends = [None if end is None else end * turn for end in (effect.low, effect.high)]
    low, high = ends if up else ends[::-1]
    return replace(
        empty_result(dimension, units),
        baseline=base + turn * effect.baseline,
        candidate=base + turn * effect.candidate,
        delta=turn * effect.delta,
        low=low,
        high=high,
        p=effect.p,
        cls=effect.change,
        gate=effect.gate,
    )


def empty_result(dimension: Dimension, n: int = 0) -> DimensionResult:
    """A dimension without figures."""
    return DimensionResult(
        name=dimension.name,
        gated=dimension.gated,
        counts=dimension.counts,
        better=dimension.better,
        ideal=dimension.ideal,
        margin=dimension.margin,
        baseline=None,
        candidate=None,
        delta=None,
        low=None,
        high=None,
        p=None,
        cls=None,
        gate=Gate.DOUBT if dimension.gated else None,
        n=n,
    )


def balance_of(evidence: Evidence) -> Balance | None:
    """The balance of all dimensions that count, if there are any."""
    if (tilt := evidence.tilt) is None:
        return None
    return Balance(value=tilt.value, low=tilt.low, high=tilt.high, p=tilt.p)


def compare_costs(table: TrialTable, settings: Settings) -> list[DimensionResult]:
    """Each of them on both sides; those of the same runs are resampled together."""
    groups: dict[bytes, list[int]] = {}
    for index in range(len(table.others)):
        groups.setdefault(b"".join(rows.tobytes() for rows in _present(table, index)), []).append(
            index
        )
    found = {
        index: result
        for indices in groups.values()
        for index, result in zip(indices, _costs(table, indices, settings), strict=True)
    }
    return [found[index] for index in range(len(table.others))]


def _present(table: TrialTable, index: int) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """The rows of each side that have a value and are not left out."""
    first, second = (
        rows & ~np.isnan(values[:, index])
        for rows, values in zip(table.included, table.raw, strict=True)
    )
    return first, second


def _costs(
    table: TrialTable, indices: Sequence[int], settings: Settings
) -> Iterator[DimensionResult]:
    """Dimensions that the same runs have values of."""
    kept = table.kept.design.keep(*_present(table, indices[0]))
    if not kept.units:
        yield from (empty_result(table.others[index]) for index in indices)
        return
    columns = tuple(values[:, list(indices)] for values in table.raw)
    how = {"draws": settings.resamples, "seed": settings.seed}
    if kept.design.unit == "run":
        values, flags, strata = kept.stacked(*columns)
        by_column = [differences.unpaired(each, flags, strata, ends=None) for each in values.T]
        means = stratum_means(values, flags, strata)
    else:
        sides = kept.sides(*columns)
        by_column = [differences.paired(each, whole=None) for each in (sides[1] - sides[0]).T]
        means = sides[0].mean(axis=0), sides[1].mean(axis=0)
    p_values = [None] * len(indices)
    if not settings.sequential:  # a test of fixed size is not valid under looking
        resampled = (
            shuffle_labels(values, flags, strata, **how)
            if kept.design.unit == "run"
            else flip_signs(np.subtract(*kept.evened().sides(*columns)[::-1]), **how)
        )
        agree = resampled.observed * (means[1] - means[0]) > 0.0
        p_values = np.where(agree, resampled.p_values(), 1.0).tolist()
    for place, index in enumerate(indices):
        before, after = float(means[0][place]), float(means[1][place])
        described = replace(
            empty_result(table.others[index], kept.units), baseline=before, candidate=after
        )
        yield _tested(described, by_column[place], p_values[place], settings.level)


def _tested(
    described: DimensionResult, difference: MeanDifference | None, p: float | None, level: float
) -> DimensionResult:
    """A cost with its difference, and its class if it was tested.

    Resampling and the interval test it, and both must show it: the p-value is the larger one, and
    the interval of what is not shown includes 0. They may differ where runs lack a value, since
    resampling uses as many runs of an instance on both sides.
    """
    baseline, candidate = described.baseline, described.candidate
    assert baseline is not None and candidate is not None  # noqa: S101 - it has values
    delta = candidate - baseline if difference is None else difference.value
    if p is None:
        return replace(described, delta=delta)
    low, high = None, None
    if difference is not None:  # differences that are all the same have no interval
        p = max(p, difference.p_value())
        low, high = difference.interval(level)
        if p > 1.0 - level:
            low, high = min(low, 0.0), max(high, 0.0)
    change = None
    if described.better is not None:
        gained = delta < 0.0 if described.better == "lower" else delta > 0.0
        shown = delta != 0.0 and p <= 1.0 - level
        change = (Change.IMPROVEMENT if gained else Change.DECLINE) if shown else Change.UNCLEAR
    return replace(described, delta=delta, low=low, high=high, p=p, cls=change)


def find_flips(table: TrialTable) -> tuple[Flip, ...]:
    """Instances where most runs of one side reach the ideal, and most of the other do not."""
    design = table.kept.design
    totals = [
        _counted(table, side, np.ones(len(table.values[side]), dtype=bool)) for side in (0, 1)
    ]
    flips = []
    for index, dimension in enumerate(table.counting):
        ideal = dimension.scaled_ideal
        if ideal is None:
            continue
        at = [
            _counted(table, side, table.values[side][:, index] >= ideal - _NEAR) for side in (0, 1)
        ]
        most = [2 * reached > total for reached, total in zip(at, totals, strict=True)]
        flipped = (most[0] != most[1]) & (totals[0] > 0) & (totals[1] > 0)
        codes = np.flatnonzero(flipped)
        counts = [part[codes].tolist() for part in (at[0], totals[0], at[1], totals[1])]
        flips += [
            Flip(
                instance=design.names[code],
                dimension=dimension.name,
                to="ideal" if 2 * after > runs_after else "short",
                baseline=f"{before}/{runs_before}",
                candidate=f"{after}/{runs_after}",
            )
            for code, before, runs_before, after, runs_after in zip(
                codes.tolist(), *counts, strict=True
            )
        ]
    return tuple(flips)


def _counted(table: TrialTable, side: int, flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many runs of each instance have a flag, of those that no policy leaves out."""
    codes = table.kept.design.codes[side][table.included[side] & flags]
    return np.bincount(codes, minlength=len(table.kept.design.names))
