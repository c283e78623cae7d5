"""The uncurated audit of a text: what no claim covers, ranked, with what could cover it."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.collect import read_texts
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.result import ClaimCoverage
from assay.claim_audit.scan.candidates import Candidate, NumberIndex
from assay.claim_audit.scan.uncovered_tables import (
    UncoveredTable,
    open_tables,
    table_told,
    uncovered_tables,
)
from assay.claim_audit.scan.whole_intervals import (
    PrintedInterval,
    holding,
    intervals_in,
    of_whole,
)
from assay.claim_audit.texts.coverage import uncovered
from assay.claim_audit.texts.document import LISTS, Document, Span
from assay.claim_audit.texts.mentions import STATED, Mention, mentions_in
from assay.errors import SpecError
from assay.files import read_bounded
from assay.result import Result
from assay.wording import counted


class Uncovered(msgspec.Struct, frozen=True, kw_only=True):
    """A number that no claim covers, where it stands, and what could cover it.

    `at` is its place in the sentence. `interval` is the number with its interval or error, if it
    stands in one: the first of them ends where the interval does.
    """

    number: str
    file: str
    line: int
    end: int
    kind: str
    weight: float
    sentence: str
    at: int
    candidates: tuple[Candidate, ...]
    interval: str | None = None


class ClaimScan(Result, frozen=True, kw_only=True):
    """The numbers of some texts: those that state something, covered and not.

    `tables` are those without a claim that print a stored table, or nearly do.
    `patch` adds the proposed claims to the texts; `written` says that it has been applied.
    `cut` says which values were not looked at, if the repository has too many.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> _ = Path("results.json").write_text('{"auc": 0.8938}')
        >>> _ = Path("README.md").write_text("The AUC is 0.894.")
        >>> assay.scan_claims("README.md").uncovered[0].candidates[0].args["key_path"]
        'auc'
    """

    coverage: ClaimCoverage
    share: float | None
    uncovered: tuple[Uncovered, ...]
    tables: tuple[UncoveredTable, ...] = ()
    left_out: dict[str, int]
    patch: str = ""
    proposed: int = 0
    written: bool = False
    cut: str | None = None

    def to_rows(self) -> list[dict[str, Any]]:
        """One row for each number that no claim covers."""
        return [
            {
                "number": one.number,
                "file": one.file,
                "line": one.line,
                "kind": one.kind,
                "weight": one.weight,
                "sentence": one.sentence,
                "candidates": len(one.candidates),
                "first": _perhaps(one).strip(" ()"),
            }
            for one in self.uncovered
        ]

    def lines(self) -> Sequence[str]:
        """The coverage, and the first numbers that nothing covers."""
        first = [
            f"{one.file}:{one.line}: {one.number}{_perhaps(one)}" for one in self.uncovered[:5]
        ]
        more = len(self.uncovered) - len(first)
        lines = [
            self.sentence,
            *map(table_told, self.tables[:5]),
            *first,
            *([f"and {more} more"] if more else []),
        ]
        return [line for line in lines if line]

    @property
    def sentence(self) -> str:
        """How many numbers have a claim, and how many claims were proposed or written."""
        told = str(self.coverage)
        if not self.proposed:
            return told
        claims = counted(self.proposed, "claim")
        if self.written:
            return f"{claims} written; before, {told}"
        return f"{told}; {claims} proposed (`write=True`)"


def _perhaps(one: Uncovered) -> str:
    """What could cover a number, in a few words; several values need a choice."""
    if not one.candidates:
        return ""
    first = one.candidates[0]
    place = first.args.get("path", first.args.get("glob", ""))
    others = len(one.candidates) - 1
    doubt = "" if first.match == "equal" else ", not equal"
    doubt += "" if first.related else ", perhaps by chance"
    more = f", and {counted(others, 'other value')}: choose one" if others else ""
    return f" ({first.value:g} in {place:.60}{doubt}{more})"


def scan_texts(paths: Sequence[Path], root: Path) -> ClaimScan:
    """Every number of some texts, and which of them no claim covers."""
    left: list[tuple[str, Mention, PrintedInterval | None]] = []
    left_out: Counter[str] = Counter()
    numbers = 0
    tables: list[tuple[Document, Span]] = []
    for path in paths:
        if path.suffix.lower() in LISTS:
            raise SpecError(f"{path}: a list of claims, expected a text to scan")
        for text in read_texts(read_bounded(path, MAX_FILE_BYTES), str(path)):
            mentions = mentions_in(text.document)
            stated = [one for one in mentions if one.kind in STATED]
            left_out.update(one.kind for one in mentions if one.kind not in STATED)
            spans = [(one.start, one.end) for one in text.covered if not one.claim.control]
            open_ones = uncovered(stated, spans)
            whole = intervals_in(text.document)
            left += [(text.document.place, one, holding(whole, one.start)) for one in open_ones]
            tables += [(text.document, span) for span in open_tables(text, open_ones)]
            numbers += len(stated)
    left.sort(key=lambda one: (-one[1].weight, one[0], one[1].start))
    with EvidenceReader(root) as evidence:
        index = NumberIndex(evidence)
        found = tuple(_uncovered(*one, index, evidence) for one in left)
        printed = uncovered_tables(tables, paths, evidence)
    coverage = ClaimCoverage(numbers=numbers, covered=numbers - len(left))
    return ClaimScan(
        coverage=coverage,
        share=coverage.share,
        uncovered=found,
        tables=printed,
        left_out=dict(left_out),
        cut=index.cut,
    )


def _uncovered(
    place: str,
    mention: Mention,
    interval: PrintedInterval | None,
    index: NumberIndex,
    evidence: EvidenceReader,
) -> Uncovered:
    candidates = index.candidates(mention)
    end = mention.end
    if interval is not None and mention.start == interval.span[0]:
        end = interval.span[1]
        candidates = of_whole(candidates, interval, evidence)
    return Uncovered(
        number=mention.text,
        file=place,
        line=mention.line,
        end=end,
        kind=mention.kind,
        weight=mention.weight,
        sentence=mention.sentence,
        at=mention.at,
        candidates=tuple(candidates),
        interval=None if interval is None else interval.text,
    )
