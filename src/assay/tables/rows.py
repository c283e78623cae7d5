"""Rows from the bytes of a file: JSON, JSONL, CSV, Parquet or Arrow, packed or not.

The content decides what a file is. Each row comes with its place (file and line, element or row),
which every later error about it names.
"""

from pathlib import PurePath

from assay.bounds import MAX_CELLS, MAX_COLUMNS, MAX_ROWS
from assay.errors import SpecError
from assay.tables.arrow import arrow_rows
from assay.tables.csv_rows import csv_rows
from assay.tables.faults import Faults
from assay.tables.forms import Form, form_of
from assay.tables.json_rows import array_rows, line_rows, object_rows
from assay.tables.nested import PlacedRows
from assay.tables.parquet import parquet_rows


def rows_of(
    path: PurePath,
    data: bytes,
    *,
    faults: Faults | None = None,
    encoding: str | None = None,
    where: str | None = None,
) -> PlacedRows:
    """The rows of a file, each with its place; `where` names the file in place of its path.

    With `faults`, an unreadable line is added there, and reading continues. `encoding` is that of a
    text which is not UTF-8.
    """
    where = where or str(path)
    return form_rows(form_of(path.name, data, where=where, encoding=encoding), where, faults=faults)


def form_rows(form: Form, where: str, *, faults: Faults | None = None) -> PlacedRows:
    """The rows of a file whose form is known."""
    match form.name:
        case "jsonl":
            rows = line_rows(form.data, where, faults=faults)
        case "json-array":
            rows = array_rows(form.data, where, faults=faults)
        case "json-object":
            rows = object_rows(form.data, where, faults=faults)
        case "csv":
            rows = csv_rows(form.data, where, form.separator, faults=faults)
        case "parquet":
            rows = parquet_rows(form.data, where)
        case "arrow":
            rows = arrow_rows(form.data, where)
    return bounded(rows, where)


def bounded(rows: PlacedRows, where: str) -> PlacedRows:
    """The rows, with an error if there are too many rows or cells."""
    cells = 0
    for count, (place, row) in enumerate(rows, 1):
        cells += len(row)
        if len(row) > MAX_COLUMNS:
            raise SpecError(f"{place}: {len(row):,} columns, at most {MAX_COLUMNS:,} allowed")
        if count > MAX_ROWS or cells > MAX_CELLS:
            raise SpecError(
                f"{where}: more than {MAX_ROWS:,} rows or {MAX_CELLS:,} cells",
                hint="Take a part of it.",
            )
        yield place, row
