"""Weighed dimensions as they are told: each on its own scale and in its own direction."""

from assay.comparison.judge.effects import Evidence, Weighed
from assay.comparison.result import Balance, DimensionResult, Gate
from assay.comparison.spec import Dimension


def result_of(one: Weighed, units: int) -> DimensionResult:
    """A dimension that counts, scaled back."""
    dimension = one.dimension
    assert dimension.range is not None  # noqa: S101 - it counts
    up = dimension.better == "higher"
    turn = dimension.width if up else -dimension.width
    base = dimension.range[0] if up else dimension.range[1]
    ends = [None if end is None else end * turn for end in (one.low, one.high)]
    low, high = ends if up else ends[::-1]
    return DimensionResult(
        name=dimension.name,
        gated=dimension.gated,
        counts=True,
        better=dimension.better,
        ideal=dimension.ideal,
        margin=dimension.margin,
        baseline=base + turn * one.baseline,
        candidate=base + turn * one.candidate,
        delta=turn * one.delta,
        low=low,
        high=high,
        p=one.p,
        cls=one.change,
        gate=one.gate,
        n=units,
    )


def untold(dimension: Dimension, n: int = 0) -> DimensionResult:
    """A dimension of which nothing can be told."""
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
    tilt = evidence.tilt
    if tilt is None:
        return None
    return Balance(value=tilt.value, low=tilt.low, high=tilt.high, p=tilt.p)
