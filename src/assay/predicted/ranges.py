"""Ranges that are stated before a value is known, and what became of them.

A range is graded by whether it holds the value, and by the interval score (Gneiting & Raftery
2007): its width, plus 2 / (1 - level) times how far the value lies outside. Lower is better, and an
honest range has the best expected score.
"""

import math
from collections.abc import Sequence
from typing import Literal

import msgspec

from assay.errors import SpecError

LEVEL = 0.8
"""How often a range should hold its value, unless it says otherwise."""
Side = Literal["inside", "above", "below"]


class Range(msgspec.Struct, frozen=True, kw_only=True):
    """A metric, its predicted range, and the level of that range."""

    metric: str
    low: float
    high: float
    level: float


class RangeGrade(msgspec.Struct, frozen=True, kw_only=True):
    """A range, the actual value, its side of the range, and the interval score."""

    metric: str
    low: float
    high: float
    level: float
    value: float | None
    where: Side | None
    score: float | None


class RangeGrades(msgspec.Struct, frozen=True, kw_only=True):
    """Every range, how many could be graded and hold, and the mean interval score of these."""

    ranges: tuple[RangeGrade, ...]
    inside: int
    total: int
    score: float | None

    def __str__(self) -> str:
        left = len(self.ranges) - self.total
        score = "" if self.score is None else f", mean interval score {self.score:.3f}"
        more = f"; {left} cannot be told" if left else ""
        return f"predicted ranges: {self.inside} of {self.total} hold{score}{more}"


def check_range(stated: Range, *, least: float, where: str) -> Range:
    """Refuse a range that is none, or that no value from `least` to 1 can leave as it should."""
    metric, low, high = stated.metric, stated.low, stated.high
    check_level(stated.level, f"{where}: {metric}: level")
    if not (math.isfinite(low) and math.isfinite(high)):
        raise SpecError(f"{where}: {metric} = [{low}, {high}], expected two finite numbers")
    if low > high:
        raise SpecError(f"{where}: {metric} = [{low}, {high}], expected the lower limit first")
    if low < least or high > 1.0:
        raise SpecError(
            f"{where}: {metric} = [{low:g}, {high:g}], but it can only be from {least:g} to 1"
        )
    return stated


def check_level(level: float, where: str) -> None:
    """Refuse a level that is no probability of a range."""
    if not 0.0 < level < 1.0:
        raise SpecError(
            f"{where} = {level:g}, expected a number between 0 and 1",
            hint="0.8 means that four in five ranges should hold.",
        )


def interval_score(low: float, high: float, level: float, value: float) -> float:
    """The width, plus 2 / (1 - level) times the distance by which the value was missed."""
    missed = max(low - value, value - high, 0.0)
    return (high - low) + 2.0 / (1.0 - level) * missed


def side(stated: Range, value: float) -> Side:
    """On which side of a range a value lies."""
    return "above" if value > stated.high else "below" if value < stated.low else "inside"


def grade_range(stated: Range, value: float | None) -> RangeGrade:
    """A range against the value; one without a value cannot be graded."""
    return RangeGrade(
        **msgspec.structs.asdict(stated),
        value=value,
        where=None if value is None else side(stated, value),
        score=None
        if value is None
        else interval_score(stated.low, stated.high, stated.level, value),
    )


def range_grades(graded: Sequence[RangeGrade]) -> RangeGrades | None:
    """All of some ranges; None if nothing was predicted."""
    if not graded:
        return None
    scores = [each.score for each in graded if each.score is not None]
    return RangeGrades(
        ranges=tuple(graded),
        inside=sum(each.where == "inside" for each in graded),
        total=len(scores),
        score=math.fsum(scores) / len(scores) if scores else None,
    )
