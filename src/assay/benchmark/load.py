"""Benchmarks from files, and the bundled ones.

Columns are named by `Columns`; nothing is guessed beyond the default names, but an error lists the
columns that are there and the flag that names one. The digest is of the file's exact bytes.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal

from msgspec.structs import replace

from assay.benchmark.benchmark import (
    BUNDLED,
    BUNDLED_COLUMNS,
    FEWEST_QUESTIONS,
    Benchmark,
    Columns,
    Item,
    Origin,
)
from assay.benchmark.bundled import FOLDER
from assay.benchmark.expression import parse_expression
from assay.benchmark.rows import Row, json_rows, kind_of, rows_of
from assay.digests import digest
from assay.errors import DigestMismatch, SpecError, storage

MAX_FILE_BYTES = 2 << 30
_YES, _NO = frozenset({"1", "true", "1.0"}), frozenset({"0", "false", "0.0"})
_FLAGS = {"cls": "class"}


def load_benchmark(
    name_or_path: str | Path, *, columns: Columns | None = None, second: str | Path | None = None
) -> Benchmark:
    """A bundled benchmark by name, or a file; `second` names the corpus for cross-corpus bars.

    The columns named are the first file's; a second corpus has the default names.
    """
    place = str(name_or_path)
    if place in BUNDLED:
        origin = Origin(place=place, columns=_bundled_columns(place, columns))
        data = (FOLDER / f"{place}.jsonl").read_bytes()
        benchmark = _build(place, json_rows(data, place), data, origin)
    else:
        with storage(place):
            path = Path(place).resolve()
        data = _read_bytes(path, place)
        origin = Origin(place=str(path), columns=columns or Columns())
        benchmark = _build(path.name, rows_of(Path(place), data), data, origin)
    return benchmark if second is None else benchmark.with_second(load_benchmark(second))


def _bundled_columns(place: str, columns: Columns | None) -> Columns:
    """A bundled benchmark's columns are known; only what is positive may be said otherwise."""
    if columns is None or columns.positive is None:
        bundled = BUNDLED_COLUMNS
    else:
        bundled = Columns(positive=columns.positive)
    if columns not in (None, Columns(), bundled):
        raise SpecError(
            f"{place} is bundled, and its columns are known",
            hint="Leave out the flags that name columns.",
        )
    return bundled


def read_fields(benchmark: Benchmark) -> dict[str, list[object]]:
    """The columns of a benchmark's file that are none of its own, a value a record.

    A bundled benchmark and one made in memory have none.
    """
    origin = benchmark.origin
    if origin is None or origin.place in BUNDLED:
        return {}
    path = Path(origin.place)
    data = _read_bytes(path, origin.place)
    if digest(data) != benchmark.digest:
        raise DigestMismatch(f"{path.name} has changed since it was read")
    own = {_FLAGS.get(field, field) for field in Item.__struct_fields__}
    own |= {getattr(origin.columns, field) for field in Item.__struct_fields__}
    fields: dict[str, list[object]] = {}
    for number, (_, row) in enumerate(rows_of(path, data)):
        for name in row:
            if name not in own:
                fields.setdefault(name, [None] * len(benchmark.items))[number] = row[name]
    return fields


def _read_bytes(path: Path, place: str) -> bytes:
    with storage(place):
        there, regular = path.exists(), path.is_file()
    if not there:
        raise SpecError(
            f"no benchmark {place!r}: neither a bundled name ({', '.join(BUNDLED)}) nor a file"
        )
    if not regular:
        raise SpecError(f"{place}: not a regular file")
    if not path.name.isprintable():
        raise SpecError(f"{place!a}: a file name must be UTF-8 and printable")
    with storage(place):
        if path.stat().st_size > MAX_FILE_BYTES:
            raise SpecError(f"{place}: larger than {MAX_FILE_BYTES:,} bytes")
        return path.read_bytes()


def _build(name: str, rows: Iterator[tuple[str, Row]], data: bytes, origin: Origin) -> Benchmark:
    items: list[Item] = []
    for where, row in rows:
        items.append(_item(row, origin.columns, where, len(items) + 1))
    read = tuple(items)
    _check_positive(read, origin.columns, name)
    grouping: Literal["named", "question"] | None = "named"
    if not any(item.group is not None for item in items):
        read, grouping = _by_question(read)
    return Benchmark(name=name, digest=digest(data), items=read, grouping=grouping, origin=origin)


