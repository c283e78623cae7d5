"""Whether a sentence may speak of a value: by the column that it names, and by its unit of time."""

import re
from collections.abc import Iterator, Mapping, Set
from decimal import Decimal
from typing import Any

from msgspec.structs import replace

from assay.claim_audit.texts.mentions import Mention
from assay.tables.numbers.printed_numbers import Printed

_TIME = re.compile(r"\s?(ms|milliseconds?|s|secs?|seconds?)\b")
_NAMED = {
    "s": re.compile(r"(?<![a-z])(?:s|secs?|seconds?)(?![a-z])", re.IGNORECASE),
    "ms": re.compile(r"(?<![a-z])ms(?![a-z])|milli", re.IGNORECASE),
}
_OTHER = {"s": ("ms", Decimal(1000), 0.001), "ms": ("s", Decimal("0.001"), 1000.0)}
"""By the unit that a text prints: another, how many of that one it is, and the scale of a claim."""


def speaks_of_column(named: Set[str], said: Set[str], mention: Mention) -> bool:
    """Whether a statistic of a whole column may be meant, by the words of its names.

    The name of a file names no column. A cell of a table speaks of its own row.
    """
    shares = any(one.startswith(other) or other.startswith(one) for one in named for other in said)
    return shares and not mention.in_table


def has_unit(args: Mapping[str, Any], mention: Mention) -> bool:
    """Whether the names of a value have the unit of time that a number is printed with."""
    unit = _unit_of(mention)
    return unit is not None and is_in(args, unit)


def timed_forms(printed: Printed, mention: Mention) -> Iterator[tuple[Printed, str, float]]:
    """A number in another unit of time, that unit, and the scale of a claim."""
    unit = _unit_of(mention)
    if unit is not None:
        other, factor, scale = _OTHER[unit]
        value, last = printed.value * factor, printed.last_place * factor
        yield replace(printed, value=value, last_place=last), other, scale


def is_in(args: Mapping[str, Any], unit: str) -> bool:
    """Whether the names of a value have this unit of time."""
    return any(_NAMED[unit].search(str(value)) for value in args.values())


def _unit_of(mention: Mention) -> str | None:
    behind = mention.sentence[mention.at + len(mention.text) :]
    unit = _TIME.match(behind) or _TIME.search(mention.text)
    return None if unit is None else "ms" if unit[1].startswith("m") else "s"
