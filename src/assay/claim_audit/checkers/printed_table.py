"""The checker of a whole table: what a text prints against the rows of a file."""

from collections.abc import Sequence

from assay.claim_audit.checkers.checker import Args, Checker, text_arg, texts_arg
from assay.claim_audit.checkers.chosen_rows import Row, kept_rows
from assay.claim_audit.checkers.stored_rows import stored_rows
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.tables.nested import as_word


def _table(args: Args, evidence: EvidenceReader) -> Observed:
    path = text_arg(args, "path")
    chosen = kept_rows(stored_rows(args, evidence), args)
    rows = chosen.rows
    names: Sequence[str] = list(rows[0]) if rows else []
    if "columns" in args:
        names = texts_arg(args, "columns")
    heads = texts_arg(args, "heads") if "heads" in args else list(names)
    if len(heads) != len(names):
        raise Unverifiable(f"heads: expected one for each of {len(names)} columns")
    lacking = [name for name in names if not any(name in row for row in rows)]
    if lacking or not rows:
        empty = f"{path} is empty" if chosen.unmet is None else f"{path}: {chosen.unmet}"
        raise NotThere(f"{path} has no column {lacking[0]!r:.60}" if lacking else empty)
    where = ", ".join((path, *chosen.told))
    return Observed(value=[heads, *cells_of(rows, names)], where=where)


def cells_of(rows: Sequence[Row], names: Sequence[str]) -> list[list[str]]:
    """The cells of some columns, as people write them; a missing one is empty."""
    return [["" if row.get(name) is None else as_word(row[name]) for name in names] for row in rows]


CHECKERS = (
    Checker(
        name="table_equals",
        about="every cell of the table before it, against the rows of a table in a file",
        observe=_table,
        required=("path",),
        optional=("columns", "heads", "where", "key_path"),
        value="rows",
        compares="table",
    ),
)
