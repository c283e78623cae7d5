"""A claim: one checkable statement of a text, and the checker that can find it false."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Expectation = Literal["holds", "fails"]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, the checker that looks, its arguments, and the value that is expected.

    The claimed value may stand in the arguments or in `expected`; without `expected` a statement is
    said to be true. `predicted` and `confidence` are
    stated before the check. A `control` is false on purpose: it must fail. `place` is the file and
    line that it was read from; `printed` is the number of the text that an in-place claim covers.
    One of a text that could not be read is `refused`, with why.
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


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """What a checker found: the value, and where.

    An `exact` value is a text that only looks like a number: version 1.10 is not 1.1.
    """

    value: Any
    where: str
    exact: bool = False


class Unverifiable(Exception):
    """The evidence cannot be read, so the claim can be called neither true nor false."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
