"""Words that deny what stands behind them: `never used 8`, `without 8`, `isn't 0.9`.

Only those are seen that stand so close before a number that they can hardly deny anything else: few
words between, no other clause, no article of something that is known to be there (*the 8*).
"""

import re

_DENIES = (
    r"(?<!or\s)(?<!if\s)(?<!why\s)not|\w+n['\u2019]t|never|cannot|no\s+longer|neither|nor"
    r"|fail(?:s|ed)?\s+to|unable\s+to"
)
_NOUNLESS = r"without|instead\s+of|rather\s+than|neither|nor|lack(?:s|ed|ing)?"
"""What denies the very next words."""
_FALSE = r"(?:wrong|false|untrue|not\s+true|not\s+the\s+case)\s+that"
_UNDENIED = (
    "all|every|each|only|just|merely|simply|even|alone|least|because|that|which|who|why|how|what"
    "|whether|when|where|while|whereas|but|and|or|if|unless|until|since|as|so|than|in|on|for|of|across|with"
    "|during|per|among|after|before|the|these|those|this|our|its|their|his|her|both"
)
"""Words after which a number is not what is denied: not all 8, not scored in 8 cases."""
_WORD = rf"(?!(?:{_UNDENIED})\b)[A-Za-z][A-Za-z'\u2019-]*"
_FILL = (
    r"(?:a\s+total\s+of\s+|about\s+|around\s+|some\s+|any\s+|exactly\s+|a\s+)?"
    r"[~\u2248$\u20ac\u00a3(]?\s*"
)
_FORMS = (
    re.compile(rf"(?<![\w'\u2019])(?P<words>(?:{_DENIES})(?:\s+{_WORD}){{0,3}})\s+{_FILL}$", re.I),
    re.compile(rf"(?<![\w'\u2019])(?P<words>{_NOUNLESS})\s+{_FILL}$", re.I),
    re.compile(rf"\b(?P<words>{_FALSE})\b[^,;:.!?()\u2014]{{0,40}}$", re.I),
)


def negation_before(before: str) -> str | None:
    """The words right before a number that deny it; None if there are none."""
    for form in _FORMS:
        found = form.search(before)
        if found is not None:
            return " ".join(found["words"].split())
    return None
