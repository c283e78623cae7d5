"""The tables of some texts that no claim covers, and the stored tables that they print."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec

from assay.claim_audit.collect import ReadText
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.scan.stored_tables import StoredTables
from assay.claim_audit.scan.table_candidates import OtherCell, TableCandidate, table_candidates
from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.mentions import Mention
from assay.claim_audit.texts.printed_tables import parse_table, tables_in

_MOST_TABLES = 1_000
_MOST_SHOWN = 3


class UncoveredTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table that no claim covers, where it stands, and the stored tables that it may print."""

    file: str
    line: int
    end: int
    candidates: tuple[TableCandidate, ...]


def table_told(one: UncoveredTable) -> str:
    """A table, the file that it prints, and the cells that differ."""
    first = one.candidates[0]
    verb = "prints" if first.match == "equal" else "nearly prints"
    cells = "; ".join(map(told_cell, first.differs[:3]))
    return (
        f"{one.file}:{one.line}: the table {verb} {first.args['path']:.60}{cells and f': {cells}'}"
    )


def told_cell(one: OtherCell) -> str:
    """What a text says in a cell, and what the file has there."""
    return f"row {one.row}, {one.column:.40}: {one.says:.40}, and {one.found:.40} is there"


def open_tables(text: ReadText, left: Sequence[Mention]) -> Iterator[Span]:
    """The tables of a text that hold a number without a claim, or have no claim and are CSV."""
    starts = [one.start for one in left]
    claimed = {one.start for one in text.covered}
    for start, end in tables_in(text.document):
        within = bisect_left(starts, end) - bisect_left(starts, start)
        is_marked = text.document.text.startswith("|", start)
        if start not in claimed and (within or not is_marked):
            yield start, end


def uncovered_tables(
    tables: Sequence[tuple[Document, Span]], paths: Sequence[Path], evidence: EvidenceReader
) -> tuple[UncoveredTable, ...]:
    """The tables of some texts that print a stored one."""
    own = {path.resolve() for path in paths}
    inside = (path.relative_to(evidence.root) for path in own if path.is_relative_to(evidence.root))
    stored = StoredTables(evidence, frozenset(map(Path.as_posix, inside))) if tables else None
    found = []
    for document, (start, end) in tables[:_MOST_TABLES]:
        text = document.text[start:end]
        rows = parse_table(text)
        made = table_candidates(rows, text, stored, evidence) if stored and len(rows) > 1 else []
        if made:
            line, end = document.line_of(start), _behind(document, end)
            candidates = tuple(made[:_MOST_SHOWN])
            found.append(
                UncoveredTable(file=document.place, line=line, end=end, candidates=candidates)
            )
    return tuple(found)


def _behind(document: Document, end: int) -> int:
    """The end of a table's last line, or of the fence below it."""
    at = bisect_left(document.code, end, key=lambda span: span[1])
    if at < len(document.code) and document.code[at][0] < end:
        return document.code[at][1]
    return end
