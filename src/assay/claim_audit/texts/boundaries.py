"""Whether a number is written whole where it stands, or is a part of something larger.

What may touch a number is listed, and all else makes it a part: a sign, a power, a fraction, an
error, markup that is not understood. A part is refused, since its value is not what the text says.
"""

import re

from assay.claim_audit.texts.markup.marks import BULLET, CLAIM, OPAQUE, REFERENCE
from assay.tables.numbers.printed_numbers import CURRENCIES, DASHES

_REACH = 40
_LOOKED_AT = 2_000
"""Characters on either side, in which notes and comments are read as if they were not there."""
_SHOWN = 24
_ENDING = (
    "halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
    "|hundredths?|thousandths?|millionths?|fold"
)
_LARGE = (
    r"[KBGTPEb]|k|M|MM|bn|mn|mio|mln|mrd|tn|trn|hundred|thousand|million|billion|trillion"
    r"|quadrillion|lakh|crore|dozen|per\s?cent|pct|percentile|per\s?mille|permille|bps|basis\spoints"
)
_OTHER_UNITS = (
    r"mrd|mia|mill?iarden?|milliards?|millionen|tsd|tausend|[a-z]{0,4}zillions?|prozent|promille"
    r"|p\.\s?c\.|v\.\s?h\."
)
"""Units of other languages, and of none, which are not read."""
_ARROWS = "\u2191\u2193\u25b2\u25bc\u25b3\u25bd\u2197\u2198\u2b06\u2b07\U0001f53a\U0001f53b"
"""Signs of a rise or a fall: they say a number's direction as a sign does."""
_MARKS = rf"\u00b1\u2213\u00d7\u00f7\u00b7\u22c5*^_/%\uff05\ufe6a\u066a\u2030\u00b0\u221a{OPAQUE}"
_FRACTIONS = "\u00bc-\u00be\u2150-\u215e\u2189"
_TOUCHES_BEFORE = re.compile(
    rf"[\s(\[|=<>\u2264\u2265~\u2248\u223c,;:.!?\u2014\u2026\u2192{BULLET}{REFERENCE}\"'\u201c\u201d\u2018\u2019\u00ab`$\u00a7]"
)
_TOUCHES_BEHIND = re.compile(
    rf"[\s()\]|<>=,;:.!?\u2014\u2026\u2192{BULLET}{REFERENCE}\"'\u201c\u201d\u2018\u2019\u00bb`]"
)
_BEFORE = re.compile(
    rf"\d[.,:'\u2019]\Z"  # 0,4  10:30  1'840
    rf"|[\s(]\u2014\Z|^\u2014\Z"  # a long dash for a minus
    rf"|(?:[{_MARKS}{DASHES}+]|\+/-|\+-|[{DASHES}+]\s?[{CURRENCIES}])\s*\Z"
    rf"|[\d{_FRACTIONS}][^\S\n]+\Z|(?<![A-Za-z\s]):\Z|\d\s+:\s*\Z|\d\s*[xX]\s*\Z"
    rf"|(?<!\w)[{DASHES}]\s?\(\Z|\d[eE]\s+\Z|[{_ARROWS}]\ufe0f?\s*\Z|\(\s?[{DASHES}+]\s?\)\s*\Z"
    r"|\b(?:log(?:2|10)?|ln|exp|sqrt)\s\(?\Z"
    r"|(?:minus|negative)\s+[(\[\"'\u201c\u2018]+\Z|==\Z|(?:minus|negative)\s+\Z|\b(?:half\san?|(?:one|1)\s+in|hundred|thousand|million|billion)\s+\Z",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"[.,:'\u2019](?=[\d{_MARKS}])|\.[a-z]|![^\S\n]+[a-z]"
    rf"|\s*(?:(?!\u00d7\s?(?:[A-Za-z]{{2}}|[A-Z]\d))[{_MARKS}{_FRACTIONS}]|\+/?[{DASHES}]|[xX]\s?\d|\s:\s*\d|[{DASHES}+]\s*[\d.(])"
    rf"|[^\S\n]+[\d.]*\d|\(\d"
    rf"|[\s-]*(?:{_ENDING})\b|==|\s?\$|[\s-]{{0,4}}(?:{_LARGE})(?![\w'\u2019])"
    r"|\s+and\s+(?:an?|one|two|three)[\s-](?:half|quarter|third)|\s*[eE][+\-\u2212]?\d",
)
_NUMERALS = "zero|one|two|three|four|five|six|seven|eight|nine"
_BEHIND_ANY_CASE = re.compile(
    rf"[\s-]*(?:{_OTHER_UNITS})(?!\w)|[{REFERENCE}\s]*[(\[]\s?(?:%|\uff05|\u2030|per\s?cent|pct)\s?[)\]]"
    rf"|[{REFERENCE}\s]+(?:[%\uff05\u2030]|per\s?cent\b|pct\b)"
    rf"|\s+an?\s+(?:hundred|thousand|million|billion|dozen)\b|[\s-]*(?:{_ENDING})\b"
    rf"|\s+(?:hundred|thousand|million|billion|trillion)(?:th)?s?\b|\s+point\s+(?:{_NUMERALS})\b",
    re.IGNORECASE,
)
_BEFORE_ANY_CASE = re.compile(rf"\b(?:{_NUMERALS}|ten)\s+point\s+\Z", re.IGNORECASE)
_ENCLOSED_BEFORE = re.compile(rf"(?:[{_MARKS}{DASHES}+]|\+/-)\s?[(\[{{\"'\u201c\u2018]+\Z")
_ENCLOSED_BEHIND = re.compile(rf"[)\]}}\"'\u201d\u2019]+[\s-]?(?:[{_MARKS}]|(?:{_LARGE})\b|[eE]\d)")
_LARGE_WORD = re.compile(r"(?:hundred|thousand|million|billion|trillion|dozen)\b", re.IGNORECASE)
"""A sign or a unit outside of brackets: it is the number's too."""
_NAME = re.compile(
    r"(?<![\w.,/^$\u20ac\u00a3\u00a5])(?!(?:x|e|log|ln|sqrt|USD|US|EUR|GBP|JPY|CHF|Rs)[-@]?\d)"
    r"[A-Za-z][A-Za-z_]*[-@]?\d+(?:\.\d+)?(?P<gap>[^\S\n]+)\Z",
    re.IGNORECASE,
)
"""A name before a number: p95, D1, top-5, GPT-4. A factor, a logarithm and an amount are none."""
_ONE_IN = re.compile(r"\s+in\s+(?:a\s+)?(?:\d|two|three|four|five|six|seven|eight|nine|ten|twenty"
                     r"|fifty|hundred|thousand|million)", re.I)  # fmt: skip


