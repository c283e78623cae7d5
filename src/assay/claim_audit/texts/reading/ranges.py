"""Ranges that say so themselves, `3-4`: both ends are numbers that a text states."""

import re

from assay.claim_audit.texts.boundaries import part_of
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.markup.tex_marks import MATH
from assay.tables.numbers.printed_numbers import parse_printed

_DASHES = "\\-\u2010-\u2013"
"""Dashes of a range; a true minus sign subtracts."""
_LOW = re.compile(rf"(?<![\w.,/:^-])(?P<number>\d[\d.,]*)[{_DASHES}]$")
_HIGH = re.compile(rf"[{_DASHES}](?P<number>\d[\d.,]*)(?![\w/:^%-])")
_REACH = 20


def is_range_end(document: Document, text: str, start: int, end: int) -> bool:
    """Whether a number is an end of a range, of which the first is the smaller.

    `1-0.9` is a difference, and in mathematics a hyphen is a minus sign.
    """
    low = _LOW.search(text[max(0, start - _REACH) : start])
    high = _HIGH.match(text[end : end + _REACH])
    found = low or high
    if found is None or (low and high) or not text[start].isdigit():
        return False
    own, limit = parse_printed(text[start:end]), parse_printed(found["number"].rstrip(".,"))
    if own is None or limit is None:
        return False
    ends = (limit.value, own.value) if low else (own.value, limit.value)
    first = start - len(low[0]) if low else start
    last = end + len(high[0].rstrip(".,")) if high else end
    dash = start - 1 if low else end
    is_range = ends[0] < ends[1] and not _in_mathematics(document, dash)
    return is_range and part_of(text, first, last) is None


def _in_mathematics(document: Document, place: int) -> bool:
    """Whether a place of the plain text stands in a formula."""
    at = document.plain.starts[place]
    if document.suffix == ".txt":
        return False
    near = MATH.finditer(document.text, max(0, at - 2_000), at + 2_000)
    return any(found.start() < at < found.end() for found in near)
