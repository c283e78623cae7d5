"""How much a text rests on a number: headline figures come before counts in passing.

Precision, the words around it, what it counts, emphasis and place add to the weight; a repetition,
a threshold and the lower part of a fraction take from it.
"""

import re

from assay.tables.numbers.printed_numbers import parse_printed

_NEAR = 160
_MOST_DIGITS = 4
_HEADLINES = 3_000
"""Characters at the start of a text in which its headline figures stand; more in a long text."""
_NUMERATOR = re.compile(r"\s?/\s?\d{1,5}(?![\w/-])|\s(?:out\s)?of\s(?:the\s)?\d{1,5}\b")
_DENOMINATOR = re.compile(r"(?<![\w/.-])\d{1,5}(?:\s?/\s?|\s(?:out\s)?of\s(?:the\s)?)$")
_THRESHOLD = re.compile(r"[<>≤≥]=?\s?$|\b(?:threshold|bars?)\s?[(-]\s?$")
_METRIC = re.compile(
    r"AUC|AUROC|F1|accuracy|precision|recall|score|rate|mean|median|%|percent|points|interval|p\s*[<=]"
    r"|times|faster|slower|correlation|rho|margin|error|pass|fail|result|improv|gain|drop|only",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"[\s-]+(?:[\w-]+\s+){0,3}?"
    r"(?!(?:this|does|thus|less|across|versus|always|plus)\b)[a-z][a-z-]{2,}s\b"
)
"""Things that are counted: `documents` in thirteen documents, in 30 labelled records."""
_SIZE = re.compile(r"\b[nN]\s*=\s*$|\b[a-z][\w-]*=$")


def weight_of(
    text: str, start: int, end: int, *, is_count: bool, is_repeated: bool, is_strong: bool
) -> float:
    """The weight of the number at a place of a plain text, which states something."""
    number, before = text[start:end], text[max(0, start - _NEAR) : start]
    line = before[before.rfind("\n") + 1 :].lstrip() or number
    digits = re.sub(r"\D", "", number).lstrip("0")
    around = text[max(0, start - 60) : end + 40]
    weight = 1.0 + 0.1 * min(len(digits), _MOST_DIGITS)
    weight += 1.5 * ("." in number or "%" in number or _is_numerator(text, start, end))
    weight += 1.5 * bool(_METRIC.search(around))
    weight += 1.0 * (is_strong or line.startswith("#"))
    weight += 1.0 * (start < max(_HEADLINES, len(text) // 12))
    weight += 0.5 * line.startswith("|")
    weight += _counted(text, start, end) if is_count else 0.0
    weight -= 1.0 * bool(_DENOMINATOR.search(before[-12:]))
    weight -= 1.0 * (number.lower() == "one")
    weight -= 1.0 * is_repeated
    weight -= 1.5 * bool(_THRESHOLD.search(before[-14:]))
    return round(weight, 1)


def repeated_form(text: str, start: int, end: int, *, is_count: bool) -> str:
    """What a second statement of a number shares with the first; empty for a plain count."""
    below = _NUMERATOR.match(text, end) if _is_numerator(text, start, end) else None
    if below is not None:
        return "".join((text[start:end] + below[0]).split())
    return "" if is_count else text[start:end].strip()


def _is_numerator(text: str, start: int, end: int) -> bool:
    """Whether a number is the upper part of a fraction: 2 in 2/34 and in 2 of 34."""
    return text[start:end].isdigit() and _NUMERATOR.match(text, end) is not None


def _counted(text: str, start: int, end: int) -> float:
    """More for a number that counts things: thirteen documents, n = 34; most from ten on."""
    printed = parse_printed(text[start:end].rstrip())
    if printed is None or printed.value < 3:
        return 0.0
    counts = _COUNTED.match(text[end : end + _NEAR]) or _SIZE.search(
        text[max(0, start - 24) : start]
    )
    return (1.5 if printed.value >= 10 else 0.5) if counts else 0.0
