"""Caveats: what a reader of a number must know, as coded data.

Every feature has its own table of codes; docs/reference/caveats.md is made from the tables.
"""

from collections.abc import Mapping

import msgspec

from assay.errors import SpecError

Codes = Mapping[str, str]
"""The codes of a feature and what each warns of, the weightiest first."""


class Caveat(msgspec.Struct, frozen=True, kw_only=True):
    """Something a reader of the number must know, under a code that programs can read."""

    code: str
    message: str


class Caveats:
    """Collects caveats under the codes of one table, and refuses any other code."""

    def __init__(self, codes: Codes) -> None:
        self.codes = codes
        self._noted: list[tuple[str, str]] = []

    def add(self, code: str, detail: str = "") -> None:
        """Note a caveat, with what it means in this case."""
        if code not in self.codes:
            raise SpecError(
                f"no caveat {code!r:.60}", hint=f"The codes are {', '.join(self.codes)}."
            )
        self._noted.append((code, detail))

    def __contains__(self, code: str) -> bool:
        return any(code == noted for noted, _ in self._noted)

    def in_order_noted(self) -> tuple[Caveat, ...]:
        """A caveat for each time that one was noted."""
        return tuple(
            Caveat(code=code, message=f"{self.codes[code]} {detail}".rstrip())
            for code, detail in self._noted
        )

    def by_weight(self) -> tuple[Caveat, ...]:
        """A caveat for each code noted, in the order of the table."""
        return tuple(
            Caveat(code=code, message=self.message(code)) for code in self.codes if code in self
        )

    def message(self, code: str) -> str:
        """What a code warns of, and every detail noted under it."""
        details = (detail for noted, detail in self._noted if noted == code)
        return " ".join(filter(None, (self.codes[code], *details)))