def _check_positive(items: tuple[Item, ...], columns: Columns, name: str) -> None:
    """A value that was called positive and never occurs is a misspelling."""
    if columns.positive is not None and not any(item.label for item in items):
        raise SpecError(
            f"{name}: no record is {columns.positive!r}, which `positive=` calls positive",
            hint="Look at the values of the label column; capitals and spaces count.",
        )


def _by_question(
    items: tuple[Item, ...],
) -> tuple[tuple[Item, ...], Literal["question"] | None]:
    """Group equal questions: several answers to one question are not independent."""
    places: dict[str, int] = {}
    for item in items:
        places.setdefault(item.question, len(places) + 1)
    if len(places) == len(items) or len(places) < FEWEST_QUESTIONS:
        return items, None
    grouped = (replace(item, group=f"question {places[item.question]}") for item in items)
    return tuple(grouped), "question"


def _item(row: Row, columns: Columns, where: str, number: int) -> Item:
    def read(field: str, column: str | None, *, blank: bool = False) -> str | None:
        """A field that may be missing; `blank` says that an empty one is missing too."""
        key = column or _FLAGS.get(field, field)
        if column is None and key not in row:
            return None
        if row.get(key, "?") is None or (blank and not str(row.get(key, "?")).strip()):
            return None
        return _text(row, key, field, where, empty=field == "response")

    label, cls = read("label", columns.label), read("cls", columns.cls)
    for field, value, column in (("label", label, columns.label), ("class", cls, columns.cls)):
        if value is None and (column or field) in row and (label, cls) == (None, None):
            raise SpecError(f"{where}, field {column or field!r}: expected a {field}, got null")
    if label is None and cls is None:
        raise SpecError(
            f"{where}: neither a label nor a class; the columns are {_listed(row)}",
            hint="Name the one that tells right from wrong: `label=COLUMN` or `class=COLUMN`.",
        )
    known = {
        "id": read("id", columns.id) or str(number),
        "class": cls,
        "source": read("source", columns.source, blank=True),
        "group": read("group", columns.group, blank=True),
    }
    return Item(
        id=str(known["id"]),
        question=_text(row, columns.question, "question", where),
        response=read("response", columns.response),
        label=_label(label, known, columns, where),
        cls=cls,
        source=known["source"],
        group=known["group"],
    )


def _text(row: Row, column: str, field: str, where: str, *, empty: bool = False) -> str:
    if column not in row:
        raise SpecError(
            f"{where}: no column {column!r}; the columns are {_listed(row)}",
            hint=_suggestion(row, column)
            + f"Name the one that holds the {_FLAGS.get(field, field)}: "
            f"`{_FLAGS.get(field, field)}=COLUMN`.",
        )
    value = row[column]
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if not isinstance(value, str):
        raise SpecError(f"{where}, field {column!r}: expected text, got {kind_of(value)}")
    if not empty and not value.strip():
        raise SpecError(f"{where}, field {column!r}: is empty")
    return value


def _label(
    value: str | None, known: Mapping[str, str | None], columns: Columns, where: str
) -> bool | None:
    positive = columns.positive
    if positive is not None and ("==" in positive or "!=" in positive):
        return parse_expression(positive).holds({**known, "label": value})
    if positive is not None:
        return (known["class"] if value is None else value) == positive
    if value is None:
        return None
    if value.lower() in _YES | _NO:
        return value.lower() in _YES
    raise SpecError(
        f"{where}, field {columns.label or 'label'!r}: expected 0, 1, true or false, got {value!r}",
        hint="Say which value means positive: `positive=VALUE`.",
    )


def _suggestion(row: Row, column: str) -> str:
    import difflib

    folded = {name.strip().lower(): name for name in row}
    near = difflib.get_close_matches(column.lower(), folded, n=1)
    return f"Did you mean {folded[near[0]]!r}? " if near else ""


def _listed(row: Row) -> str:
    names = [repr(name) for name in row]
    return ", ".join(names[:12]) + (", ..." if len(names) > 12 else "") or "none"
