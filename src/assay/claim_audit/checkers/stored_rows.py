"""The rows of a stored table: of a table file, inside a JSON file, or of a Markdown table."""

from collections.abc import Sequence

from assay.claim_audit.checkers.checker import Args, text_arg, texts_arg
from assay.claim_audit.checkers.chosen_rows import Row, rows_of
from assay.claim_audit.checkers.key_path import records_in, value_at
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.printed_tables import parse_table, tables_in

MARKED = (".md", ".markdown")


def stored_rows(args: Args, evidence: EvidenceReader) -> list[Row]:
    """The rows that the arguments of a claim name: `path`, and `key_path` inside a JSON file."""
    path = text_arg(args, "path")
    if path.lower().endswith(MARKED):
        return _marked_rows(path, texts_arg(args, "columns"), evidence)
    if not path.lower().endswith(".json"):
        return rows_of(path, evidence)
    key = text_arg(args, "key_path") if "key_path" in args else ""
    value = evidence.json(path)
    rows = records_in(value_at(value, key, path) if key else value)
    if rows is None:
        raise NotThere(f"{path}{key and f': {key}'} is no list of records, and no records by name")
    return rows


def marked_tables(path: str, evidence: EvidenceReader) -> list[list[Row]]:
    """The tables of a Markdown file, without those of which two heads are the same."""

    def read() -> list[list[Row]]:
        document = Document(evidence.text(path), path, ".md")
        tables = [parse_table(document.text[a:b]) for a, b in tables_in(document)]
        return [
            [dict(zip(heads, row, strict=False)) for row in rows]
            for heads, *rows in tables
            if len(set(heads)) == len(heads) and rows
        ]

    return evidence.once(("marked", path), read, size=10 * evidence.size(path))


def _marked_rows(path: str, columns: Sequence[str], evidence: EvidenceReader) -> list[Row]:
    """The rows of the one table of a Markdown file that has these columns."""
    found = [rows for rows in marked_tables(path, evidence) if set(columns) <= set(rows[0])]
    if not found:
        raise NotThere(f"{path} has no table with the columns {', '.join(columns):.200}")
    if len(found) > 1:
        raise Unverifiable(f"{path} has {len(found)} tables with the columns {columns!r:.200}")
    return found[0]
