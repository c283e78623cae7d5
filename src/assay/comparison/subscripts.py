"""Parts of a result by their names: `comparison["correct"]`, `comparisons["v2"]`."""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeVar

from assay.errors import SpecError
from assay.wording import did_you_mean, some

T = TypeVar("T")
_MOST_NAMES = 8


def part_named(parts: Mapping[str, T], name: object, what: str) -> T:
    """The part of this name; another is refused with those that there are."""
    if isinstance(name, str) and name in parts:
        return parts[name]
    raise SpecError(
        f"no {what} {name!r:.60}; there are {some([repr(known) for known in parts], _MOST_NAMES)}",
        hint=did_you_mean(name, parts) if isinstance(name, str) else None,
    )


def only_ones(named: Iterable[tuple[str | None, T]]) -> dict[str, T]:
    """The parts whose names no other part has."""
    pairs = [(name, part) for name, part in named if name is not None]
    counts = Counter(name for name, _ in pairs)
    return {name: part for name, part in pairs if counts[name] == 1}
