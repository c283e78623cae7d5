"""What stands between a number and its comment, and may be a nearer number.

References, names and years are no numbers of that kind. Whatever else looks like one is told: an
earlier number is not what stands there.
"""

import re
from collections.abc import Sequence

from assay.claim_audit.texts.markup.marks import CLAIM
from assay.claim_audit.texts.mentions import Token
from assay.claim_audit.texts.reading.refusal import NotWhole, shown
from assay.claim_audit.texts.unstated import MODELS

_IN_YEAR = re.compile(r"(?:\b(?:in|since|of|from|until|by|during|before|after)\s|\()$", re.I)
_YEAR = re.compile(r"(?:19|20)\d{2}")
_LETTERED = re.compile(
    rf"[A-Za-z][\w.@/]*[-_@/.]?\Z|\b(?:{MODELS})[ -](?:\d[\d.]*[ -])?\Z", re.IGNORECASE
)
"""What stands before the number of a name: D1, GPT-4, Llama 2; a name has letters."""
_NAMED = re.compile(r"(?<![\w.])[A-Za-z](?:[\w-]|/(?!\d[\d.]*\b)|\.(?!\d)|(?<=\d)\.)*")
"""A name with digits; `ca.14` and `AUC/0.9` are none."""
_QUANTITY = re.compile(
    r"[\w.,/^-]*\d[\w.,/^%-]*|[\u00bd\u00bc\u00be\u2153\u2154\u00b2\u00b3]"
    r"|\b(?:none|half|halves|third|quarter|twice|thrice|single|pair|couple"
    r"|dozens|hundreds|thousands|millions|\w+fold|\w+teenth)\b"
    r"|\b(?:no|once|both)\b(?=\W*$)",
    re.IGNORECASE,
)


def nearer_than(text: str, start: int, end: int, near: Sequence[Token]) -> str | None:
    """What may be a nearer number than the one that ends at `start`."""
    between = list(text[start:end].replace(CLAIM, " "))
    for one in near:
        if one.start >= start and _is_passed(text, one):
            between[one.start - start : one.end - start] = " " * (one.end - one.start)
    found = _QUANTITY.search(_without_names("".join(between)))
    return None if found is None else found[0].strip()


def none_read(window: str) -> NotWhole:
    """That no number before a comment can be read, and which one comes nearest."""
    found = list(_QUANTITY.finditer(window.replace(CLAIM, " ")))
    told = shown(window)[-60:]
    what = f"{found[-1][0]!r:.40} cannot be read" if found else "no number stands there"
    return NotWhole(
        f"no number that can be read stands before the claim: {what} in {told!r}",
        'put the comment right behind the number, name it (says="0.9"), or say expected="..."',
    )


def _is_passed(text: str, one: Token) -> bool:
    before = text[max(0, one.start - 40) : one.start]
    if one.kind == "name":
        return text[one.end - 1].isalpha() or _LETTERED.search(before) is not None
    is_year = one.kind == "date" and _YEAR.fullmatch(text[one.start : one.end])
    return one.kind == "reference" or bool(is_year and _IN_YEAR.search(before))


def _without_names(between: str) -> str:
    """A stretch without the words that begin with a letter and hold a digit."""

    def blank(found: re.Match[str]) -> str:
        return (
            " " if re.search(r"\d", found[0]) and not re.search(r"-0\.\d", found[0]) else found[0]
        )

    return _NAMED.sub(blank, between)
