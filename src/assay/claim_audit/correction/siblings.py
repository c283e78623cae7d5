"""A filter of a claim against its sentence: `split == dev` behind words that speak of `test`.

A correction trusts the claim. Where the sentence names another value of the filter's column and not
the filter's own, the claim may be the wrong one of the two.
"""

import re
from collections.abc import Mapping
from typing import Any

from assay.benchmark.expression import FieldTest, parse_expression
from assay.claim_audit.checkers.chosen_rows import chosen_rows
from assay.claim_audit.claim import Claim, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.errors import AssayError
from assay.tables.nested import as_word

_MOST_VALUES = 50


def other_choice(claim: Claim, evidence: EvidenceReader) -> str | None:
    """Why a claim's filter may be the wrong one; None if nothing in the sentence says so."""
    for test in _tests(claim.args):
        if test.operator != "==" or _says(claim.text, test.value):
            continue
        told = [word for word in _values(claim, test.field, evidence) if _says(claim.text, word)]
        if len(told) == 1:
            return f"the text says {told[0]!r:.40}, and the claim {test.field} == {test.value}"
    return None


def _tests(args: Mapping[str, Any]) -> list[FieldTest]:
    parts = [args[name] for name in ("where", "of") if isinstance(args.get(name), str)]
    try:
        made = [parse_expression(part, fields=None) for part in parts]
    except AssayError:
        return []
    return [test for expression in made for every in expression.any_of for test in every]


def _values(claim: Claim, column: str, evidence: EvidenceReader) -> list[str]:
    """The values of a column, if they are few."""
    unfiltered = {name: value for name, value in claim.args.items() if name != "where"}
    try:
        rows = chosen_rows(unfiltered, evidence).rows
    except (Unverifiable, NotThere):
        return []
    words = {as_word(row[column]) for row in rows if row.get(column) is not None}
    return sorted(words) if len(words) <= _MOST_VALUES else []


def _says(text: str, word: str) -> bool:
    """Whether a text has a word; digits and single letters are in most."""
    if not re.search(r"[^\W\d_]{2}", word):
        return False
    return re.search(rf"(?<!\w){re.escape(word)}(?!\w)", text, re.IGNORECASE) is not None
