"""The faults of one file, refused together."""

from assay.errors import SpecError
from assay.wording import counted

MOST_NAMED = 20
"""The most faults of a file that one message names."""


class Faults:
    """The faults of one file, refused together: the first twenty are named, all are counted."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.count = 0
        self._named: list[SpecError] = []

    def add(self, error: SpecError) -> None:
        """Add a fault."""
        self.count += 1
        if len(self._named) < MOST_NAMED:
            self._named.append(error)

    def refuse(self) -> None:
        """Raise one error for all faults, if there are any."""
        if not self.count:
            return
        first, *others = self._named
        details = [other.message.removeprefix(self.place).lstrip(",: ") for other in others]
        left = self.count - len(self._named)
        more = f", and {counted(self.count - 1, 'more fault')}" if others else ""
        raise SpecError(
            f"{first.message}{more}",
            hint=" ".join(dict.fromkeys(fault.hint for fault in self._named if fault.hint)) or None,
            details=[*details, *([f"and {left:,} more"] if left else [])],
        )


def note(faults: Faults | None, error: SpecError) -> None:
    """Add a fault if faults are collected; otherwise raise it."""
    if faults is None:
        raise error
    faults.add(error)
