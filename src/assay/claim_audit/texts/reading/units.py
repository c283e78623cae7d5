"""The unit that a text prints against the one that the name of a value says: 12.6 s of `_ms`.

Numbers are compared without their units. Where both are known, measure the same and differ, a claim
without `scale` compares two things.
"""

import re
from collections.abc import Mapping
from typing import Any

_UNITS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "time": {
        "ns": ("ns", "nanoseconds?"), "us": ("us", "\u00b5s", "\u03bcs", "microseconds?"),
        "ms": ("ms", "msecs?", "millis", "milliseconds?"), "s": ("s", "secs?", "seconds?"),
        "min": ("mins?", "minutes?"), "h": ("h", "hrs?", "hours?"), "d": ("days?",),
    },
    "bytes": {
        "kB": ("[kK]i?[bB]", "kilobytes?"), "MB": ("[mM]i?[bB]", "megabytes?"),
        "GB": ("[gG]i?[bB]", "gigabytes?"), "TB": ("[tT]i?[bB]", "terabytes?"),
    },
    "energy": {"Wh": ("[wW]h",), "kWh": ("k[wW]h",), "MWh": ("M[wW]h", "mwh")},
    "power": {"mW": ("mW",), "W": ("W", "[wW]atts?"), "kW": ("k[wW]",)},
    "frequency": {
        "Hz": ("[hH]z",), "kHz": ("k[hH]z",), "MHz": ("[mM][hH]z",), "GHz": ("[gG][hH]z",),
    },
    "money": {
        "USD": ("USD", "usd", "dollars?", r"\$"), "EUR": ("EUR", "eur", "euros?", "\u20ac"),
        "GBP": ("GBP", "gbp", "\u00a3"),
    },
    "length": {
        "mm": ("mm",), "cm": ("cm",), "km": ("km",),
    },
}  # fmt: skip
_SPELLINGS = {
    re.compile(spelling): (kind, unit)
    for kind, units in _UNITS.items()
    for unit, spellings in units.items()
    for spelling in spellings
}
_AMBIGUOUS = frozenset({"min", "mins"})
"""Words of a name that may be no unit: the minimum."""
PRINTED_UNIT = re.compile(
    r"[\s\u00a0~-]{0,2}(?P<unit>[A-Za-z\u00b5\u03bc\u20ac$\u00a3]{1,12})(?![\w/\u00b2\u00b3^])"
)
_COUNTING = frozenset({"count", "distinct", "share"})
_NAMING = ("key_path", "column", "attr", "number")


def other_unit(printed: str, behind: str, args: Mapping[str, Any]) -> tuple[str, str] | None:
    """The unit that a text prints and the other one of the value's name; None where none differ.

    `behind` is the text behind the number. A claim that says `scale` has thought of the unit.
    """
    if "scale" in args or args.get("statistic") in _COUNTING:
        return None
    own = _printed_unit(printed, behind)
    named = next((unit for name in _NAMING if (unit := _named_unit(args.get(name)))), None)
    if own is None or named is None or own[0] != named[0] or own == named:
        return None
    return own[1], named[1]


def _printed_unit(printed: str, behind: str) -> tuple[str, str] | None:
    """What a number is printed in: glued to it, behind it, or before it as a currency."""
    glued = re.search(r"[^\W\d_]+\Z|[\u20ac\u00a3$]\Z|\A[\u20ac\u00a3$]", printed.strip())
    word = glued[0] if glued else None
    if word is None and (found := PRINTED_UNIT.match(behind)) is not None:
        word = found["unit"]
    return None if word is None else known_unit(word)


def _named_unit(name: object) -> tuple[str, str] | None:
    """The unit that the last part of a name says: `latency_ms`, `mem_gb.mean`, `hours`."""
    if not isinstance(name, str):
        return None
    steps = [step for step in re.split(r"[.\[\]\"']+", name) if step and not step.isdigit()]
    words = re.split(r"[\s_()-]+", steps[-1]) if steps else []
    words = [word for word in words if word]
    for at, word in enumerate(words):
        is_suffix = at == len(words) - 1
        known = known_unit(word) if word.lower() not in _AMBIGUOUS else None
        if known is not None and (len(word) > 1 or (is_suffix and at > 0)):
            return known
    return None


def known_unit(word: str) -> tuple[str, str] | None:
    """What a word for a unit measures, and the unit; None if it is none that is known."""
    return next((unit for spelling, unit in _SPELLINGS.items() if spelling.fullmatch(word)), None)