def part_of(text: str, start: int, end: int) -> str | None:
    """What a number between two places is a part of; None if it stands alone.

    Comments between the number and what follows do not part the two.
    """
    before = text[max(0, start - _LOOKED_AT) : start].replace(CLAIM, "")[-_REACH:]
    behind = text[end : end + _LOOKED_AT].replace(CLAIM, "")[:_REACH]
    number = text[start:end]
    is_part = _part_before(number, before) or _part_behind(number, behind)
    return _around(before, number, behind) if is_part else None


def _part_before(number: str, before: str) -> bool:
    paragraph = before[before.rfind("\n\n") + 1 :] if "\n\n" in before else before
    paragraph = _NAME.sub(r"n\g<gap>", paragraph)
    if not paragraph:
        return False
    if _LARGE_WORD.match(number) and re.search(r"[^\sA-Za-z,;.(\u2022|>]\s*\Z", paragraph):
        return True
    patterns = (_BEFORE, _BEFORE_ANY_CASE, _ENCLOSED_BEFORE)
    return not _TOUCHES_BEFORE.match(paragraph[-1]) or any(
        pattern.search(paragraph) for pattern in patterns
    )


def _part_behind(number: str, behind: str) -> bool:
    behind = behind.split("\n\n")[0]
    if not behind:
        return False
    if number.lower() in ("one", "1") and _ONE_IN.match(behind):
        return True
    hyphened = re.match(rf"[{DASHES}][A-Za-z]", behind)  # a 5-shot prompt, but not 4-fold
    times = number[-1] == "\u00d7" and re.match(r"\s?(?:[A-Za-z]{2}|[A-Z]\d)", behind)
    touches = _TOUCHES_BEHIND.match(behind) or hyphened or times
    patterns = (_BEHIND, _BEHIND_ANY_CASE, _ENCLOSED_BEHIND)
    return not touches or any(pattern.match(behind) for pattern in patterns)


def _around(before: str, number: str, behind: str) -> str:
    """The words around a number, as a message shows them."""
    left = before[-_SHOWN:].split("\n")[-1]
    right = behind[:_SHOWN].split("\n")[0] or behind[:_SHOWN].replace("\n", " ")
    shown = f"{left.partition(' ')[2] if len(before) > _SHOWN else left}{number}{right}"
    return shown.replace(OPAQUE, "\u25af").replace(REFERENCE, "").strip()
