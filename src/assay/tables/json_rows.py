"""Rows from JSON: one object a line, an array of objects, an object of columns or around an array.

An object that holds one array of objects is read as that array. If all its values are lists of one
length, but not all lists of objects, they are columns; so are objects with the same numbers as
keys, as `to_json` of pandas writes them.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.bounds import MAX_CELLS, MAX_COLUMNS, MAX_ROWS, MAX_UNPACKED_BYTES
from assay.digests import json_lines, parse_json
from assay.errors import SpecError
from assay.tables.faults import Faults, note
from assay.tables.json_text import BrokenJson, JsonText
from assay.tables.nested import PlacedRows, Row, kind_of

_AS_LINES = "Write it as one JSON object a line (.jsonl)."
_MOST_NAMED = 12
_LONGEST_LABEL = 60


def line_rows(
    data: bytes,
    where: str,
    *,
    faults: Faults | None = None,
    unit: str = "line",
    labels: Sequence[str] | None = None,
) -> PlacedRows:
    """One JSON object a line; `unit` is what a line is called, `labels` the index of a frame."""
    on_fault = None if faults is None else faults.add
    for number, row in json_lines(data, where=where, on_fault=on_fault, unit=unit):
        place = f"{where}, {unit} {number}"
        if labels is not None:
            place += f" (index {labels[number - 1]:.{_LONGEST_LABEL}})"
        if isinstance(row, dict):
            yield place, row
        else:
            note(faults, _no_object(place, row))


def _no_object(place: str, row: object) -> SpecError:
    return SpecError(
        f"{place}: expected an object, got {kind_of(row)}",
        hint='Write every row as an object with its columns: {"column": value, ...}',
    )


def array_rows(data: bytes, where: str, *, faults: Faults | None = None) -> PlacedRows:
    """The objects of an array."""
    for place, row, _ in spans(data, where, faults=faults):
        yield place, row


def spans(
    data: bytes, where: str, *, faults: Faults | None = None
) -> Iterator[tuple[str, Row, str]]:
    """The objects of an array, each with its place and its source text."""
    text = _opened(data, where)
    try:
        yield from _objects(text, "", faults)
        text.end()
    except BrokenJson as broken:
        note(faults, broken.error)
    except SpecError as error:
        note(faults, error)


def object_rows(data: bytes, where: str, *, faults: Faults | None = None) -> PlacedRows:
    """The rows of one object: an array of objects inside it, lists as columns, or one row."""
    text = _opened(data, where)
    try:
        fields = _outline(text)
        text.end()
        arrays = [field for field in fields if field.is_objects]
        lists = all(field.size is not None for field in fields)
        if fields and lists and len(arrays) < len(fields):
            if len({field.size for field in fields}) == 1:
                yield from _columns(text, fields, faults)
                return
            if not arrays:
                raise _ragged(where, fields)
        if len(arrays) == 1:
            text.at = arrays[0].at
            for place, row, _ in _objects(text, f" of {arrays[0].name!r:.60}", faults):
                yield place, row
            return
    except BrokenJson as broken:
        note(faults, broken.error)
        return
    if arrays:
        raise SpecError(
            f"{where}: {len(arrays)} arrays of objects: {_named(arrays)}",
            hint="Save the array you mean as a file of its own.",
        )
    yield from _single(text, where, fields)


def _opened(data: bytes, where: str) -> JsonText:
    if len(data) > MAX_UNPACKED_BYTES:
        raise SpecError(
            f"{where}: one JSON value of {len(data):,} bytes, at most {MAX_UNPACKED_BYTES:,}"
            " allowed",
            hint=_AS_LINES,
        )
    return JsonText(data.decode("utf-8"), where)


def _objects(text: JsonText, beside: str, faults: Faults | None) -> Iterator[tuple[str, Row, str]]:
    for number, place in _places(text, beside):
        text.next()
        start = text.at
        if number > MAX_ROWS:
            raise SpecError(f"{text.where}: more than {MAX_ROWS:,} rows", hint="Take a part of it.")
        try:
            value = text.value(place)
        except SpecError as error:
            note(faults, error)
            continue
        if isinstance(value, dict):
            yield place, value, text.text[start : text.at]
        else:
            note(faults, _no_object(place, value))


def _places(text: JsonText, beside: str) -> Iterator[tuple[int, str]]:
    """The number and the place of each element of an array; the caller consumes the elements."""
    text.take("[")
    if text.next() == "]":
        text.take("]")
        return
    number = 0
    while True:
        number += 1
        yield number, f"{text.where}, element {number}{beside}"
        if text.take(",]") == "]":
            return


@dataclass(frozen=True, kw_only=True)
class _Field:
    """A value of the outer object: its position; for a list, its length and element kind."""

    name: str
    at: int
    size: int | None = None
    is_objects: bool = False


def _outline(text: JsonText) -> list[_Field]:
    """The fields of the outer object, without decoding their values."""
    fields: dict[str, _Field] = {}
    text.take("{")
    if text.next() == "}":
        text.take("}")
        return []
    while True:
        name = _key(text)
        if name in fields:
            raise SpecError(f"{text.where}: key {name!r:.60} occurs twice in one object")
        if len(fields) >= MAX_COLUMNS:
            raise SpecError(f"{text.where}: more than {MAX_COLUMNS:,} columns")
        text.take(":")
        fields[name] = _field(text, name)
        if text.take(",}") == "}":
            return list(fields.values())


def _key(text: JsonText) -> str:
    if text.next() != '"':
        raise BrokenJson(text.wrong("expected a key in double quotes", text.at))
    return str(text.value(text.where))


def _field(text: JsonText, name: str) -> _Field:
    letter = text.next()
    start = text.at
    if letter != "[":
        text.skip()
        return _Field(name=name, at=start)
    size, objects = 0, 0
    for size, _ in _places(text, ""):  # noqa: B007 - counted
        objects += text.next() == "{"
        text.skip()
    return _Field(name=name, at=start, size=size, is_objects=0 < objects == size)


def _columns(text: JsonText, fields: list[_Field], faults: Faults | None) -> PlacedRows:
    """Rows from lists of one length, a list a column."""
    columns: dict[str, list[object]] = {}
    cells = 0
    for field in fields:
        text.at = field.at
        column = columns[field.name] = []
        for _, place in _places(text, f" of {field.name!r:.60}"):
            try:
                value = text.value(place)
            except SpecError as error:
                note(faults, error)
                value = None
            column.append(value)
            cells += count_values(value)
            if cells > MAX_CELLS:
                raise SpecError(
                    f"{text.where}: more than {MAX_CELLS:,} values", hint="Take a part of it."
                )
    for number, row in enumerate(zip(*columns.values(), strict=True), 1):
        yield f"{text.where}, row {number}", dict(zip(columns, row, strict=True))


def count_values(value: object) -> int:
    """The number of values inside a value, including itself."""
    if isinstance(value, dict):
        return 1 + sum(map(count_values, value.values()))
    return 1 + sum(map(count_values, value)) if isinstance(value, list) else 1


def _ragged(where: str, fields: list[_Field]) -> SpecError:
    sizes = [f"{field.name!r:.60} has {field.size:,}" for field in fields[:_MOST_NAMED]]
    return SpecError(
        f"{where}: columns of different lengths: {', '.join(sizes)}",
        hint="Give every column one value a record, null where it is missing.",
    )


def _single(text: JsonText, where: str, fields: list[_Field]) -> PlacedRows:
    """The only row of a file, on one line."""
    whole = text.text.strip()
    if "\n" in whole or not fields:
        raise SpecError(
            f"{where}: one JSON object that holds no array of objects; its keys are"
            f" {_named(fields)}",
            hint=f'Expected {{"data": [{{...}}, {{...}}]}}, or an array. {_AS_LINES}',
        )
    row: Any = parse_json(whole, where=f"{where}, line 1")
    columns = columns_by_index(row)
    if columns is None:
        yield f"{where}, line 1", row
        return
    for number, cells in enumerate(zip(*columns.values(), strict=True), 1):
        yield f"{where}, row {number}", dict(zip(columns, cells, strict=True))


def columns_by_index(table: Mapping[Any, object]) -> dict[Any, list[object]] | None:
    """The columns of {column: {index: value}}, as pandas writes a frame; None for any other."""
    columns = [value for value in table.values() if isinstance(value, Mapping) and value]
    if not columns or len(columns) < len(table) or len({tuple(each) for each in columns}) > 1:
        return None
    if not all(str(label).isdecimal() for label in columns[0]):
        return None
    return {name: list(cells.values()) for name, cells in zip(table, columns, strict=True)}


def _named(fields: list[_Field]) -> str:
    names = ", ".join(f"{field.name!r:.60}" for field in fields[:_MOST_NAMED])
    return names + (", ..." if len(fields) > _MOST_NAMED else "") or "none"
