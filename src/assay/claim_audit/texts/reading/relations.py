"""Words that make a number a bound: a claim of equality behind "fewer than 4" says something else.

The words and the claim's operator must agree; they are never put together silently. Equality says
more than *at most* does, and is let stand behind it. What stands behind a negation is no statement
of the number: the claim must say its operator.
"""

import re

from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.markup.marks import CLAIM
from assay.claim_audit.texts.reading.negation import negation_before
from assay.claim_audit.texts.reading.refusal import NotWhole

_REACH = 48
_LOOKED_AT = 2_000
_FILL = r"(?:\s+(?:a\s+total\s+of|about|around|some|only|just))?"
_BETWEEN = rf"(?:{_FILL}|\s+(?:the|its?|their))\s*[~\u2248$]?\s*$"
_LOOSE_BETWEEN = rf"{_FILL}\s*[~\u2248$]?\s*$"
"""Behind *over* an article tells a place: over the 240 items."""
_SMALLER, _LARGER = "(?:fewer|less|lower|smaller|worse)", "(?:more|greater|higher|larger|better)"
_OR_EQUAL = r"(?:\s+or\s+equal\s+to|\s*/\s*equal\s+to)"
_BEFORE: tuple[tuple[str, str, str], ...] = (
    (rf"(?:no|not)\s+{_LARGER}\s+than|not\s+(?:above|over)|at\s+most|a\s+maximum\s+of"
     r"|(?:not|never)\s+exceed(?:ing|ed)?|at\s+or\s+(?:below|under)|(?:below|under)\s+or\s+at"
     rf"|{_SMALLER}\s+than{_OR_EQUAL}", "[\u2264\u2266\u2272\u2a7d]|<=", "<="),
    (rf"(?:no|not)\s+{_SMALLER}\s+than|not\s+(?:below|under)|at\s+least|a\s+minimum\s+of"
     r"|at\s+or\s+(?:above|over)|(?:above|over)\s+or\s+at|upwards\s+of"
     rf"|{_LARGER}\s+than{_OR_EQUAL}", "[\u2265\u2267\u2273\u2a7e]|>=", ">="),
    (rf"{_SMALLER}\s+than|strictly\s+(?:under|below)", "(?<!<)<(?!=)|[\uff1c\ufe64\u226a]", "<"),
    (rf"{_LARGER}\s+than|exceed(?:s|ed|ing)?|in\s+excess\s+of|strictly\s+(?:over|above)",
     "(?<![-=>\u2013])>(?![=>])|[\uff1e\ufe65\u226b]", ">"),
    (r"(?<!or\s)(?<!if\s)(?<!why\s)\bnot(?!\s+(?:only|just))|other\s+than|unequal\s+to",
     "\u2260|!=", "!="),
)  # fmt: skip
"""Words and signs before a number, and the operator that they are."""
_LOOSE: tuple[tuple[str, str, str], ...] = (
    (r"up\s+to", "(?!)", "<="), (r"(?:just\s+|well\s+)?(?:under|below)", "(?!)", "<"),
    (r"(?:just\s+|well\s+)?(?:over|above)", "(?!)", ">"),
)  # fmt: skip
"""Words that may be a bound or a place: over 5 seeds, under 3 conditions."""
_VARIABLE = r"\s*[A-Za-z]\w{0,2}(?!\w)"
_BEHIND: tuple[tuple[str, str, str], ...] = (
    (r"or\s+(?:fewer|less|under|below|lower)|at\s+(?:the\s+)?most|and\s+(?:below|under)",
     "[\u2265\u2267\u2a7e]|>=", "<="),
    (r"or\s+(?:more|over|above|higher)|at\s+(?:the\s+)?least|and\s+(?:above|over|up)",
     "[\u2264\u2266\u2a7d]|<=", ">="),
    ("(?!)", ">", "<"), ("(?!)", "<", ">"),
)  # fmt: skip
"""Words behind a number, and signs between it and a variable: 0.05 > p."""
_OF_A_BOUND = re.compile(
    r"(?:^|[.,;:(|]|\b(?:is|are|was|were|be|been|being|has|have|had|holds?|held|contains?|with|in|of|to|at"
    r"|from|by|for|and|or|but|reach(?:es|ed)?|scores?d?|stays?|stayed|remains?|fell|falls?|rose|rises?"
    r"|drops?|dropped|went|goes|there|all|kept|keeps?|took|takes?|uses?d?|costs?|ran|runs|needs?|needed"
    r"|we|it|they|just|well|far|gets?|got|gains?|gained))\s*$",
    re.IGNORECASE,
)
"""What comes before *over* and *under* where they are a bound: has over 5, but a mean over 5."""
_COMPARED = re.compile(r"(?<![\w.-])[\d.,]*\d\s?%?\s*$")
"""A number on the other side of a sign: 0.9 > 0.8 compares two values that the text states."""
_SIGNS = frozenset("<>\u2264\u2265")
_ALSO = {"<": ("<",), "<=": ("<=", "<", "=="), ">": (">",), ">=": (">=", ">", "=="), "!=": ("!=",)}


