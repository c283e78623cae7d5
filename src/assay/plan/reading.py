"""Benchmarks from files: JSONL, CSV, and Parquet where the extra is installed.

Columns are named by `Columns`; nothing is guessed beyond the default names, but an error lists the
columns that are there and the flag that names one. The digest is of the file's exact bytes.
"""

import csv
import io
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

from assay.digests import MAX_LINE_BYTES, decode_utf8, digest, json_lines
from assay.errors import SpecError, StorageError
from assay.plan.benchmark import Benchmark, Item, check_items
from assay.plan.expression import parse_expression

BUNDLED: Mapping[str, str] = {
    "darkcore": (
        "108 questions in four classes, flawed on purpose: truths are short, misconceptions are"
        " restated sentences"
    ),
    "folklore-two": (
        "80 conversational questions in the same four classes, answers of one length: the second"
        " corpus of K3"
    ),
    "minimal-pairs": (
        "questions with a true answer and a misconception that match in length, form and capitals"
    ),
}
"""The benchmarks inside the package, and what each is for."""

MAX_FILE_BYTES = 2 << 30
_YES, _NO = frozenset({"1", "true"}), frozenset({"0", "false"})


@dataclass(frozen=True, kw_only=True)
class Columns:
    """Which column holds what.

    `positive` says which items are positive: a value of the label column (of the class column
    where there is no label), or an expression such as `class != truth`.
    """

    id: str | None = None
    question: str = "question"
    response: str | None = None
    label: str | None = None
    cls: str | None = None
    source: str | None = None
    group: str | None = None
    positive: str | None = None


_FLAGS = {"cls": "class"}
_OURS = Columns(positive="class != truth")
Row = Mapping[str, object]


def load_benchmark(
    name_or_path: str | Path, *, columns: Columns | None = None, second: str | Path | None = None
) -> Benchmark:
    """A bundled benchmark by name, or a file; `second` names the corpus for cross-corpus bars."""
    chosen = columns or Columns()
    if str(name_or_path) in BUNDLED:
        data = files("assay.data").joinpath(f"{name_or_path}.jsonl").read_bytes()
        benchmark = _build(str(name_or_path), _json_rows(data, str(name_or_path)), data, _OURS)
    else:
        path = Path(name_or_path)
        data = _read_bytes(path)
        benchmark = _build(path.name, _rows(path, data), data, chosen)
    return benchmark.with_second(None if second is None else load_benchmark(second))


def _read_bytes(path: Path) -> bytes:
    if not path.exists():
        raise SpecError(
            f"no benchmark {str(path)!r}: neither a bundled name ({', '.join(BUNDLED)}) nor a file"
        )
    try:
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SpecError(f"{path}: larger than {MAX_FILE_BYTES:,} bytes")
        return path.read_bytes()
    except OSError as error:
        raise StorageError(f"{path}: {error.strerror}") from None


def _rows(path: Path, data: bytes) -> Iterator[tuple[str, Row]]:
    match path.suffix.lower():
        case ".jsonl" | ".ndjson":
            return _json_rows(data, str(path))
        case ".csv":
            return _csv_rows(data, str(path))
        case ".parquet":
            return _parquet_rows(data, str(path))
    hint = "Save it as one JSON object a line (.jsonl), or as .csv or .parquet."
    raise SpecError(f"{path}: expected .jsonl, .csv or .parquet, got {path.suffix!r}", hint=hint)


def _json_rows(data: bytes, where: str) -> Iterator[tuple[str, Row]]:
    if data.lstrip()[:1] == b"[":
        raise SpecError(
            f"{where}: a JSON array; one object a line is expected",
            hint="Write each element on a line of its own, without the brackets and commas.",
        )
    for number, row in json_lines(data, where=where):
        if not isinstance(row, dict):
            raise SpecError(f"{where}, line {number}: expected an object, got {_kind(row)}")
        yield f"{where}, line {number}", row


def _csv_rows(data: bytes, where: str) -> Iterator[tuple[str, Row]]:
    text = decode_utf8(data.removeprefix(b"\xef\xbb\xbf"), where=where)
    csv.field_size_limit(MAX_LINE_BYTES)
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            twice = next(name for name in header if header.count(name) > 1)
            raise SpecError(f"{where}, line 1: column {twice!r} stands twice")
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


def _build(name: str, rows: Iterator[tuple[str, Row]], data: bytes, columns: Columns) -> Benchmark:
    items: list[Item] = []
    for where, row in rows:
        items.append(_item(row, columns, where, len(items) + 1))
    found = tuple(items)
    check_items(found, where=name)
    return Benchmark(name=name, digest=digest(data), items=found)


def _item(row: Row, columns: Columns, where: str, number: int) -> Item:
    def read(field: str, column: str | None, *, empty: bool = False) -> str | None:
        key = column or _FLAGS.get(field, field)
        if column is None and (key not in row or row[key] is None):
            return None
        return _text(row, key, field, where, empty=empty)

    label, cls = read("label", columns.label), read("cls", columns.cls)
    if label is None and cls is None:
        raise SpecError(
            f"{where}: neither a label nor a class; the columns are {_listed(row)}",
            hint="Name the one that tells right from wrong: --label COLUMN or --class COLUMN.",
        )
    item = Item(
        id=read("id", columns.id) or str(number),
        question=_text(row, columns.question, "question", where),
        response=read("response", columns.response, empty=True),
        cls=cls,
        source=read("source", columns.source),
        group=read("group", columns.group),
    )
    return replace(item, label=_label(label, item, columns, where))


def _text(row: Row, column: str, field: str, where: str, *, empty: bool = False) -> str:
    if column not in row:
        raise SpecError(
            f"{where}: no column {column!r}; the columns are {_listed(row)}",
            hint=f"Name the one that holds the {_FLAGS.get(field, field)}: "
            f"--{_FLAGS.get(field, field)} COLUMN.",
        )
    value = row[column]
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if not isinstance(value, str):
        raise SpecError(f"{where}, field {column!r}: expected text, got {_kind(value)}")
    if not empty and not value.strip():
        raise SpecError(f"{where}, field {column!r}: is empty")
    return value


def _label(value: str | None, item: Item, columns: Columns, where: str) -> bool | None:
    positive = columns.positive
    if positive is not None and ("==" in positive or "!=" in positive):
        return parse_expression(positive).holds(item.fields() | {"label": value})
    if positive is not None:
        return (item.cls if value is None else value) == positive
    if value is None:
        return None
    if value.lower() in _YES | _NO:
        return value.lower() in _YES
    raise SpecError(
        f"{where}, field {columns.label or 'label'!r}: expected 0, 1, true or false, got {value!r}",
        hint="Say which value means positive: --positive VALUE.",
    )


def _listed(row: Row) -> str:
    return ", ".join(map(repr, row)) or "none"


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return repr(value)[:60]
