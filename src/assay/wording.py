"""How messages write counts, lists, percentages and parameters."""

import re
from collections.abc import Sequence

PARAMETER = re.compile(r"`([a-z_]+)=([^`]*)`")
"""A parameter in a message, such as `task=detection`; `out=` names one without a value."""


def counted(number: int, what: str) -> str:
    """1 seal, 2 seals; 1 entry, 2 entries; 1 miss, 2 misses."""
    many = f"{what}s"
    if what.endswith("y"):
        many = f"{what[:-1]}ies"
    elif what.endswith("s"):
        many = f"{what}es"
    return f"{number:,} {what if number == 1 else many}"


def some(words: Sequence[str], most: int = 5) -> str:
    """The first few words, shortened, and how many more there are."""
    shown = ", ".join(f"{word:.120}" for word in words[:most])
    left = len(words) - most
    return shown if left <= 0 else f"{shown} and {counted(left, 'other')}"


def percent(share: float) -> str:
    """A share in per cent, with the digits it was given with."""
    return f"{share * 100.0:.3g} %"


def as_flags(text: str) -> str:
    """A message with each parameter written as a flag, for the command line."""
    return PARAMETER.sub(_flag, text)


def _flag(match: re.Match[str]) -> str:
    name, value = match[1].replace("_", "-"), match[2]
    if value == "False":
        return f"--no-{name}"
    return f"--{name}" if value in ("", "True") else f"--{name} {value}"
