"""Rows in memory as a table: mappings, columns, or a frame, without importing its package.

Rows are written as one JSON object a line, and these bytes are read like a file. So there is one
reader, one set of messages, and one meaning of the digest. A frame is recognised by its method for
rows: `to_dicts` (polars), `to_pylist` (Arrow), `to_list` (Hugging Face), `to_dict` (pandas).
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from assay.bounds import MAX_COLUMNS, MAX_FILE_BYTES, MAX_ROWS
from assay.errors import AssayError, SpecError
from assay.tables.in_memory.index import labels_of, level_names
from assay.tables.in_memory.values import AS_IS, Unwritable, label_texts, plain
from assay.tables.json_rows import columns_by_index
from assay.tables.rows import rows_of
from assay.tables.source import TableSource
from assay.wording import some

_EXPECTED = (
    "Expected a path, a list of row mappings, a mapping of column lists, or a frame of pandas,"
    " polars, Arrow or Hugging Face."
)


def table_in_memory(
    data: object, *, split: str | None = None, name: str | None = None
) -> TableSource:
    """Rows in memory as a table; `split` chooses one of a mapping of datasets.

    `name` is the name of the rows in messages, if they are neither `rows` nor a frame.
    """
    if isinstance(data, (str, bytes, bytearray)):
        raise SpecError(f"got {type(data).__name__}, which holds no rows", hint=_EXPECTED)
    called = name or "rows"
    if callable(getattr(data, "read", None)):
        return _open_file(data, split, name)
    try:
        one = _one_split(data, split)
        kind, rows = _rows_of(one)
        called = name or kind
        lines = b"".join(_lines(rows, f"the {called}"))
        labels = labels_of(one)
        index = None if labels is None else label_texts(labels)
        levels = () if index is None else tuple(filter(None, level_names(one)))
    except AssayError:
        raise
    except Exception as error:  # theirs: a frame may raise anything
        raise SpecError(
            f"the {called} cannot be read: {type(error).__name__}: {error!s:.300}", hint=_EXPECTED
        ) from None
    if not lines:
        empty = f"no rows in the {called}" if called != "rows" else "no rows are given"
        raise SpecError(empty, hint="One record a row is expected.")
    return memory_table(called, lines, index=index, levels=levels)


def _open_file(file: Any, split: str | None, name: str | None) -> TableSource:  # noqa: ANN401 - theirs
    """The rows of an open file, text or binary, read from where it stands; it stays open."""
    called = name or PurePath(str(getattr(file, "name", "") or "file")).name
    try:
        data = file.read(MAX_FILE_BYTES + 1)
    except Exception as error:  # theirs: closed, or open for writing
        raise SpecError(
            f"the open file {called} cannot be read: {type(error).__name__}: {error!s:.200}",
            hint="Give its path instead.",
        ) from None
    if not isinstance(data, (str, bytes)):
        raise SpecError(f"{called}: read() gives {type(data).__name__}, expected text or bytes")
    if split is not None:
        raise SpecError(f"{called}: an open file has no splits", hint="Leave out `split=`.")
    whole = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    rows = (row for _, row in rows_of(PurePath(called), whole, where=called))
    return memory_table(called, b"".join(_lines(rows, called)))


def memory_table(
    name: str,
    lines: bytes,
    *,
    index: tuple[str, ...] | None = None,
    levels: tuple[str, ...] = (),
) -> TableSource:
    """A table of rows that were written as JSON lines; `name` is their name in messages."""
    return TableSource(
        place=f"the {name}",
        name=name,
        files=(("rows.jsonl", lines),),
        unit="row",
        index=index,
        levels=levels,
    )


def _one_split(data: object, split: str | None) -> object:
    """One dataset of a mapping of datasets; anything else unchanged."""
    if not isinstance(data, Mapping) or not data or not all(map(_reader, data.values())):
        if split is not None:
            raise SpecError(
                f"rows in memory have no splits: leave out `split={split:.60}`",
                hint="Leave it out.",
            )
        return data
    names = [str(name) for name in data]
    if split is None and len(names) == 1:
        return next(iter(data.values()))
    if split not in names:
        asked = "" if split is None else f"no split {split!r:.60}; "
        raise SpecError(
            f"{asked}{len(names)} splits: {some(names)}",
            hint=f"Choose one: `split={names[0]:.60}`.",
        )
    return data[split]


def _reader(data: object) -> tuple[str, Callable[[], object]] | None:
    """The name of a frame and its method for rows; None if it is not a frame."""

    def has(name: str) -> bool:
        return callable(getattr(data, name, None))

    frame: Any = data
    if has("to_dicts"):
        return "frame", frame.to_dicts
    if has("collect") and has("collect_schema"):
        return "frame", lambda: frame.collect().to_dicts()
    if has("to_pylist"):
        return "table", frame.to_pylist
    if has("to_list") and hasattr(frame, "column_names"):
        return "dataset", frame.to_list
    if has("to_dict") and hasattr(frame, "columns"):
        return "frame", lambda: _pandas_rows(frame)
    return None


def _rows_of(data: object) -> tuple[str, Iterable[object]]:
    found = _reader(data)
    if found is not None:
        name, read = found
        rows = read()
        return name, rows if isinstance(rows, Iterable) else _none(data)
    if hasattr(data, "dtype"):
        return "rows", _array_rows(data)
    if isinstance(data, Mapping):
        return "rows", _from_columns(data)
    return "rows", data if isinstance(data, Iterable) else _none(data)


def _array_rows(array: Any) -> Iterable[object]:  # noqa: ANN401 - theirs
    """The rows of a record array of numpy, whose columns have names."""
    names = getattr(array.dtype, "names", None)
    if not names:
        return _none(array)
    return (dict(zip(names, row.tolist(), strict=True)) for row in array)


def _none(data: object) -> Iterable[object]:
    raise SpecError(f"got {type(data).__name__}, which holds no rows", hint=_EXPECTED)


def _pandas_rows(frame: Any) -> object:  # noqa: ANN401 - theirs
    """The records of a frame; refuses repeated columns, which the frame would drop."""
    for name, count in Counter(map(str, frame.columns)).items():
        if count > 1:
            raise SpecError(f"the frame: column {name!r:.60} occurs {count} times")
    rows: object = frame.to_dict(orient="records")
    return rows


def _from_columns(columns: Mapping[object, object]) -> Iterator[dict[object, object]]:
    """Rows from a mapping of columns of one length."""
    columns = columns_by_index(columns) or columns  # as `to_dict` of pandas gives them
    lists: dict[object, list[object]] = {}
    for name, values in columns.items():
        if isinstance(values, (str, bytes, Mapping)) or not isinstance(values, Iterable):
            raise SpecError(
                f"column {name!r:.60} is {type(values).__name__}, expected a list of values",
                hint="A mapping holds columns; put a single row in a list: [{...}].",
            )
        lists[name] = list(values)
    if len({len(values) for values in lists.values()}) > 1:
        sizes = [f"{name!r:.60} has {len(values):,}" for name, values in lists.items()]
        raise SpecError(
            f"columns of different lengths: {some(sizes)}",
            hint="Every column needs a value for each row; use None if there is none.",
        )
    return (dict(zip(lists, row, strict=True)) for row in zip(*lists.values(), strict=True))


def _lines(rows: Iterable[object], where: str) -> Iterator[bytes]:
    """Each row as a line of JSON, within the limits of a file."""
    size = 0
    for number, row in enumerate(rows, 1):
        place = f"{where}, row {number}"
        row = _as_mapping(row)
        if not isinstance(row, Mapping):
            raise SpecError(
                f"{place}: expected a mapping of columns to values, got {type(row).__name__}",
                hint=_EXPECTED,
            )
        line = _line(row, place)
        size += len(line)
        if number > MAX_ROWS or size > MAX_FILE_BYTES:
            raise SpecError(
                f"{where}: more than {MAX_ROWS:,} rows or {MAX_FILE_BYTES:,} bytes",
                hint="Take a part of it.",
            )
        yield line


def _as_mapping(row: object) -> object:
    """A named tuple as a mapping; anything else as it is."""
    names = getattr(row, "_fields", None)
    if isinstance(row, tuple) and isinstance(names, tuple):
        return dict(zip(names, row, strict=True))
    return row


def _line(row: Mapping[object, object], place: str) -> bytes:
    if len(row) > MAX_COLUMNS:
        raise SpecError(f"{place}: {len(row):,} columns, at most {MAX_COLUMNS:,} allowed")
    values: dict[str, object] = {}
    for name, value in row.items():
        if not isinstance(name, str):
            raise SpecError(
                f"{place}: a column is named {name!r:.60} ({type(name).__name__}), expected text",
                hint="Rename the columns: frame.columns = [str(name) for name in frame.columns]",
            )
        try:
            values[str(name)] = value if type(value) in AS_IS else plain(value)
        except Unwritable as error:
            raise SpecError(
                f"{place}, column {name!r:.60}: {error}",
                hint="Leave the column out, or turn it into texts or numbers.",
            ) from None
    try:
        return json.dumps(values, ensure_ascii=False, allow_nan=False).encode() + b"\n"
    except (TypeError, ValueError) as error:  # half of a surrogate pair, a number of many digits
        raise SpecError(f"{place}: cannot be written as JSON: {error!s:.200}") from None
