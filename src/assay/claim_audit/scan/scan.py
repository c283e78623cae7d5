"""The uncurated audit of a text: what no claim covers, ranked, with what could cover it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.claim_audit.evidence import Evidence
from assay.claim_audit.in_place import claims_in, notebook_texts
from assay.claim_audit.result import Coverage
from assay.claim_audit.scan.candidates import Candidate, NumberIndex
from assay.claim_audit.scan.mentions import STATED, Mention, mentions_in, ranked
from assay.result import Result


class Uncovered(msgspec.Struct, frozen=True, kw_only=True):
    """A number that no claim covers, where it stands, and what could cover it."""

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

    coverage: Coverage
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
        """The coverage, and the weightiest numbers that nothing covers."""
        coverage = self.coverage
        first = [f"{one.file}:{one.line}: {one.number}" for one in self.uncovered[:5]]
        return (f"{coverage.covered} of {coverage.numbers} numbers are covered by a claim", *first)


def scan_texts(paths: Sequence[Path], root: Path) -> ClaimScan:
    """Every number of some texts, and which of them no claim covers."""
    uncovered: list[tuple[str, Mention]] = []
    left_out: dict[str, int] = {}
    numbers = covered = 0
    with Evidence(root) as evidence:
        for path in paths:
            for place, text, suffix in _parts(path):
                spans = [(one.start, one.end) for one in claims_in(text, place, suffix)]
                for mention in mentions_in(text):
                    if mention.kind not in STATED:
                        left_out[mention.kind] = left_out.get(mention.kind, 0) + 1
                        continue
                    numbers += 1
                    if any(start < mention.end and mention.start < end for start, end in spans):
                        covered += 1
                    else:
                        uncovered.append((place, mention))
        index = NumberIndex(evidence)
        order = ranked(mention for _, mention in uncovered)
        places = {id(mention): place for place, mention in uncovered}
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
            for one in order
        )
    coverage = Coverage(numbers=numbers, covered=covered)
    return ClaimScan(coverage=coverage, share=coverage.share, uncovered=found, left_out=left_out)


def _parts(path: Path) -> list[tuple[str, str, str]]:
    """The texts of a file: its place, its text, and the form in which claims stand in it."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return [(place, part, ".md") for place, part in notebook_texts(text, str(path))]
    return [(str(path), text, path.suffix)]
