"""Every number and count word of a text, and what it is: a figure, a date, a section, code.

A figure is a statement that can be false. Dates, numbers of sections and versions, what stands in
code or in quotations, references and names are told apart: a reader does not take them as results.
"""

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import msgspec

from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.structure import heading_numbers, item_numbers, quoted_lines
from assay.claim_audit.texts.unstated import MASKS, Kind
from assay.claim_audit.texts.weights import repeated_form, weight_of
from assay.tables.numbers.printed_numbers import (
    PATTERN,
    POWER,
    SPACES,
    WORDS,
    Printed,
    parse_printed,
)

STATED: frozenset[Kind] = frozenset({"figure", "count"})
"""The kinds that state something which an artifact could contradict."""

_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_WHOLE: Mapping[Kind | None, re.Pattern[str]] = {
    "version": re.compile(r"\d[.\w-]*\w|\d"),
    "date": re.compile(r"\d{4}-\d{1,2}-\d{1,2}"),
}
_TAGGED = re.compile(r"(?<![\w.])v(\d+(?:\.\d+)+)")
_COUNT = re.compile(
    rf"\b(?:(?:{_WORD})(?:[-\s]|\b)(?:(?:(?<=hundred\s)|(?<=thousand\s))and\s(?=(?:{_WORD})\b))?)+",
    re.IGNORECASE,
)
_UNCOUNTED = re.compile(
    r"\b(?:one of|no one|one another|each one|this one|that one|the one)\b", re.IGNORECASE
)
_NAMED_BEFORE = re.compile(
    rf"(?<![\w.])(?P<name>[pP]|(?:GPT|top|pass|best|hits?)[-@])(?P<digits>\d{{1,3}})"
    rf"(?=[{SPACES}]\d{{3}}(?!\d))"
)
"""A name whose digits are no thousands of the number behind it: p95 812 ms."""
_NEAR = 160
_STOP = re.compile(r"\.\s|\n\s*\n")
_MOST_ROWS = 1_000


class Token(NamedTuple):
    """A number or count word of a plain text, and what it is."""

    start: int
    end: int
    kind: Kind


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """A number in a text: where it stands, what it is, and how much the text rests on it.

    `text` is without markup; `start` and `end` are places of the source, and `at` is the number's
    place in its sentence. Of a number in a table, the sentence is the row below the heads.
    """

    text: str
    line: int
    start: int
    end: int
    kind: Kind
    weight: float
    sentence: str
    at: int = 0
    in_table: bool = False

    @property
    def printed(self) -> Printed | None:
        """The number that is printed."""
        return parse_printed(self.text)


def tokens_in(document: Document) -> list[Token]:
    """Every number and count word of a text, in order, with places in its plain text."""
    text = document.plain.text
    masked = _masked(document)
    tokens: list[Token] = []
    for start, end in _spans(text):
        kind = _KINDS[masked[start]]
        if kind in _WHOLE:
            start, end = _whole(_WHOLE[kind], text, start, end)
        if tokens and start < tokens[-1].end:
            continue
        printed = text[start:end].rstrip()
        if kind is None:
            kind = "count" if re.fullmatch(r"[A-Za-z -]+|\d{1,3}", printed) else "figure"
        tokens.append(Token(start, start + len(printed), kind))
    return tokens


@lru_cache(maxsize=2)
def mentions_in(document: Document) -> list[Mention]:
    """Every number and count word of a text, in order."""
    plain, text = document.plain, document.plain.text
    mentions: list[Mention] = []
    seen: set[str] = set()
    for start, end, kind in tokens_in(document):
        first, last = plain.source_span(start, end)
        weight = 0.0
        if kind in STATED:
            is_count = kind == "count"
            again = repeated_form(text, start, end, is_count=is_count)
            weight = weight_of(
                text,
                start,
                end,
                is_count=is_count,
                is_repeated=again in seen,
                is_strong=document.text[max(0, first - 2) : first] == "**",
            )
            seen |= {again} - {""}
        sentence, at = _sentence(text, start, end)
        mentions.append(
            Mention(
                text=text[start:end],
                line=document.line_of(first),
                start=first,
                end=last,
                kind=kind,
                weight=weight,
                sentence=sentence,
                at=at,
                in_table=_line_of(text, start).lstrip().startswith("|"),
            )
        )
    return mentions


