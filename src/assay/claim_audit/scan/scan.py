"""Find the numbers of a text without a claim, ranked, with claims that could cover them."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.in_place import claims_in
from assay.claim_audit.result import ClaimCoverage
from assay.claim_audit.scan.candidates import Candidate, NumberIndex
from assay.claim_audit.scan.mentions import (
    STATED,
    Mention,
    coverage_of,
    covered_by,
    mentions_in,
    ranked,
)
from assay.claim_audit.text_parts import parts_of
from assay.files import read_bounded
from assay.result import Result


class Uncovered(msgspec.Struct, frozen=True, kw_only=True):
    """A number without a claim, its place, and candidates for a claim."""

    number: str
    file: str
    line: int
    end: int
    kind: str
    weight: float
    sentence: str
    candidates: tuple[Candidate, ...]


class ClaimScan(Result, frozen=True, kw_only=True):
    """The numbers of some texts: those that state something, covered and not."""

    coverage: ClaimCoverage
    share: float | None
    uncovered: tuple[Uncovered, ...]
    left_out: dict[str, int]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row a number that no claim covers."""
        return [
            {
                "number": one.number,
                "file": one.file,
                "line": one.line,
                "kind": one.kind,
                "weight": one.weight,
                "sentence": one.sentence,
                "candidates": len(one.candidates),
            }
            for one in self.uncovered
        ]

    def lines(self) -> Sequence[str]:
        """The coverage, and the most important numbers without a claim."""
        coverage = self.coverage
        first = [f"{one.file}:{one.line}: {one.number}" for one in self.uncovered[:5]]
        return (f"{coverage.covered} of {coverage.numbers} numbers have a claim", *first)


def scan_texts(paths: Sequence[Path], root: Path) -> ClaimScan:
    """Every number of some texts, and which have no claim."""
    parts = [
        part for path in paths for part in parts_of(read_bounded(path, MAX_FILE_BYTES), str(path))
    ]
    uncovered: list[tuple[str, Mention]] = []
    left_out: Counter[str] = Counter()
    for text, place, suffix in parts:
        spans = [(one.start, one.end) for one in claims_in(text, place, suffix)]
        for mention in mentions_in(text):
            if mention.kind not in STATED:
                left_out[mention.kind] += 1
            elif not covered_by(mention, spans):
                uncovered.append((place, mention))
    places = {id(mention): place for place, mention in uncovered}
    with EvidenceReader(root) as evidence:
        index = NumberIndex(evidence)
        found = tuple(
            Uncovered(
                number=one.text,
                file=places[id(one)],
                line=one.line,
                end=one.end,
                kind=one.kind,
                weight=one.weight,
                sentence=one.sentence,
                candidates=tuple(index.candidates(one)),
            )
            for one in ranked(mention for _, mention in uncovered)
        )
    coverage = coverage_of(parts)
    return ClaimScan(
        coverage=coverage, share=coverage.share, uncovered=found, left_out=dict(left_out)
    )
