"""Caveats: remarks with a code, which the reader of a result must know.

Every feature has its own table of codes; docs/reference/caveats.md is generated from them.
"""

from collections.abc import Mapping

import msgspec

from assay.errors import SpecError

Codes = Mapping[str, str]
"""The codes of a feature and what each means, the most serious first."""


class Caveat(msgspec.Struct, frozen=True, kw_only=True):
    """A remark that the reader of a result must know, with a code for programs."""

    code: str
    message: str


class Caveats:
    """Collects the caveats of one table of codes; an unknown code is refused."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        self._noted: list[tuple[str, str]] = []

    def add(self, code: str, detail: str = "") -> None:
        """Add a caveat, with a detail for this case."""
        if code not in self.codes:
            raise SpecError(
                f"no caveat {code!r:.60}", hint=f"The codes are {', '.join(self.codes)}."
            )
        self._noted.append((code, detail))

    def __contains__(self, code: str) -> bool:
        return any(code == noted for noted, _ in self._noted)

    def in_order_noted(self) -> tuple[Caveat, ...]:
        """All caveats in the order in which they were added, repeats included."""
        return tuple(
            Caveat(code=code, message=f"{self.codes[code]} {detail}".rstrip())
            for code, detail in self._noted
        )

    def by_weight(self) -> tuple[Caveat, ...]:
        """One caveat for each code that was added, the most serious first."""
        return tuple(
            Caveat(code=code, message=self.message(code)) for code in self.codes if code in self
        )

    def message(self, code: str) -> str:
        """The text of a code, followed by every detail that was added under it."""
        details = (detail for noted, detail in self._noted if noted == code)
        return " ".join(filter(None, (self.codes[code], *details)))
