"""Every number and count word of a text, and its kind: a figure, a date, a section, code.

A figure is a statement that can be false. Dates, section numbers, versions, code, quotations,
references and names are recognised separately: readers do not take them as results.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

from assay.claim_audit.in_place import claims_in
from assay.claim_audit.printed_numbers import PATTERN, WORDS, Printed, parse_printed
from assay.claim_audit.result import ClaimCoverage

Kind = Literal[
    "figure", "count", "date", "section", "version", "code", "quotation", "reference", "name"
]
STATED: frozenset[Kind] = frozenset({"figure", "count"})
"""The kinds of numbers that an artifact could contradict."""

_MONTHS = "Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec"
_MASKS: Sequence[tuple[Kind, re.Pattern[str]]] = (
    ("code", re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)),
    ("code", re.compile(r"(?<!`)(`{1,9})(?!`).{1,400}?(?<!`)\1(?!`)", re.DOTALL)),
    ("code", re.compile(r"<!--.*?-->", re.DOTALL)),
    ("code", re.compile(r"^(?: {4}|\t)\S.*$", re.MULTILINE)),
    ("quotation", re.compile(r"^>.*$", re.MULTILINE)),
    ("quotation", re.compile(r"“[^”\n]{1,400}”")),
    ("reference", re.compile(r"https?://\S+|doi:\S+|arXiv:\S+|\]\([^)\s]*\)", re.IGNORECASE)),
    ("reference", re.compile(r"\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\](?!\()")),
    (
        "reference",
        re.compile(
            r"\b(?:Fig(?:ure|\.)|Tab(?:le|\.)|Eq(?:uation|\.)|Listing)\s*\d+", re.IGNORECASE
        ),
    ),
    (
        "section",
        re.compile(
            r"§+\s*\d+(?:\.\d+)*(?:\s*(?:[–,-]|and)\s*§*\d+(?:\.\d+)*)*"
            r"|\b(?:Sec(?:tion|\.)|Ch(?:apter|\.)|Appendix|Step|Layer|Part|Phase)s?\s+\d+(?:\.\d+)*",
            re.IGNORECASE,
        ),
    ),
    ("section", re.compile(r"^[ \t]*#+[ \t]+\d+(?:\.\d+)*\.?(?=\s)", re.MULTILINE)),
    ("section", re.compile(r"^[ \t]*(?:\d+(?:\.\d+)+|\d{1,3}[.)])(?=[ \t]+\S)", re.MULTILINE)),
    ("section", re.compile(r"^[ \t]*\d{1,4}[ \t]*$", re.MULTILINE)),
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
    ("name", re.compile(r"\b[A-Za-z]+[-_]?\d+(?:[-_.]\w+)*\b")),
    ("name", re.compile(r"\b\d+[A-Za-z]{2,}\w*|\b\d+[-_][A-Za-z]\w*")),
    ("name", re.compile(r"(?<![\w/])\w{1,80}/\w[\w./-]{0,120}\d[\w./-]{0,120}")),
)
_COUNT = re.compile(
    r"\b(?:(?:" + "|".join(sorted(WORDS, key=len, reverse=True)) + r")(?:[- ]|\b))+", re.IGNORECASE
)
_UNCOUNTED = re.compile(
    r"\b(?:one of|no one|one another|each one|this one|that one|the one)\b", re.IGNORECASE
)
_METRIC = re.compile(
    r"AUC|AUROC|F1|accuracy|precision|recall|score|rate|mean|median|%|percent|points|interval|p\s*[<=]"
    r"|times|faster|slower|correlation|rho|margin|error|pass|fail|result|improv|gain|drop|only",
    re.IGNORECASE,
)


class Mention(msgspec.Struct, frozen=True, kw_only=True):
    """A number in a text: its place, kind and importance."""

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


def mentions_in(text: str) -> list[Mention]:
    """Every number and count word of a text, in order."""
    masked = _masked(text)
    found = [(one.start(), one.end()) for one in PATTERN.finditer(text) if _alone(text, one)]
    words = [(one.start(), one.start() + len(one[0].rstrip(" -"))) for one in _COUNT.finditer(text)]
    taken = [span for span in words if not _is_article(text, *span)]
    mentions = []
    for start, end in sorted({*found, *taken}):
        kind = _MASKS[masked[start] - 1][0] if masked[start] else None
        printed = text[start:end].strip()
        if kind is None:
            kind = "count" if re.fullmatch(r"[A-Za-z -]+|\d{1,3}", printed) else "figure"
        mentions.append(
            Mention(
                text=printed,
                line=text.count("\n", 0, start) + 1,
                start=start,
                end=start + len(printed),
                kind=kind,
                weight=_weight(text, start, end, kind),
                sentence=_sentence(text, start, end),
            )
        )
    return mentions


def ranked(mentions: Iterable[Mention]) -> list[Mention]:
    """The numbers that can be false, most important first."""
    stated = [one for one in mentions if one.kind in STATED]
    return sorted(stated, key=lambda one: (-one.weight, one.start))


def covered_by(mention: Mention, spans: Iterable[tuple[int, int]]) -> bool:
    """Whether a claim covers a number."""
    return any(start < mention.end and mention.start < end for start, end in spans)


def coverage_of(parts: Iterable[tuple[str, str, str]]) -> ClaimCoverage:
    """How many numbers of some texts can be false, and how many of these have a claim."""
    numbers = covered = 0
    for text, place, suffix in parts:
        spans = [(one.start, one.end) for one in claims_in(text, place, suffix)]
        stated = [one for one in mentions_in(text) if one.kind in STATED]
        numbers += len(stated)
        covered += sum(covered_by(one, spans) for one in stated)
    return ClaimCoverage(numbers=numbers, covered=covered)


def _alone(text: str, found: re.Match[str]) -> bool:
    """Whether a number is not part of a word or of another number."""
    before = text[found.start() - 1 : found.start()]
    after = text[found.end() : found.end() + 1]
    return not (before.isalnum() or before in "_") and not (after.isalpha() and not found["unit"])


def _masked(text: str) -> bytearray:
    """For each position of a text, the number of the first mask that covers it; 0 if none does."""
    masks = bytearray(len(text))
    for number, (_, pattern) in reversed(list(enumerate(_MASKS, 1))):
        for one in pattern.finditer(text):
            masks[one.start() : one.end()] = bytes([number]) * (one.end() - one.start())
    return masks


def _is_article(text: str, start: int, end: int) -> bool:
    """Whether `one` is not a count: one of, no one."""
    around = text[max(0, start - 6) : end + 9]
    return text[start:end].lower() == "one" and _UNCOUNTED.search(around) is not None


def _weight(text: str, start: int, end: int, kind: Kind) -> float:
    """The importance of a number: emphasis, place, precision, and the words around it."""
    if kind not in STATED:
        return 0.0
    number = text[start:end]
    line_start = text.rfind("\n", 0, start) + 1
    line_end = text.find("\n", end)
    line = text[line_start : line_end if line_end >= 0 else len(text)]
    weight = 1.0
    weight += 1.5 * ("." in number or "%" in number)
    weight += 1.5 * bool(_METRIC.search(text[max(0, start - 60) : end + 40]))
    weight += 1.0 * (text[max(0, start - 2) : start] == "**" or line.lstrip().startswith("#"))
    weight += 1.0 * (start < max(3_000, len(text) // 12))
    weight += 0.5 * line.lstrip().startswith("|")
    weight -= 0.5 * (kind == "count" and len(number) < 3 and not number.isdigit())
    return weight


def _sentence(text: str, start: int, end: int) -> str:
    """The words around a number, on one line."""
    begin = max(text.rfind(". ", 0, start) + 1, text.rfind("\n\n", 0, start) + 1, start - 160)
    stops = [at for at in (text.find(". ", end), text.find("\n\n", end)) if at >= 0]
    return " ".join(text[begin : min([*stops, end + 160])].split())
