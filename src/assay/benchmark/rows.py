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
from assay.benchmark.parquet import check_parquet
from assay.bounds import (
    MAX_CELLS,
    MAX_COLUMNS,
    MAX_FILE_BYTES,
    MAX_LINE_BYTES,
    MAX_ROWS,
    MAX_UNPACKED_BYTES,
)
from assay.digests import decode_utf8, digest, json_lines
from assay.errors import SpecError, storage
from assay.wording import counted

Row = Mapping[str, object]
MOST_NAMED = 20
"""So many faults of a file are named in one message."""


class Faults:
    """The faults of one file, refused together: the first twenty are named, all are counted."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.count = 0
        self._named: list[SpecError] = []

    def add(self, error: SpecError) -> None:
        """Note a fault."""
        self.count += 1
        if len(self._named) < MOST_NAMED:
            self._named.append(error)

    def refuse(self) -> None:
        """Raise one error for all that was noted, if anything was."""
        if not self.count:
            return
        first, *others = self._named
        details = [other.message.removeprefix(self.place).lstrip(",: ") for other in others]
        left = self.count - len(self._named)
        more = f", and {counted(self.count - 1, 'more fault')}" if others else ""
        raise SpecError(
            f"{first.message}{more}",
            hint=" ".join(dict.fromkeys(fault.hint for fault in self._named if fault.hint)) or None,
            details=[*details, *([f"and {left:,} more"] if left else [])],
        )


def rows_of(path: Path, data: bytes, *, faults: Faults | None = None) -> Iterator[tuple[str, Row]]:
    """Each record with its place, by the ending of the file's name.

    With `faults` a line that cannot be read is noted there, and the reading goes on.
    """
    where = str(path)
    if len(data) > MAX_FILE_BYTES:
        raise SpecError(f"{where}: larger than {MAX_FILE_BYTES:,} bytes")
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            return _bounded(json_rows(data, where, faults=faults), where)
        case ".csv":
            return _bounded(_csv_rows(data, where, ",", faults), where)
        case ".tsv":
            return _bounded(_csv_rows(data, where, "\t", faults), where)
        case ".parquet":
            return _bounded(_parquet_rows(data, where), where)
    raise SpecError(
        f"{path}: expected .jsonl, .csv, .tsv or .parquet, got {path.suffix or 'no ending'!r}",
        hint="Save it as one JSON object a line (.jsonl), or as .csv or .parquet.",
    )


def _bounded(rows: Iterator[tuple[str, Row]], where: str) -> Iterator[tuple[str, Row]]:
    """Rows, until there are too many of them, or of their cells."""
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


def json_rows(
    data: bytes, where: str, *, faults: Faults | None = None
) -> Iterator[tuple[str, Row]]:
    """One JSON object a line."""
    if data.lstrip()[:1] == b"[":
        raise SpecError(
            f"{where}: a JSON array; one object a line is expected",
            hint="Write each element on a line of its own, without the brackets and commas.",
        )
    on_fault = _fail if faults is None else faults.add
    for number, row in json_lines(data, where=where, on_fault=on_fault):
        if isinstance(row, dict):
            yield f"{where}, line {number}", row
        else:
            got = f"expected an object, got {kind_of(row)}"
            on_fault(SpecError(f"{where}, line {number}: {got}"))


def _fail(error: SpecError) -> None:
    raise error


def _csv_rows(
    data: bytes, where: str, separator: str, faults: Faults | None
) -> Iterator[tuple[str, Row]]:
    import csv

    on_fault = _fail if faults is None else faults.add

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
                on_fault(
                    SpecError(
                        f"{where}, line {reader.line_num}: {len(cells)} cells,"
                        f" expected {len(header)} as in the header",
                        hint="A cell that holds a comma or a line break must stand in double"
                        " quotes.",
                    )
                )
                continue
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
    check_parquet(data, where=where)
    try:
        frame = polars.read_parquet(io.BytesIO(data))
        texts = frame.select(polars.col(polars.String).str.len_bytes().max())
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:  # polars raises many kinds, and its panics are no Exception
        why = (str(error).splitlines() or [type(error).__name__])[0]
        raise SpecError(f"{where}: not Parquet: {why}") from None
    if frame.estimated_size() > MAX_UNPACKED_BYTES:
        raise SpecError(
            f"{where}: {frame.estimated_size():,} bytes unpacked, at most"
            f" {MAX_UNPACKED_BYTES:,} allowed",
            hint="Take a part of it.",
        )
    for name, size in texts.to_dicts()[0].items() if texts.width else ():
        if (size or 0) > MAX_LINE_BYTES:
            raise SpecError(
                f"{where}, column {name!r:.60}: a cell of {size:,} bytes, at most"
                f" {MAX_LINE_BYTES:,} allowed"
            )
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
    benchmark.check_file(digest(data))
    wanted = set(ids)
    keep = [False] * benchmark.records
    for row, item in zip(benchmark.rows, benchmark.items, strict=True):
        keep[row] = item.id in wanted
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
