"""Words that make a number a bound: a claim of equality behind "fewer than 4" says something else.

The words and the claim's operator must agree; they are never put together silently. Equality says
more than *at most* does, and is let stand behind it.
"""

import re

from assay.claim_audit.texts.markup.marks import CLAIM
from assay.claim_audit.texts.stated import NotWhole

_REACH = 48
_BETWEEN = (
    r"(?:\s+(?:a\s+total\s+of|about|around|some|only|just|the|its?|their))?\s*[~\u2248$]?\s*$"
)
_BEFORE: tuple[tuple[str, str], ...] = (
    (r"(?:no|not)\s+more\s+than|at\s+most|a\s+maximum\s+of|not\s+exceed(?:ing)?|\u2264|<=", "<="),
    (r"(?:no|not)\s+(?:fewer|less)\s+than|at\s+least|a\s+minimum\s+of|\u2265|>=", ">="),
    (r"(?:fewer|less|lower|smaller|worse)\s+than|strictly\s+(?:under|below)|(?<!<)<(?!=)", "<"),
    (r"(?:more|greater|higher|larger|better)\s+than|exceed(?:s|ed|ing)?|in\s+excess\s+of"
     r"|strictly\s+(?:over|above)|(?<=[\w)])\s*>(?!=)", ">"),
    (r"(?<!or\s)(?<!if\s)(?<!why\s)\bnot|other\s+than|unequal\s+to|\u2260|!=", "!="),
)  # fmt: skip
_LOOSE: tuple[tuple[str, str], ...] = (
    (r"up\s+to", "<="), (r"(?:just\s+|well\s+)?(?:under|below)", "<"),
    (r"(?:just\s+|well\s+)?(?:over|above)", ">"),
)  # fmt: skip
"""Words that may be a bound or a place: over 5 seeds, under 3 conditions."""
_BEHIND: tuple[tuple[str, str], ...] = (
    (r"or\s+(?:fewer|less|under|below|lower)|at\s+(?:the\s+)?most|and\s+(?:below|under)", "<="),
    (r"or\s+(?:more|over|above|higher)|at\s+(?:the\s+)?least|and\s+(?:above|over|up)", ">="),
)  # fmt: skip
_OF_A_BOUND = re.compile(
    r"(?:^|[.,;:(|]|\b(?:is|are|was|were|be|been|being|has|have|had|holds?|held|contains?|with|in|of|to|at"
    r"|from|by|for|and|or|but|reach(?:es|ed)?|scores?d?|stays?|stayed|remains?|fell|falls?|rose|rises?"
    r"|drops?|dropped|went|goes|there|all|kept|keeps?|took|takes?|uses?d?|costs?|ran|runs|needs?|needed"
    r"|we|it|they|just|well|far|gets?|got|gains?|gained))\s*$",
    re.IGNORECASE,
)
"""What comes before *over* and *under* where they are a bound: has over 5, but a mean over 5."""
_ALSO = {"<": ("<",), "<=": ("<=", "<", "=="), ">": (">",), ">=": (">=", ">", "=="), "!=": ("!=",)}


def refuse_other_relation(text: str, start: int, end: int, operator: object) -> None:
    """Refuse a claim by another relation than the words around its number state."""
    before = text[max(0, start - _REACH) : start].replace(CLAIM, "").split("\n\n")[-1]
    behind = text[end : end + _REACH].replace(CLAIM, "").split("\n\n")[0]
    told = _told(before, _BEFORE) or _behind(behind)
    if told is None and operator != "==":
        loose = _told(before, _LOOSE)
        told = loose if loose and _OF_A_BOUND.search(before[: loose[2]]) else None
    if told is None or (operator or "==") in _ALSO[told[1]]:
        return
    said = " ".join(told[0].split())
    is_loose = _told(before, _BEFORE) is None and _behind(behind) is None
    other = ', or op="==" if it is no bound' if is_loose else ""
    raise NotWhole(
        f"the text says {said!r} before {text[start:end]!r:.40}, and the claim"
        f" {'equality' if operator is None else f'op={operator!r:.8}'}",
        f'say op="{told[1]}"{other}',
    )


def _told(before: str, words: tuple[tuple[str, str], ...]) -> tuple[str, str, int] | None:
    """The words right before a number that make it a bound, what they say, and where they begin."""
    for pattern, operator in words:
        found = re.search(rf"(?<!\w)(?P<words>{pattern}){_BETWEEN}", before, re.IGNORECASE)
        at_start = found is not None and not before[: found.start()].strip(" \t>")
        quoted = at_start and found is not None and found["words"].strip() == ">"
        if found is not None and not quoted:
            return found["words"], operator, found.start()
    return None


def _behind(behind: str) -> tuple[str, str, int] | None:
    for pattern, operator in _BEHIND:
        found = re.match(rf"(?:\s+\w+)?\s+(?P<words>{pattern})\b", behind, re.IGNORECASE)
        if found is not None:
            return found["words"], operator, 0
    return None
