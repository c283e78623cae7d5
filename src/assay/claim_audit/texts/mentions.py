"""Every number and count word of a text, and what it is: a figure, a date, a section, code.

A figure is a statement that can be false. Dates, numbers of sections and versions, what stands in
code or in quotations, references and names are told apart: a reader does not take them as results.
"""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal

import msgspec

from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.printed_numbers import MEASURES, PATTERN, WORDS, Printed, parse_printed
from assay.claim_audit.texts.weights import repeated_form, weight_of

Kind = Literal[
    "figure", "count", "date", "section", "version", "code", "quotation", "reference", "name"
]
STATED: frozenset[Kind] = frozenset({"figure", "count"})
"""The kinds that state something which an artifact could contradict."""

_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_MODELS = "GPT|Claude|Opus|Sonnet|Haiku|Gemini|Gemma|Llama|Qwen|Mistral|Phi"
_MASKS: Sequence[tuple[Kind, re.Pattern[str]]] = (
    ("quotation", re.compile(r"^>.*$", re.MULTILINE)),
    ("quotation", re.compile(r"“(?:[^”\n]|\n(?![ \t]*\n)){1,400}”")),
    (
        "reference",
        re.compile(r"https?://\S+|doi:\S+|arXiv:\S+|\]\([^)\s]{0,1000}\)", re.IGNORECASE),
    ),
    ("reference", re.compile(r"\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\](?!\()")),
    (
        "reference",
        re.compile(
            r"\b(?:Fig(?:ure|\.)|Tab(?:le|\.)|Eq(?:uation|\.)|Listing|RFC|ADR|Decision)\s*\d+",
            re.IGNORECASE,
        ),
    ),
    (
        "section",
        re.compile(
            r"(?<!§)§+\s*\d+(?:\.\d+)*(?:\s*(?:[–,-]|and)\s*§*\d+(?:\.\d+)*)*"
            r"|\b(?:Sec(?:tion|\.)|Ch(?:apter|\.)|Appendix|Step|Layer|Part|Phase)s?\s+\d+(?:\.\d+)*"
            r"(?:\s*(?:[–,-]|and|to)\s*\d+(?:\.\d+)*)*",
            re.IGNORECASE,
        ),
    ),
    ("section", re.compile(r"^[ \t]*#+[ \t]+\d+(?:\.\d+)*\.?(?=\s)", re.MULTILINE)),
    ("section", re.compile(r"^[ \t]*[1-9]\d?(?:\.[1-9]\d?)+\.?(?=[ \t]+[A-Z])", re.MULTILINE)),
    ("section", re.compile(r"^[ \t]*\d{1,3}[.)](?=[ \t]+\S)", re.MULTILINE)),
    ("section", re.compile(r"^[ \t]*\d{1,4}[ \t]*$", re.MULTILINE)),
    ("section", re.compile(r"(?<=\()\d(?=\))")),
    ("date", re.compile(r"\b\d{4}[-_/]\d{1,2}[-_/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?")),
    ("date", re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")),
    (
        "date",
        re.compile(
            rf"\b(?:\d{{1,2}}\s+)?(?:{_MONTHS})[a-z]*\.?\s+\d{{1,2}}(?:,?\s+\d{{4}})?\b"
            rf"|\b(?:\d{{1,2}}\s+)?(?:{_MONTHS})[a-z]*\.?,?\s+\d{{4}}\b"
        ),
    ),
    (
        "date",
        re.compile(r"(?<![\d.,])(?:19|20)\d{2}(?![\d.,]\d|\s*(?:items|records|rows|%))(?![\d])"),
    ),
    ("version", re.compile(r"\bv\d+(?:\.\d+)*\b|\b\d+\.\d+\.\d+(?:[.\w-]*)")),
    (
        "version",
        re.compile(r"\b(?:Python|CUDA|Ubuntu|Debian|version|release)\s+\d[\d.]*", re.IGNORECASE),
    ),
    ("name", re.compile(r"\b(?=[0-9a-f]*[a-f])(?=[0-9a-f]*\d)[0-9a-f]{7,64}\b")),
    ("name", re.compile(r"(?<![\w.,])0\d+(?![.,]?\d|\s?%)")),
    ("name", re.compile(rf"\b(?:{_MODELS})[ -]\d+(?:\.\d+)*", re.IGNORECASE)),
    ("name", re.compile(r"\b(?:[A-Za-z]+_?|[A-Za-z]*[A-Z][A-Za-z]*-)\d+(?:[-_.]\w+)*\b")),
    (
        "name",
        re.compile(
            rf"\b\d+(?!\d|{MEASURES})[A-Za-z]{{2,}}\w*|\b\d+[-_](?![a-z]{{3,}}\b)[A-Za-z]\w*"
        ),
    ),
    (  # a path, but not a fraction: 2/34
        "name",
        re.compile(
            r"(?<![\w/])(?!(?<!-)\d{1,5}/\d{1,5}(?![\w/-]))\w{1,80}/\w[\w./-]{0,120}\d[\w./-]{0,120}"
        ),
    ),
)
_WORD = "|".join(sorted(WORDS, key=len, reverse=True))
_VERSION_END = re.compile(r"(?:[.\w-]*\w)?")
_TAGGED = re.compile(r"(?<![\w.])v(\d+(?:\.\d+)+)")
_COUNT = re.compile(
    rf"\b(?:(?:{_WORD})(?:[-\s]|\b)(?:(?:(?<=hundred\s)|(?<=thousand\s))and\s(?=(?:{_WORD})\b))?)+",
    re.IGNORECASE,
)
_UNCOUNTED = re.compile(
    r"\b(?:one of|no one|one another|each one|this one|that one|the one)\b", re.IGNORECASE
)
_NEAR = 160


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """A number in a text: where it stands, what it is, and how much the text rests on it."""

    text: str
    line: int
    start: int
    end: int
    kind: Kind
    weight: float
    sentence: str

    @property
    def printed(self) -> Printed | None:
        """The number that is printed."""
        return parse_printed(self.text)


@lru_cache(maxsize=2)
def mentions_in(document: Document) -> list[Mention]:
    """Every number and count word of a text, in order."""
    text = document.text
    masked = _masked(document)
    mentions: list[Mention] = []
    seen: set[str] = set()
    for start, end in _spans(_readable(document)):
        kind = _KINDS[masked[start]]
        start, end = _whole_version(text, start, end) if kind == "version" else (start, end)
        if mentions and start < mentions[-1].end:
            continue
        printed = text[start:end].rstrip()
        if kind is None:
            kind = "count" if re.fullmatch(r"[A-Za-z -]+|\d{1,3}", printed) else "figure"
        weight = 0.0
        if kind in STATED:
            again = repeated_form(text, start, end, is_count=kind == "count")
            weight = weight_of(
                text, start, end, is_count=kind == "count", is_repeated=again in seen
            )
            seen |= {again} - {""}
        mentions.append(
            Mention(
                text=printed,
                line=document.line_of(start),
                start=start,
                end=start + len(printed),
                kind=kind,
                weight=weight,
                sentence=_sentence(text, start, end),
            )
        )
    return mentions


def _readable(document: Document) -> str:
    """The text with blanks for the comments of LaTeX, whose sign would be taken for per cent."""
    if document.suffix != ".tex":
        return document.text
    parts, at = [], 0
    for (start, end), _ in document.comments:
        parts += [document.text[at:start], " " * (end - start)]
        at = end
    return "".join([*parts, document.text[at:]])


def _spans(text: str) -> list[Span]:
    """The spans of numbers and count words, the first and longest of those that overlap."""
    found = [one.span() for one in PATTERN.finditer(text) if _alone(text, one)]
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


def _whole_version(text: str, start: int, end: int) -> Span:
    """The span of a version of which a number is a part: 3.1.2, not 3.1."""
    while start > 0 and (text[start - 1] == "." or text[start - 1].isdigit()):
        start -= 1
    found = _VERSION_END.match(text, end)
    return start, end if found is None else found.end()


def _alone(text: str, found: re.Match[str]) -> bool:
    """Whether a number is not the inside of a word or of another number."""
    before = text[max(found.start() - 1, 0) : found.start()]
    after = text[found.end() : found.end() + 1]
    return not (before.isalnum() or before == "_") and not (after.isalpha() and not found["unit"])


def _masked(document: Document) -> bytearray:
    """For each place of a text the number of the first mask that covers it; 0 if none does."""
    masks = bytearray(len(document.text))
    for number, (_, pattern) in reversed(list(enumerate(_MASKS, 2))):
        for one in pattern.finditer(document.text):
            _cover(masks, one.span(), number)
    for span in [*document.code, *(span for span, _ in document.comments)]:
        _cover(masks, span, 1)
    return masks


def _cover(masks: bytearray, span: Span, number: int) -> None:
    masks[span[0] : span[1]] = bytes([number]) * (span[1] - span[0])


_KINDS: Sequence[Kind | None] = (None, "code", *(kind for kind, _ in _MASKS))


def _is_article(text: str, start: int, end: int) -> bool:
    """Whether `one` is no count: one of, no one."""
    around = text[max(0, start - 6) : end + 9]
    return text[start:end].lower() == "one" and _UNCOUNTED.search(around) is not None


def _sentence(text: str, start: int, end: int) -> str:
    """The words around a number, on one line."""
    before, after = text[max(0, start - _NEAR) : start], text[end : end + _NEAR]
    begin = max(before.rfind(". ") + 1, before.rfind("\n\n") + 1)
    stops = [at for at in (after.find(". "), after.find("\n\n")) if at >= 0]
    return " ".join((before[begin:] + text[start:end] + after[: min([*stops, _NEAR])]).split())
