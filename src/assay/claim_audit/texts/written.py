"""A number that a claim states in words of its own: with a unit, a currency, a full stop."""

import re

from assay.claim_audit.texts.boundaries import part_of
from assay.claim_audit.texts.markup.plain import plain_words
from assay.tables.numbers.printed_numbers import PATTERN, POWER, UNITS, parse_printed

_CODE = re.compile(r"(?:USD|EUR|GBP|JPY|CHF|US(?=\$))\s*")
_BEHIND = re.compile(r"(?:\s+[^\W\d_][^\d<>=~\u2248\u2264\u2265]*)?\.?")


def number_written(text: str) -> str | None:
    """The number that a text states, without the words behind it; None if it states none.

    `396 ms`, `1,284.37 USD` and `1284.` are numbers; `about 1284` and `< 1300` are none.
    """
    words = " ".join(plain_words(text).split())
    if parse_printed(words) is not None:
        return words
    code = _CODE.match(words)
    start = code.end() if code else 0
    found = POWER.match(words, start) or PATTERN.match(words, start)
    if found is None or not _BEHIND.fullmatch(words, found.end()):
        return None
    return found[0] if part_of(words[start:], 0, found.end() - start) is None else None


def is_multiplied(text: object) -> bool:
    """Whether a text is a number with a word or letter that multiplies it: 28.6 million, 5k."""
    found = PATTERN.fullmatch(text.strip()) if isinstance(text, str) else None
    return found is not None and (found["unit"] or "").strip() in UNITS
