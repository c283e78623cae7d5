"""A claim: one checkable statement of a text, and the checker that can find it false."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

Expectation = Literal["holds", "fails"]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, its checker with arguments, and the expected value.

    The claimed value is in the arguments or in `expected`. `predicted` and `confidence` are stated
    before the check. A `control` is false on purpose: it must fail. `place` is the claim's file and
    line; `printed` is the number in the text that an in-place claim covers.
    """

    id: str
    checker: str
    text: str = ""
    args: Mapping[str, Any] = {}
    expected: Any = True
    predicted: Expectation | None = None
    confidence: float | None = None
    control: bool = False
    place: str = ""
    printed: str | None = None


class Observed(msgspec.Struct, frozen=True, kw_only=True):
    """The value that a checker found, and where."""

    value: Any
    where: str


class Unverifiable(Exception):
    """The evidence cannot be read, so the claim is neither confirmed nor refuted."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why
