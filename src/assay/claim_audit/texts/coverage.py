"""How many numbers of some texts a claim covers.

A claim in place covers its number or its table. A claim of a list covers the numbers of a text in
which its own `text` stands, word for word: a list that quotes what it checks.
"""

import re
from collections.abc import Iterable, Sequence

from assay.claim_audit.claim import Claim
from assay.claim_audit.result import ClaimCoverage
from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.mentions import STATED, Mention, mentions_in

_SHORTEST = 12
"""Characters of a quotation that can be told from chance."""


def coverage_of(texts: Iterable[tuple[Document, Sequence[Span]]]) -> ClaimCoverage:
    """The numbers of some texts that state something, and how many lie in the covered spans."""
    numbers = covered = 0
    for document, spans in texts:
        stated = [one for one in mentions_in(document) if one.kind in STATED]
        numbers += len(stated)
        covered += len(stated) - len(uncovered(stated, spans))
    return ClaimCoverage(numbers=numbers, covered=covered)


def uncovered(mentions: Sequence[Mention], spans: Sequence[Span]) -> list[Mention]:
    """The numbers that lie in none of the spans; both are in the order of the text."""
    left, ordered = [], sorted(spans)
    at = 0
    for one in mentions:
        while at < len(ordered) and ordered[at][1] <= one.start:
            at += 1
        if at == len(ordered) or ordered[at][0] >= one.end:
            left.append(one)
    return left


def quoted_spans(claims: Iterable[Claim], document: Document) -> list[Span]:
    """Where the texts of claims stand in a document, line breaks apart."""
    spans = []
    for claim in claims:
        words = claim.text.split()
        if len(claim.text) < _SHORTEST or len(words) < 3:
            continue
        pattern = re.compile(r"\s+".join(map(re.escape, words)))
        spans += [one.span() for one in pattern.finditer(document.text)]
    return spans
