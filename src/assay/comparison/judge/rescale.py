"""Results of dimensions, each on its own scale and in its own direction."""

from msgspec.structs import replace

from assay.comparison.judge.effects import DimensionEffect, Evidence
from assay.comparison.result import Balance, DimensionResult, Gate
from assay.comparison.spec import Dimension


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
    """All dimensions that count as one, where there are any."""
    if (tilt := evidence.tilt) is None:
        return None
    return Balance(value=tilt.value, low=tilt.low, high=tilt.high, p=tilt.p)
