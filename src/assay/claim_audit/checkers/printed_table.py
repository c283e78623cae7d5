"""The checker of a whole table: what a text prints against the rows of a file."""

from collections.abc import Sequence

from assay.claim_audit.checkers.aggregates import chosen_rows
from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.claim import Observed
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.tables.nested import as_word


def _table(args: Args, evidence: EvidenceReader) -> Observed:
    path = text_arg(args, "path")
    told = [path]
    rows = chosen_rows(args, evidence, told)
    names: Sequence[str] = list(rows[0]) if rows else []
    if "columns" in args:
        names = texts_arg(args, "columns")
    lacking = [name for name in names if not any(name in row for row in rows)]
    if lacking or not rows:
        raise NotThere(
            f"{path} has no column {lacking[0]!r:.60}" if lacking else f"{path} is empty"
        )
    cells = [
        ["" if row.get(name) is None else as_word(row[name]) for name in names] for row in rows
    ]
    return Observed(value=[list(names), *cells], where=", ".join(told))


CHECKERS = (
    Checker(
        name="table_equals",
        about="every cell of the table before it, against the rows of a CSV, JSONL or Parquet file",
        observe=_table,
        required=("path",),
        optional=("columns", "where"),
        value="rows",
        compares="table",
    ),
)
