"""Records from the bytes of a file: JSONL, CSV, TSV, and Parquet where the extra is installed.

Each record comes with its place (file and line), which every later error about it names.
"""

import io
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from assay.digests import MAX_LINE_BYTES, decode_utf8, json_lines
from assay.errors import SpecError

Row = Mapping[str, object]


def rows_of(path: Path, data: bytes) -> Iterator[tuple[str, Row]]:
    """Each record with its place, by the ending of the file's name."""
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            return json_rows(data, str(path))
        case ".csv":
            return _csv_rows(data, str(path), ",")
        case ".tsv":
            return _csv_rows(data, str(path), "\t")
        case ".parquet":
            return _parquet_rows(data, str(path))
    raise SpecError(
        f"{path}: expected .jsonl, .csv, .tsv or .parquet, got {path.suffix or 'no ending'!r}",
        hint="Save it as one JSON object a line (.jsonl), or as .csv or .parquet.",
    )


def json_rows(data: bytes, where: str) -> Iterator[tuple[str, Row]]:
    """One JSON object a line."""
    if data.lstrip()[:1] == b"[":
        raise SpecError(
            f"{where}: a JSON array; one object a line is expected",
            hint="Write each element on a line of its own, without the brackets and commas.",
        )
    for number, row in json_lines(data, where=where):
        if not isinstance(row, dict):
            raise SpecError(f"{where}, line {number}: expected an object, got {kind_of(row)}")
        yield f"{where}, line {number}", row


def _csv_rows(data: bytes, where: str, separator: str) -> Iterator[tuple[str, Row]]:
    import csv

    text = decode_utf8(data.removeprefix(b"\xef\xbb\xbf"), where=where)
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            twice = Counter(header).most_common(1)[0][0]
            raise SpecError(f"{where}, line 1: column {twice!r} stands twice")
        other = next((mark for mark in ";\t," if len(header) == 1 and mark in header[0]), None)
        if other is not None:
            raise SpecError(
                f"{where}, line 1: one column, {header[0]!r:.80}",
                hint=f"It seems to be separated by {other!r}; save it with commas, or as .tsv.",
            )
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                raise SpecError(
                    f"{where}, line {reader.line_num}: {len(cells)} cells,"
                    f" expected {len(header)} as in the header",
                    hint="A cell that holds a comma or a line break must stand in double quotes.",
                )
            yield f"{where}, line {reader.line_num}", dict(zip(header, cells, strict=True))
    except csv.Error as error:
        raise SpecError(f"{where}, line {reader.line_num}: not CSV: {error}") from None


def _parquet_rows(data: bytes, where: str) -> Iterator[tuple[str, Row]]:
    try:
        import polars
    except ImportError:
        raise SpecError(
            f"{where}: reading Parquet needs polars, which is not installed",
            hint="pip install 'assay-eval[parquet]'",
        ) from None
    try:
        frame = polars.read_parquet(io.BytesIO(data))
    except Exception as error:  # polars raises many kinds; each means the file cannot be read
        raise SpecError(f"{where}: not Parquet: {str(error).splitlines()[0]}") from None
    for number, row in enumerate(frame.iter_rows(named=True), 1):
        yield f"{where}, row {number}", row


def kind_of(value: object) -> str:
    """What a value is, in words for an error."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return repr(value)[:60]
