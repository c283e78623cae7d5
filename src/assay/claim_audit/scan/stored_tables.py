"""The tables that a repository stores: tables of records, in JSON too, and of result pages.

A Markdown table counts only below a folder of results: another page may print the same table, but
is no evidence of it.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from assay.claim_audit.checkers.chosen_rows import Row, rows_of
from assay.claim_audit.checkers.key_path import joined, records_in
from assay.claim_audit.checkers.stored_rows import MARKED, marked_tables
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.claim_audit.scan.repository_numbers import MOST_BYTES

_TABLES = (".csv", ".tsv", ".jsonl", ".parquet")
_RESULTS = re.compile(
    r"(?:^|/)(?:results?|outputs?|reports?|scores?|evals?|runs?|logs?)(?:/|[._-])"
)
_MOST_ROWS = 2_000
"""A longer table is not one that a page prints."""
_MOST_COLUMNS = 60
_MOST_TABLES = 20_000


@dataclass(frozen=True, kw_only=True, slots=True)
class StoredTable:
    """A stored table, the arguments that name it, and its columns by their plain names."""

    args: Mapping[str, Any]
    rows: Sequence[Row]
    columns: Mapping[str, str]


def plain(name: str) -> str:
    """A head or a column without case, spaces and marks: `Mean score` is `mean_score`."""
    return re.sub(r"[\W_]+", "", name).casefold()


class StoredTables:
    """The tables of a repository by their columns, without those of the texts that are scanned."""

    def __init__(self, evidence: EvidenceReader, left_out: frozenset[str]) -> None:
        self._by_column: dict[str, list[StoredTable]] = {}
        for table in islice(_stored(evidence, left_out), _MOST_TABLES):
            for column in table.columns:
                self._by_column.setdefault(column, []).append(table)

    def get(self, heads: Sequence[str]) -> Sequence[StoredTable]:
        """The tables that have the last of some heads as a column."""
        return self._by_column.get(plain(heads[-1]), [])


def _stored(evidence: EvidenceReader, left_out: frozenset[str]) -> Iterator[StoredTable]:
    for name in evidence.known_files:
        suffix = name[name.rfind(".") :].lower() if "." in name else ""
        if name in left_out or not name.isprintable() or "-->" in name:
            continue
        if suffix not in (*_TABLES, *MARKED, ".json") or evidence.size(name) > MOST_BYTES:
            continue
        try:
            for args, rows in _tables_of(name, suffix, evidence):
                made = _made(args, rows)
                if made is not None:
                    yield made
        except (Unverifiable, NotThere):
            continue


def _tables_of(
    name: str, suffix: str, evidence: EvidenceReader
) -> Iterator[tuple[dict[str, Any], Sequence[Row]]]:
    if suffix in MARKED:
        for table in marked_tables(name, evidence) if _RESULTS.search(name) else ():
            yield {"path": name, "columns": list(table[0])}, table
    elif suffix == ".json":
        for key, rows in _records(evidence.json(name), ""):
            yield {"path": name, **({"key_path": key} if key else {})}, rows
    else:
        yield {"path": name}, rows_of(name, evidence)


def _records(value: Any, key: str) -> Iterator[tuple[str, Sequence[Row]]]:  # noqa: ANN401 - JSON
    """Every list of records and every object of records inside a JSON value, with its path."""
    rows = records_in(value)
    if rows is not None and key.isprintable() and "-->" not in key:
        yield key, rows
    if isinstance(value, dict):
        for name, inner in value.items():
            yield from _records(inner, joined(key, str(name)))


def _made(args: Mapping[str, Any], rows: Sequence[Row]) -> StoredTable | None:
    """A table whose columns can be told apart by their plain names."""
    if not 0 < len(rows) <= _MOST_ROWS or len(rows[0]) > _MOST_COLUMNS:
        return None
    names = [name for name in rows[0] if plain(name) and name.isprintable() and "-->" not in name]
    columns = {plain(name): name for name in names}
    return (
        StoredTable(args=args, rows=rows, columns=columns) if len(columns) == len(names) else None
    )