def refuse_other_relation(document: Document, start: int, end: int, operator: object) -> None:
    """Refuse a claim by another relation than the words around its number state."""
    before, behind = _around(document, start, end)
    number = document.plain.text[start:end]
    strict = _told(before, _BEFORE, _BETWEEN) or _behind(behind)
    told, is_loose = strict, strict is not None and _compares(before, strict)
    if strict is None:
        told, is_loose = _told(before, _LOOSE, _LOOSE_BETWEEN), True
        told = told if told and _OF_A_BOUND.search(before[: told[2]]) else None
    if told is None and operator is None:
        _refuse_negated(before, number)
    if told is None or (operator or "==") in _ALSO[told[1]] or (is_loose and operator == "=="):
        return
    said = " ".join(told[0].split())
    other = ', or op="==" if it is no bound' if is_loose else ""
    raise NotWhole(
        f"the text says {said!r} before {number!r:.40}, and the claim"
        f" {'equality' if operator is None else f'op={operator!r:.8}'}",
        f'say op="{told[1]}"{other}',
    )


def _refuse_negated(before: str, number: str) -> None:
    words = negation_before(before)
    if words is not None:
        raise NotWhole(
            f"the text says {words!r:.60} before {number!r:.40}, and the claim that it is so",
            'say op="!=" if the text denies the number, or op="==" if it does not',
        )


def _around(document: Document, start: int, end: int) -> tuple[str, str]:
    """The words of the paragraph around a number, without comments and marks of block quotes."""
    before = _unquoted(document, max(0, start - _LOOKED_AT), start)
    behind = _unquoted(document, end, end + _LOOKED_AT)
    before = before.replace(CLAIM, "").split("\n\n")[-1]
    return before[-_REACH:], behind.replace(CLAIM, "").split("\n\n")[0][:_REACH]


def _unquoted(document: Document, start: int, end: int) -> str:
    text = document.plain.text[start:end]
    if document.suffix not in (".md", ".markdown") or ">" not in text:
        return text
    return "".join(
        " " if one == ">" and _begins_quote(document, place) else one
        for place, one in enumerate(text, start)
    )


def _begins_quote(document: Document, place: int) -> bool:
    """Whether a sign is the mark of a block quote: it stands first in a line of the source."""
    at = document.plain.starts[place]
    line = document.text[document.text.rfind("\n", 0, at) + 1 : at + 1]
    return not line.strip(" \t>")


def _compares(before: str, told: tuple[str, str, int]) -> bool:
    return told[0].strip() in _SIGNS and _COMPARED.search(before[: told[2]]) is not None


def _told(
    before: str, words: tuple[tuple[str, str, str], ...], between: str
) -> tuple[str, str, int] | None:
    """The words right before a number that make it a bound, what they say, and where they begin."""
    for pattern, sign, operator in words:
        found = re.search(
            rf"(?P<words>(?<!\w)(?:{pattern})|(?:{sign})){between}", before, re.IGNORECASE
        )
        if found is not None:
            return found["words"], operator, found.start()
    return None


def _behind(behind: str) -> tuple[str, str, int] | None:
    for pattern, sign, operator in _BEHIND:
        form = rf"(?:\s+\w+)?\s+(?P<words>{pattern})\b|\s*(?P<sign>{sign}){_VARIABLE}"
        found = re.match(form, behind, re.IGNORECASE)
        if found is not None:
            return found["words"] or found["sign"], operator, 0
    return None
