"""What in a text is no statement: dates, sections, versions, references, quotations, names."""

import re
from collections.abc import Sequence
from typing import Literal

from assay.tables.numbers.printed_numbers import MEASURES

Kind = Literal[
    "figure", "count", "date", "section", "version", "code", "quotation", "reference", "name",
    "hidden",
]  # fmt: skip
MONTHS = (
    r"(?:Jan(?:uary)?|Feb(?:ruary)?|Mar(?:ch)?|Apr(?:il)?|May|June?|July?|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Oct(?:ober)?|Nov(?:ember)?|Dec(?:ember)?)\b"
)
_NUMBERED = (
    r"Fig(?:ures?|s?\.)|Tab(?:les?|s?\.)|Eq(?:uations?|n?s?\.)|Listing|Theorem|Lemma|Algorithm"
    r"|Proposition|Corollary|Definition|Example|RFC|ADR|Decision|Footnote|lines?|p{1,2}\.|pages?"
)
MODELS = "GPT|Claude|Opus|Sonnet|Haiku|Gemini|Gemma|Llama|Qwen|Mistral|Phi"
MASKS: Sequence[tuple[Kind, re.Pattern[str]]] = (
    ("quotation", re.compile(r"“(?=[^”]*[^\W\d_]{2})(?:[^”\n]|\n(?![ \t]*\n)){1,400}”")),
    (
        "reference",
        re.compile(r"https?://\S+|doi:\S+|arXiv:\S+|\]\([^)\s]{0,1000}\)", re.IGNORECASE),
    ),
    ("reference", re.compile(r"\[\d{1,3}(?:\s*[,–-]\s*\d{1,3})*\](?!\()")),
    (
        "reference",
        re.compile(
            rf"\b(?:{_NUMBERED})\s*\(?\d+(?:\.\d+)*(?:\s*[-\u2013]\s*\d+)?\)?", re.IGNORECASE
        ),
    ),
    (
        "reference",
        re.compile(
            r"(?<!§)§+\s*\d+(?:\.\d+)*(?:\s*(?:[–,-]|and)\s*§*\d+(?:\.\d+)*)*"
            r"|\b(?:Sec(?:tion|\.)|Ch(?:apter|\.)|Appendix)s?\s+\d+(?:\.\d+)*"
            r"(?:\s*(?:[–,-]|and|to)\s*\d+(?:\.\d+)*)*",
            re.IGNORECASE,
        ),
    ),
    (
        "section",
        re.compile(
            r"\b(?:Step|Layer|Part|Phase)s?\s+\d+(?:\.\d+)*"
            r"(?:\s*(?:[–,-]|and|to)\s*\d+(?:\.\d+)*)*",
            re.IGNORECASE,
        ),
    ),
    ("section", re.compile(r"(?<=\()\d(?=\)\s+[^\W\d_])")),  # (2) next, but not 9 GPUs (8).
    ("date", re.compile(r"\b\d{4}[-_/]\d{1,2}[-_/]\d{1,2}(?:[T ]\d{1,2}:\d{2}(?::\d{2})?)?")),
    ("date", re.compile(r"\b\d{1,2}:\d{2}(?::\d{2})?\b")),
    (
        "date",
        re.compile(
            rf"\b(?:\d{{1,2}}\s+)?{MONTHS}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?(?:,?\s+\d{{4}})?\b"
            rf"|\b(?:\d{{1,2}}\s+)?{MONTHS}\.?,?\s+\d{{4}}\b"
            rf"|(?<![\d.,])\d{{1,2}}\.?\s+(?:of\s+)?{MONTHS}"
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
    (
        "name",
        re.compile(rf"\b(?:{MODELS})[ -]\d+(?:\.\d+)*(?:[ -]\d+(?:\.\d+)?[BM]\b)?", re.IGNORECASE),
    ),
    ("name", re.compile(r"\b\d+(?:\.\d+)?[BM](?=[\s-](?:models?|variants?|checkpoints?)\b)")),
    (
        "name",
        re.compile(r"\b(?:top|pass|best|hits?|recall|precision|ndcg|maj)[-@]\d+", re.IGNORECASE),
    ),
    ("name", re.compile(r"\b[A-Za-z]+@\d+")),
    (
        "name",
        re.compile(
            r"\b(?:[A-Za-z]+_?|[A-Za-z]*[A-Z][A-Za-z]*-)(?!0\.)\d+(?:\.\d+)?[A-Za-z]?"
            r"(?:[-_.]\w+)*\b"
        ),
    ),
    (
        "name",
        re.compile(
            rf"\b\d+(?!\d|{MEASURES})[A-Za-z]{{2,}}\w*|\b\d+[-_](?![a-z]{{3,}}\b)[A-Za-z]\w*"
        ),
    ),
    (  # a path, but not a fraction: 2/34
        "name",
        re.compile(
            r"(?<![\w/])(?!(?<!-)\w{1,80}/\d[\d.]*(?![\w/-]))\w{1,80}/\w[\w./-]{0,120}\d[\w./-]{0,120}"
        ),
    ),
)
