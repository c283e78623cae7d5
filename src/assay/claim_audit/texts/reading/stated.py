"""Which number, version or table a comment in a text speaks of.

It is the last one before the comment in its sentence, or the one that the comment names. It must be
written whole: what cannot be read is refused with the words that stand there.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.markup.marks import CLAIM
from assay.claim_audit.texts.mentions import STATED, Token
from assay.claim_audit.texts.printed_intervals import spread_spans
from assay.claim_audit.texts.reading.named import Whole, named_span
from assay.claim_audit.texts.reading.nearer import nearer_than, none_read
from assay.claim_audit.texts.reading.ranges import is_range_end
from assay.claim_audit.texts.reading.reach import Reach, reach_of
from assay.claim_audit.texts.reading.refusal import NotWhole, refuse_part
from assay.claim_audit.texts.unstated import MONTHS

_LONGEST = 80
"""Characters of a number with its interval, on either side of one of the three."""
_REORDERED = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Marks after which a page shows letters and digits in another order than the file has them."""
_RANKED = re.compile(r"\b(?:top|best|pass|hits?)[-@]$", re.IGNORECASE)
_DAY = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_YEAR = re.compile(r"(?:19|20)\d{2}")


class Stated(NamedTuple):
    """What a comment covers: the words of the plain text, their span there, and in the source."""

    text: str
    start: int
    end: int
    span: Span


def stated_before(
    document: Document,
    place: int,
    says: str | None,
    tokens: Sequence[Token],
    *,
    errors: bool = False,
) -> Stated:
    """The number or version that a comment at a place of the source covers.

    With `errors` a number and its standard error, `0.73 \u00b1 0.02`, are one statement.
    """
    plain = document.plain
    at = plain.place_of(place)
    reach = reach_of(document, at)
    whole = partial(_whole, reach.text, at=at, errors=errors)
    near = list(tokens[slice(*(bisect_left(tokens, (edge,)) for edge in (reach.since, at)))])
    near = [one for one in near if one.end <= at and not reach.text.startswith(CLAIM, one.start)]
    if says is None:
        start, end = _last(document, reach, near, whole)
    else:
        start, end = named_span(document, reach, says, near, whole)
    span = plain.source_span(start, end)
    _refuse_reordered(document.text, span[0], place)
    return Stated(plain.text[start:end], start, end, span)


def _refuse_reordered(source: str, start: int, place: int) -> None:
    """Refuse a number of whose line a page shows the digits in another order."""
    if _REORDERED.search(source, source.rfind("\n", 0, start) + 1, place):
        raise NotWhole(
            "a mark before the claim turns the direction of the writing, so that a page shows"
            " other digits than stand there",
            "leave the mark out",
        )


def _last(document: Document, reach: Reach, near: Sequence[Token], whole: Whole) -> Span:
    text, end = reach.text, reach.end
    near = [one for one in near if reach.cell <= one.start]
    stated = [one for one in near if _is_stated(text, one)]
    alone = [one for one in near if _counts_alone(text, one)]
    is_dated = alone and alone[-1].end == end and _DAY.fullmatch(text[alone[-1].start : end])
    if alone and (is_dated or not stated):
        stated = alone[-1:]
    if not stated:
        raise none_read(text[reach.cell : end])
    last = stated[-1]
    span = (last.start, last.end) if last in alone else whole(last)
    nearer = nearer_than(text, span[1], max(span[1], end), near)
    if nearer is not None:
        kind = next((one.kind for one in reversed(near) if one.start >= span[1]), "figure")
        raise NotWhole(
            f"{nearer!r:.60} stands between {text[slice(*span)]!r:.40} and the claim, and is"
            f" {_TAKEN_FOR.get(kind, 'not a number that can be read')}",
            'name the number (says="0.9"), or put the comment right behind it',
        )
    is_whole = last.kind == "version" or last in alone
    if not is_whole and not is_range_end(document, text, *span):
        refuse_part(text, *span)
    return span


_TAKEN_FOR = {
    "quotation": "a quotation", "code": "code", "date": "taken for a date",
    "section": "taken for the number of a section or an item", "hidden": "not shown",
}  # fmt: skip


def _is_stated(text: str, one: Token) -> bool:
    if one.kind == "quotation":  # a claim in a block quote is made there
        return text[text.rfind("\n", 0, one.start) + 1 :].startswith(">")
    return one.kind in STATED or one.kind == "version"


def _counts_alone(text: str, one: Token) -> bool:
    """Whether a whole date, a year, or the 5 of top-5 is what a sentence without a number states.

    A day of a month and an hour are parts of a date, and state nothing alone.
    """
    before, words = text[max(0, one.start - 12) : one.start], text[one.start : one.end]
    if one.kind != "date":
        return _RANKED.search(before) is not None
    is_year = _YEAR.fullmatch(words) and not re.match(r"[-/:]\d", text[one.end : one.end + 2])
    return bool(_DAY.fullmatch(words) or (is_year and not _dated(before)))


def _dated(before: str) -> bool:
    """Whether a month, a day or a clock stands right before a year."""
    return re.search(rf"{MONTHS}\.?,?\s*$|[\d:/.-]\s?,?\s*$", before) is not None


def _whole(text: str, one: Token, *, at: int, errors: bool) -> Span:
    """The span of a number, or of the number with its interval or error of which it is a part."""
    window = max(0, one.start - _LONGEST), min(at, one.end + _LONGEST)
    for start, end in spread_spans(text, *window, errors=errors):
        if start <= one.start and one.end <= end:
            return start, end
    return one.start, one.end
