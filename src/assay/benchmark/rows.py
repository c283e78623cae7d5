"""Records from the bytes of a file and back: JSONL, CSV, TSV, Parquet where the extra is installed.

Each record comes with its place (file and line), which every later error about it names. Lines of
JSONL that are written again are kept as they are, byte for byte.
"""

import io
from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

from assay.benchmark.benchmark import BUNDLED, Benchmark
from assay.benchmark.bundled import FOLDER
from assay.digests import MAX_LINE_BYTES, decode_utf8, digest, json_lines
from assay.errors import DigestMismatch, SpecError, storage

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


_SEPARATORS = {".csv": ",", ".tsv": "\t"}


def subset_bytes(benchmark: Benchmark, ids: Collection[str], suffix: str) -> bytes:
    """The records with these ids, from the file that a benchmark was read from."""
    origin = benchmark.origin
    if origin is None:
        raise SpecError(f"{benchmark.name} was made in memory and has no file to take records from")
    path = FOLDER / f"{origin.place}.jsonl" if origin.place in BUNDLED else Path(origin.place)
    if path.suffix.lower() != suffix.lower():
        raise SpecError(
            f"the records are in {path.suffix}, and the new file ends in {suffix or 'nothing'!r}",
            hint=f"Give it the same ending: {path.suffix}",
        )
    with storage(path):
        data = path.read_bytes()
    if digest(data) != benchmark.digest:
        raise DigestMismatch(f"{path.name} has changed since it was read")
    wanted = set(ids)
    keep = [item.id in wanted for item in benchmark.items]
    match path.suffix.lower():
        case ".parquet":
            return _parquet(data, keep)
        case ".csv" | ".tsv":
            return _csv(path, data, keep)
    lines = [line for line in data.removeprefix(b"\xef\xbb\xbf").split(b"\n") if line.strip()]
    return b"".join(line + b"\n" for line, kept in zip(lines, keep, strict=True) if kept)


def _csv(path: Path, data: bytes, keep: list[bool]) -> bytes:
    import csv

    rows = [row for _, row in rows_of(path, data)]
    text = io.StringIO(newline="")
    odd = any("\r" in str(cell) for row in rows for cell in row.values())
    writer = csv.DictWriter(
        text,
        list(rows[0]),
        delimiter=_SEPARATORS[path.suffix.lower()],
        lineterminator="\n",
        quoting=csv.QUOTE_ALL if odd else csv.QUOTE_MINIMAL,
    )
    writer.writeheader()
    writer.writerows(row for row, kept in zip(rows, keep, strict=True) if kept)
    return text.getvalue().encode()


def _parquet(data: bytes, keep: list[bool]) -> bytes:
    import polars

    out = io.BytesIO()
    frame = polars.read_parquet(io.BytesIO(data))
    frame.filter(polars.Series(keep)).write_parquet(out)
    return out.getvalue()
