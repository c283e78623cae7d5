"""Whether a number is written whole where it stands, or is a part of something larger.

What may touch a number is listed, and all else makes it a part: a sign, a power, a fraction, an
error, markup that is not understood. A part is refused, since its value is not what the text says.
"""

import re

from assay.claim_audit.texts.marks import BULLET, CLAIM, OPAQUE, REFERENCE
from assay.claim_audit.texts.printed_numbers import CURRENCIES, DASHES

_REACH = 40
_SHOWN = 24
_ENDING = (
    "halves|thirds?|quarters?|fourths?|fifths?|sixths?|sevenths?|eighths?|ninths?|tenths?"
    "|hundredths?|thousandths?|millionths?|fold"
)
_LARGE = (
    r"[KBGTPEb]|k|M|MM|bn|mn|mio|mln|mrd|tn|trn|hundred|thousand|million|billion|trillion"
    r"|quadrillion|lakh|crore|dozen|per\s?cent|pct|percentile|per\s?mille|permille|bps|basis\spoints"
)
_MARKS = rf"\u00b1\u2213\u00d7\u00f7\u00b7\u22c5*^_/%\uff05\ufe6a\u066a\u2030\u00b0\u221a{OPAQUE}"
_FRACTIONS = "\u00bc-\u00be\u2150-\u215e\u2189"
_TOUCHES_BEFORE = re.compile(
    rf"[\s(\[|=<>\u2264\u2265~\u2248\u223c,;:.!?\u2014\u2026\u2192{BULLET}{REFERENCE}\"'\u201c\u201d\u2018\u2019\u00ab`$\u00a7]"
)
_TOUCHES_BEHIND = re.compile(
    rf"[\s()\]|<>=,;:.!?\u2014\u2026\u2192{BULLET}{REFERENCE}\"'\u201c\u201d\u2018\u2019\u00bb`]"
)
_BEFORE = re.compile(
    rf"\d[.,:'\u2019]$"  # 0,4  10:30  1'840
    rf"|[\s(]\u2014$|^\u2014$"  # a long dash for a minus
    rf"|(?:[{_MARKS}{DASHES}+]|\+/-|\+-|[{DASHES}+]\s?[{CURRENCIES}])\s*$"
    rf"|[\d{_FRACTIONS}][^\S\n]+$|\d:$|\d\s+:\s*$|\d\s*[xX]\s*$"
    rf"|(?<!\w)[{DASHES}]\s?\($"
    r"|\b(?:minus|negative|half\san?|(?:one|1)\s+in|hundred|thousand|million|billion)\s+$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    rf"[.,:'\u2019](?=[\d{_MARKS}])|\.[a-z]"
    rf"|\s*(?:[{_MARKS}{_FRACTIONS}]|\+/?[{DASHES}]|[xX]\s?\d|\s:\s*\d|[{DASHES}+]\s*[\d.(])"
    rf"|[^\S\n]+[\d.]*\d|\(\d"
    rf"|[\s-]*(?:{_ENDING})\b|[\s-]?(?:{_LARGE})(?![\w'\u2019])"
    r"|\s+and\s+(?:an?|one|two|three)[\s-](?:half|quarter|third)|\s+point\s+(?:\d|zero|one|two|three"
    r"|four|five|six|seven|eight|nine)\b|\s*[eE][+\-\u2212]?\d",
)
_MIXED_CASE = re.compile(rf"[\s-]*(?:{_ENDING})\b|\s+(?:hundred|thousand|million|billion)\b", re.I)
_ONE_IN = re.compile(r"\s+in\s+(?:a\s+)?(?:\d|two|three|four|five|six|seven|eight|nine|ten|twenty"
                     r"|fifty|hundred|thousand|million)", re.I)  # fmt: skip


def part_of(text: str, start: int, end: int) -> str | None:
    """What a number between two places is a part of; None if it stands alone.

    Comments between the number and what follows do not part the two.
    """
    before = text[max(0, start - _REACH) : start].replace(CLAIM, "")
    behind = text[end : end + _REACH].replace(CLAIM, "")
    number = text[start:end]
    is_part = _part_before(before) or _part_behind(number, behind)
    return _around(before, number, behind) if is_part else None


def _part_before(before: str) -> bool:
    paragraph = before[before.rfind("\n\n") + 1 :] if "\n\n" in before else before
    if not paragraph:
        return False
    return not _TOUCHES_BEFORE.match(paragraph[-1]) or _BEFORE.search(paragraph) is not None


def _part_behind(number: str, behind: str) -> bool:
    behind = behind.split("\n\n")[0]
    if not behind:
        return False
    if number.lower() in ("one", "1") and _ONE_IN.match(behind):
        return True
    hyphened = re.match(rf"[{DASHES}][A-Za-z]", behind)  # a 5-shot prompt, but not 4-fold
    touches = _TOUCHES_BEHIND.match(behind) or hyphened
    if not touches or _BEHIND.match(behind):
        return True
    return _MIXED_CASE.match(behind) is not None


def _around(before: str, number: str, behind: str) -> str:
    """The words around a number, as a message shows them."""
    left = before[-_SHOWN:].split("\n")[-1]
    right = behind[:_SHOWN].split("\n")[0] or behind[:_SHOWN].replace("\n", " ")
    shown = f"{left.partition(' ')[2] if len(before) > _SHOWN else left}{number}{right}"
    return shown.replace(OPAQUE, "\u25af").replace(REFERENCE, "").strip()
