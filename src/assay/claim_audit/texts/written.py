"""A number that a claim states in words of its own: with a unit, a currency, a full stop."""

import re

from assay.claim_audit.texts.boundaries import part_of
from assay.claim_audit.texts.plain import plain_words
from assay.claim_audit.texts.printed_numbers import PATTERN, POWER, parse_printed

_CODE = re.compile(r"(?:USD|EUR|GBP|JPY|CHF|US(?=\$))\s*")
_BEHIND = re.compile(r"(?:\s+[^\W\d_][^\d<>=~\u2248\u2264\u2265]*)?\.?")


def number_written(text: str) -> str | None:
    """The number that a text states, without the words behind it; None if it states none.

    `396 ms`, `1,284.37 USD` and `1284.` are numbers; `about 1284`, `< 1300` and `5 \u00b1 1` are none.
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