def _spans(text: str) -> list[Span]:
    """The spans of numbers and count words, the first and longest of those that overlap."""
    parted = _NAMED_BEFORE.sub(lambda one: f"{one['name']}{'n' * len(one['digits'])}", text)
    found = [one.span() for one in PATTERN.finditer(parted) if _alone(parted, one)]
    found += [one.span() for one in POWER.finditer(text)]
    found += [one.span(1) for one in _TAGGED.finditer(text)]
    words = [
        (one.start(), one.start() + len(one[0].rstrip(" -\n"))) for one in _COUNT.finditer(text)
    ]
    taken = [span for span in words if not _is_article(text, *span)]
    kept: list[Span] = []
    for start, end in sorted([*found, *taken], key=lambda span: (span[0], -span[1])):
        if not kept or start >= kept[-1][1]:
            kept.append((start, end))
    return kept


def _whole(pattern: re.Pattern[str], text: str, start: int, end: int) -> Span:
    """The span of a version or a date of which a number is a part: 3.1.2, not 3.1."""
    while start > 0 and (text[start - 1] in ".-" or text[start - 1].isdigit()):
        start -= 1
    found = pattern.match(text, start)
    return (start, found.end()) if found is not None and found.end() >= end else (start, end)


def _alone(text: str, found: re.Match[str]) -> bool:
    """Whether a number is not the inside of a word or of another number."""
    before = text[max(found.start() - 1, 0) : found.start()]
    after = text[found.end() : found.end() + 1]
    is_inner = before.isalnum() or before == "_"
    return not is_inner and not (after.isalpha() and not found["unit"])


def _masked(document: Document) -> bytearray:
    """For each place of the plain text the number of the first mask that covers it, or 0."""
    plain = document.plain
    masks = bytearray(len(plain.text))
    for number, (_, pattern) in reversed(list(enumerate(MASKS, len(_BY_PLACE) + 1))):
        for one in pattern.finditer(plain.text):
            _cover(masks, one.span(), number)
    numbers = [*heading_numbers(document), *item_numbers(document)]
    by_place = (document.code, document.unshown, quoted_lines(document), numbers)
    for number, spans in reversed(list(enumerate(by_place, 1))):
        for start, end in spans:
            _cover(masks, (plain.place_of(start), plain.place_of(end)), number)
    return masks


def _cover(masks: bytearray, span: Span, number: int) -> None:
    masks[span[0] : span[1]] = bytes([number]) * (span[1] - span[0])


_BY_PLACE: Sequence[Kind] = ("code", "hidden", "quotation", "section")
"""Kinds that are told by where a number stands in the source; the first counts."""
_KINDS: Sequence[Kind | None] = (None, *_BY_PLACE, *(kind for kind, _ in MASKS))


def _is_article(text: str, start: int, end: int) -> bool:
    """Whether `one` is no count: one of, no one."""
    around = text[max(0, start - 6) : end + 9]
    return text[start:end].lower() == "one" and _UNCOUNTED.search(around) is not None


def _sentence(text: str, start: int, end: int) -> tuple[str, int]:
    """The words around a number, on one line, and its place in them."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    line = _line_of(text, start)
    if line.lstrip().startswith("|"):
        begin = text.rfind("\n", 0, start) + 1
        before, after = (
            f"{_heads_of(text, begin)} {text[begin:start]}",
            text[end : begin + len(line)],
        )
    else:
        before = before[max([0, *(stop.end() for stop in _STOP.finditer(before))]) :]
        after = after[: min([_NEAR, *(stop.start() + 1 for stop in _STOP.finditer(after))])]
    sentence = " ".join(f"{before}{text[start:end]}{after}".split())
    return sentence, len(" ".join(f"{before}\0".split())) - 1


def _line_of(text: str, at: int) -> str:
    end = text.find("\n", at)
    return text[text.rfind("\n", 0, at) + 1 : end if end >= 0 else len(text)]


def _heads_of(text: str, row: int) -> str:
    """The first line of the table that a row stands in; empty for that line itself."""
    first = row
    for _ in range(_MOST_ROWS):
        above = text.rfind("\n", 0, max(first - 1, 0)) + 1
        if first == 0 or not text[above:first].lstrip().startswith("|"):
            break
        first = above
    return text[first : text.find("\n", first)] if first < row else ""
