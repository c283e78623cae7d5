"""A claim: one checkable statement of a text, and the checker that can find it false."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from assay.errors import SpecError

Expectation = Literal["holds", "fails"]


class Claim(msgspec.Struct, frozen=True, kw_only=True):
    """A statement, the checker that looks, its arguments, and the value that is expected.

    The claimed value may stand in the arguments or in `expected`. `predicted` and `confidence` are
    stated before the check. A `control` is false on purpose: it must fail. `place` is the file and
    line that it was read from; `printed` is the number of the text that an in-place claim covers.
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


def claim_from(fields: Mapping[str, Any], where: str) -> Claim:
    """A claim from what a file or a comment says; SpecError where a field is not as it must be."""
    try:
        claim = msgspec.convert({**fields, "place": where}, Claim)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {error}") from None
    if not claim.id.strip():
        raise SpecError(f"{where}: an empty id")
    if claim.confidence is not None and not 0.0 <= claim.confidence <= 1.0:
        raise SpecError(f"{where}: confidence {claim.confidence:g}, expected 0 to 1")
    return claim


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
