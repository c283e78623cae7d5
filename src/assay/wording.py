"""How messages write counts, lists, percentages and parameters; texts that are safe to print."""

import re
from collections.abc import Iterable, Sequence

PARAMETER = re.compile(r"`([a-z_]+)=([^`]*)`")
"""A parameter in a message, such as `task=detection`; `out=` names one without a value."""
_LONGEST_WORD = 200


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


def did_you_mean(word: str, known: Iterable[str], *, most: int = 2) -> str | None:
    """A question that names the words nearest to a word; None if no word is near."""
    from difflib import get_close_matches

    near = get_close_matches(word[:_LONGEST_WORD], known, n=most, cutoff=0.7)
    return f"Did you mean {' or '.join(near)}?" if near else None


def percent(share: float) -> str:
    """A share in per cent, with the digits that it was given with."""
    return f"{share * 100.0:.3g} %"


def interval(low: float, high: float) -> str:
    """Both ends of an interval."""
    return f"[{low:.3f}, {high:.3f}]"


def number(value: float, whole: bool = False) -> str:
    """A figure, without decimals if it is large."""
    return f"{value:,.0f}" if whole else f"{value:.3f}"


def signed(value: float, whole: bool = False) -> str:
    """A difference with its sign."""
    return f"{value:+,.0f}" if whole else f"{value:+.3f}"


def signed_interval(low: float | None, high: float | None, whole: bool = False) -> str:
    """An interval of differences; empty if there is none."""
    if low is None or high is None:
        return ""
    return f"[{signed(low, whole)}, {signed(high, whole)}]"


def printable(text: str) -> str:
    """A text that cannot move the cursor or colour the screen: it may come from untrusted files."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def as_flags(text: str) -> str:
    """A message with each parameter written as a flag, for the command line."""
    return PARAMETER.sub(_flag, text)


def _flag(match: re.Match[str]) -> str:
    name, value = match[1].rstrip("_").replace("_", "-"), match[2]
    if value == "False":
        return f"--no-{name}"
    return f"--{name}" if value in ("", "True") else f"--{name} {value}"
