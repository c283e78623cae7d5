"""The faults of one file, refused together."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from assay.errors import SpecError
from assay.wording import counted

MOST_NAMED = 20
"""The most faults of a file that one message names."""
_MOST_ALIKE = 3
"""More faults than this that differ only in place and value are one line."""
_PLACE = re.compile(r"(?:(?:line|row|element) [\d,]*\d|record '[^']*')(?: \(index [^)]*\))?")
_VALUE = re.compile(r"(?P<field>field '[^']*')|'[^']*'|(?<=got )-?\d[\d.e+-]*")
"""A value in a message; the name of a field is none."""


@dataclass(kw_only=True)
class _Kind:
    """Faults that differ only in place and value: how many, and the first, with their numbers."""

    count: int = 0
    first: list[tuple[int, SpecError]] = field(default_factory=list)


class Faults:
    """The faults of one file, refused together: the first twenty are named, all are counted.

    Faults of one kind are one line, with their number and the first places.
    """

    def __init__(self, place: str) -> None:
        self.place = place
        self.count = 0
        self._kinds: dict[str, _Kind] = {}

    def add(self, error: SpecError) -> None:
        """Add a fault."""
        self.count += 1
        placeless = _PLACE.sub("", self._short(error))
        alike = _VALUE.sub(lambda match: match["field"] or "", placeless)
        if alike in self._kinds or len(self._kinds) < MOST_NAMED:
            kind = self._kinds.setdefault(alike, _Kind())
            kind.count += 1
            kind.first += [(self.count, error)] if len(kind.first) <= _MOST_ALIKE else []

    def refuse(self) -> None:
        """Raise one error for all faults, if there are any."""
        if not self.count:
            return
        lines = sorted(line for kind in self._kinds.values() for line in self._lines(kind))
        (_, first, stands_for), others = lines[0], lines[1:MOST_NAMED]
        left = self.count - stands_for - sum(number for _, _, number in others)
        more = f", and {counted(self.count - stands_for, 'more fault')}" if others else ""
        hints = [error.hint for kind in self._kinds.values() for _, error in kind.first]
        details = [text.removeprefix(self.place).lstrip(",: ") for _, text, _ in others]
        raise SpecError(
            f"{first}{more}",
            hint=" ".join(dict.fromkeys(hint for hint in hints if hint)) or None,
            details=[*details, *([f"and {left:,} more"] if left else [])],
        )

    def _lines(self, kind: _Kind) -> list[tuple[int, str, int]]:
        """The faults of a kind: the number of each, its words, and how many it stands for."""
        found = [_PLACE.search(self._short(error)) for _, error in kind.first[1:]]
        places = [place[0] for place in found if place is not None]
        if kind.count <= _MOST_ALIKE or len(places) < _MOST_ALIKE:
            return [(number, error.message, 1) for number, error in kind.first]
        where = ", ".join(places) + (", ..." if kind.count > len(places) + 1 else "")
        number, error = kind.first[0]
        return [(number, f"{error.message}; {kind.count - 1:,} more like it: {where}", kind.count)]

    def _short(self, error: SpecError) -> str:
        return error.message.removeprefix(self.place)


@contextmanager
def noted(faults: Faults) -> Iterator[None]:
    """Add the fault that ends the block, and go on behind it."""
    try:
        yield
    except SpecError as error:
        faults.add(error)


def note(faults: Faults | None, error: SpecError) -> None:
    """Add a fault if faults are collected; otherwise raise it."""
    if faults is None:
        raise error
    faults.add(error)
