"""Stored tables that a table of a text may print.

Heads and keys must match: every head is a column, the rows are as many, and the columns that agree
throughout tell the rows apart. Where other cells differ, at least half of them must agree, and one
that agrees must be more than a digit; each that differs is named.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from assay.claim_audit.check import check_claim
from assay.claim_audit.checkers.aggregates import numeral
from assay.claim_audit.checkers.chosen_rows import Row
from assay.claim_audit.checkers.key_path import KEY
from assay.claim_audit.checkers.printed_table import cells_of
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.scan.candidates import quoted
from assay.claim_audit.scan.stored_tables import StoredTable, StoredTables, plain
from assay.claim_audit.texts.printed_tables import Rows, same_cell
from assay.tables.nested import as_word
from assay.tables.numbers.printed_numbers import parse_printed

_CHECKER = "table_equals"
_WORD = re.compile(r"[A-Za-z_][\w.-]{0,60}|\d{1,9}")
_SPECIFIC = 2
"""Significant digits of a number that two tables hardly share by chance."""


class OtherCell(msgspec.Struct, frozen=True, kw_only=True):
    """A cell of which the text says something else than the file; rows are counted from 1."""

    row: int
    column: str
    says: str
    found: str


class TableCandidate(msgspec.Struct, frozen=True, kw_only=True):
    """The arguments of a claim of a whole table, and the cells that differ."""

    args: Mapping[str, Any]
    cells: int
    differs: tuple[OtherCell, ...] = ()

    @property
    def match(self) -> Literal["equal", "near"]:
        """Whether every cell agrees."""
        return "near" if self.differs else "equal"

    @property
    def comment(self) -> str:
        """The comment that makes the claim."""
        told = " ".join(f"{name}={_told(value)}" for name, value in self.args.items())
        return f"<!-- claim: {_CHECKER} {told} -->"


def table_candidates(
    printed: Rows, printed_text: str, stored: StoredTables, evidence: EvidenceReader
) -> list[TableCandidate]:
    """The stored tables that a printed one equals, else the one that it nearly equals."""
    if any("-->" in head for head in printed[0]):
        return []
    found = [one for table in stored.get(printed[0]) for one in _candidates(printed, table)]
    equal = [one for one in found if not one.differs and _stands(one, printed_text, evidence)]
    if equal:
        return equal
    least = min((len(one.differs) for one in found if one.differs), default=0)
    near = [one for one in found if one.differs and len(one.differs) == least]
    return near if len({one.differs for one in near}) == 1 else []


def _stands(one: TableCandidate, text: str, evidence: EvidenceReader) -> bool:
    claim = Claim(id="proposed", checker=_CHECKER, args=one.args, printed=text)
    return check_claim(claim, evidence).stands


def _candidates(printed: Rows, table: StoredTable) -> Iterator[TableCandidate]:
    heads, *rows = printed
    names = _columns(heads, table)
    if names is None or any(len(row) != len(heads) for row in rows):
        return
    for where, chosen in _selections(table, names, len(rows)):
        differs = _differing(heads, rows, cells_of(chosen, names))
        if differs is None:
            continue
        args = {name: value for name, value in table.args.items() if name != "columns"}
        if list(table.rows[0]) != names or "columns" in table.args or heads != names:
            args["columns"] = names
        if heads != names:
            args["heads"] = heads
        args |= {} if where is None else {"where": where}
        yield TableCandidate(args=args, cells=len(rows) * len(heads), differs=tuple(differs))


def _columns(heads: Sequence[str], table: StoredTable) -> list[str] | None:
    """The column that each head names; the first may be another word for the names of records."""
    names = [table.columns.get(plain(head)) for head in heads]
    if names and names[0] is None and KEY in table.columns.values():
        names[0] = KEY
    known = [name for name in names if name is not None]
    return known if len(set(known)) == len(heads) > 1 else None


def _selections(
    table: StoredTable, names: Sequence[str], count: int
) -> Iterator[tuple[str | None, Sequence[Row]]]:
    """So many rows of a table: all of them, or those of one value of a column not printed.

    Of two columns that choose the same rows, one of words says better what they are.
    """
    if len(table.rows) == count:
        yield None, table.rows
    if len(table.rows) <= count:
        return
    seen: list[Sequence[Row]] = []
    columns = [name for name in table.columns.values() if name not in names]
    for column in sorted(columns, key=lambda name: numeral(table.rows[0].get(name)) is not None):
        if not _WORD.fullmatch(column):
            continue
        groups: dict[str, list[Row]] = {}
        for row in table.rows:
            if row.get(column) is not None:
                groups.setdefault(as_word(row[column]), []).append(row)
        for value, rows in groups.items():
            if len(rows) == count and _WORD.fullmatch(value) and rows not in seen:
                seen.append(rows)
                yield f"{column} == {value}", rows


def _differing(heads: Sequence[str], said: Rows, found: Rows) -> list[OtherCell] | None:
    """The cells that differ; None if the rows are not the same ones."""
    width = range(len(heads))
    pairs = zip(said, found, strict=True)
    same = [[same_cell(a, b) for a, b in zip(*rows, strict=True)] for rows in pairs]
    keys = [at for at in width if all(row[at] for row in same)]
    if len({tuple(row[at] for at in keys) for row in said}) < len(said):
        return None
    differs = [
        OtherCell(row=n + 1, column=heads[at], says=said[n][at], found=found[n][at])
        for n, row in enumerate(same)
        for at in width
        if not row[at]
    ]
    others = [(n, at) for n in range(len(said)) for at in width if at not in keys]
    agreeing = [said[n][at] for n, at in others if same[n][at]]
    if differs and (2 * len(agreeing) < len(others) or not any(map(_is_specific, agreeing))):
        return None
    return differs if keys else None


def _is_specific(cell: str) -> bool:
    printed = parse_printed(cell)
    return printed is not None and len(printed.value.normalize().as_tuple().digits) >= _SPECIFIC


def _told(value: str | list[str]) -> str:
    if isinstance(value, str):
        return quoted(value)
    return f"[{', '.join(map(quoted, value))}]"
