"""A claim: one checkable statement of a text, and the checker that can find it false."""

from collections.abc import Mapping
from math import isclose
from statistics import NormalDist
from typing import Any, Literal

import msgspec

Expectation = Literal["holds", "fails"]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, the checker that looks, its arguments, and the value that is expected.

    The claimed value may stand in the arguments or in `expected`; without `expected` a statement is
    said to be true. `predicted` and `confidence` are
    stated before the check. A `control` is false on purpose: it must fail. `place` is the file and
    line that it was read from, and `at` the place of its comment in `text`; `printed` is the number
    of the text that an in-place claim covers. One of a text that could not be read is `refused`,
    with why.
    """

    id: str
    checker: str
    text: str = ""
    args: Mapping[str, Any] = {}
    expected: Any = msgspec.UNSET
    predicted: Expectation | None = None
    confidence: float | None = None
    control: bool = False
    place: str = ""
    at: int | None = None
    printed: str | None = None
    refused: str | None = None

    @property
    def affirms(self) -> bool:
        """Whether a statement is said to be true, as it is unless `expected` says otherwise."""
        return self.expected is msgspec.UNSET or bool(self.expected)

    @property
    def states(self) -> bool:
        """Whether `expected` is given."""
        return self.expected is not msgspec.UNSET


class Spread(msgspec.Struct, frozen=True, kw_only=True):
    """What is reported of the uncertainty of a value: its standard errors by name, its interval.

    `level` is that of the interval; the claim may ask for another (`asked`).
    """

    value: float
    errors: Mapping[str, float] = {}
    interval: tuple[float, float] | None = None
    level: float | None = None
    asked: float | None = None

    def parts(self, *, interval: bool, level: float | None) -> list[float]:
        """The value and its error, or the ends of its interval, of the level that a text states.

        At a level the error is the half width of the interval, by the normal distribution.
        """
        if self.asked is not None and level is not None and not isclose(self.asked, level):
            raise Unverifiable(f"the text states a level of {level:g}, the claim {self.asked:g}")
        level = level if self.asked is None else self.asked
        if interval and self.interval is not None and level in (None, self.level):
            return [self.value, *self.interval]
        if len(self.errors) != 1:
            several = ", ".join(self.errors) or "none"
            raise Unverifiable(
                f"one standard error is expected beside the value; there are {several}"
            )
        if interval and level is None:
            raise Unverifiable(
                "a standard error is reported, and no interval: say its level, such as level=0.95"
            )
        (error,) = self.errors.values()
        width = error if level is None else NormalDist().inv_cdf((1 + level) / 2) * error
        return (
            [self.value, self.value - width, self.value + width]
            if interval
            else [self.value, width]
        )


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What a checker found: the value, and where.

    An `exact` value is a text that only looks like a number: version 1.10 is not 1.1. `spread` is
    compared with a text that prints the value with its interval or its error. `unmet` says that no
    row was chosen, and what there is to choose: then a count of 0 may only be a misspelt condition.
    """

    value: Any
    where: str
    exact: bool = False
    spread: Spread | None = None
    unmet: str | None = None


class Unverifiable(Exception):
    """The evidence cannot be read, so the claim can be called neither true nor false."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
