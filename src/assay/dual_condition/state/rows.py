"""Read, drop and shuffle the rows of a state's files.

Rows are lines of JSONL, entries of a JSON list or object, rows of SQLite tables (`sqlite`), and
lines of any other text. A value that is not an object is a row with the field `value`; the name of
an object's entry is its field `key`. Entries may be nested deeper in a JSON file: a list of
objects, or an object of objects with a common field, is a collection of entries, not an entry.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from pathlib import Path
from typing import Any

from assay.bounds import MAX_LINE_BYTES
from assay.digests import decode_utf8, json_lines, parse_json
from assay.dual_condition.state.sqlite import drop_records, records_in, shuffle_columns
from assay.errors import SpecError, storage

StateRow = Mapping[str, Any]
_SQLITE = b"SQLite format 3\0"
_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_Path = tuple[object, ...]


def kind_of_file(path: Path) -> str | None:
    """The kind of a file's rows; None if it has no rows."""
    if path.suffix in (".jsonl", ".ndjson"):
        return "jsonl"
    if path.suffix == ".json":
        return "json"
    with storage(path), path.open("rb") as file:
        if file.read(len(_SQLITE)) == _SQLITE:
            return "sqlite"
    return None if plain_text(_read(path)) is None else "lines"


def plain_text(data: bytes) -> str | None:
    """The text of some bytes; None if they are not text."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _CONTROL.search(text) else text


def rows_in(path: Path, kind: str) -> Iterator[StateRow]:
    """Every row of a file."""
    match kind:
        case "jsonl":
            yield from (_as_row(value) for _, value in json_lines(_read(path), where=path.name))
        case "json":
            yield from (row for _, row in _entries(_load(path)))
        case "lines":
            yield from ({"value": line} for line in _read(path).decode().splitlines() if line)
        case _:
            yield from records_in(path)


def drop_rows(path: Path, kind: str, unwanted: Callable[[StateRow], bool]) -> int:
    """Remove the unwanted rows from a file; returns their number.

    Other lines keep their bytes; other entries and records keep their values.
    """
    match kind:
        case "jsonl":
            return _drop_lines(path, unwanted)
        case "lines":
            return _drop_plain(path, unwanted)
        case "json":
            return _drop_entries(path, unwanted)
    return drop_records(path, unwanted)


def shuffle_rows(
    path: Path, kind: str, fields: Iterable[str], order: Callable[[int], list[int]]
) -> set[str]:
    """Shuffle the values of some fields over the rows of a file; returns the fields that it has."""
    if kind == "sqlite":
        return shuffle_columns(path, fields, order)
    lines = _lines(path) if kind == "jsonl" else []
    whole = [value for _, value in lines] if kind == "jsonl" else _load(path)
    before = json.dumps(whole)
    were = [json.dumps(value) for _, value in lines]
    shuffled = set()
    for field in sorted(fields):
        places = list(_places(whole, field))
        values = [holder[at] for holder, at in places]
        for (holder, at), other in zip(places, order(len(places)), strict=True):
            holder[at] = values[other]
        shuffled |= {field} if places else set()
    if json.dumps(whole) == before:
        return shuffled
    if kind == "json":
        path.write_text(json.dumps(whole, ensure_ascii=False), encoding="utf-8")
        return shuffled
    path.write_bytes(
        b"".join(
            line
            if json.dumps(value) == old
            else json.dumps(value, ensure_ascii=False).encode() + b"\n"
            for (line, _), value, old in zip(lines, whole, were, strict=True)
        )
    )
    return shuffled


def texts_in(row: StateRow) -> Iterator[str]:
    """Every text of a row, at any depth, also inside texts that are JSON; numbers as text."""
    waiting: list[object] = list(row.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, bytes):
            value = value.decode("utf-8", "replace")
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            yield value
            waiting += _within(value)
        elif isinstance(value, int) and not isinstance(value, bool):
            yield str(value)
        elif isinstance(value, float) and math.isfinite(value):
            yield str(int(value)) if value.is_integer() else str(value)


def _within(text: str) -> list[object]:
    """The list or object that a text holds as JSON."""
    if text[:1] not in ("{", "["):
        return []
    try:
        return [parse_json(text, where="")]
    except SpecError:
        return []


def _as_row(value: object) -> StateRow:
    return value if isinstance(value, dict) else {"value": value}


def _entries(whole: object, above: _Path = ()) -> Iterator[tuple[_Path, StateRow]]:
    """The entries of a JSON list or object, each as a row; an object's with their key."""
    named: Iterable[tuple[object, object]] = ()
    if isinstance(whole, dict | list):
        named = whole.items() if isinstance(whole, dict) else enumerate(whole)
    for at, value in named:
        path = (*above, at)
        if _has_entries(value):
            yield from _entries(value, path)
            continue
        # What has a name may lie deeper; and an entry may have a field `key` of its own.
        names = [name for name in path if isinstance(name, str)]
        row = {"": names} | ({"key": at} if isinstance(whole, dict) else {})
        yield path, row | dict(_as_row(value))


def _has_entries(value: object) -> bool:
    """Whether a part of a JSON file is a collection of entries, not an entry."""
    if isinstance(value, list):
        return any(isinstance(each, dict) for each in value)
    if not isinstance(value, dict) or not value:
        return False
    if all(_has_entries(each) for each in value.values()):
        return True
    records = [each for each in value.values() if isinstance(each, dict)]
    alike = len(records) == len(value) > 1
    return alike and bool(set.intersection(*(set(each) for each in records)))


def _places(whole: Any, field: str) -> Iterator[tuple[Any, Any]]:  # noqa: ANN401 - JSON
    """The places of a field's values: the container of each, and its key or index."""
    listed: Iterable[tuple[Any, Any]] = ()
    if isinstance(whole, dict | list):
        listed = whole.items() if isinstance(whole, dict) else enumerate(whole)
    for at, value in listed:
        if isinstance(value, dict) and field in value:
            yield value, field
        elif not isinstance(value, dict) and field == "value":
            yield whole, at


def _lines(path: Path) -> list[tuple[bytes, Any]]:
    """The lines of JSONL with their values; blank ones are left out."""
    lines: list[tuple[bytes, Any]] = []
    for number, line in enumerate(_read(path).split(b"\n"), 1):
        where = f"{path.name}, line {number}"
        bare = line.removeprefix(_BOM) if number == 1 else line
        if not bare.strip():
            continue
        if len(bare) > MAX_LINE_BYTES:
            raise SpecError(f"{where}: {len(bare):,} bytes, at most {MAX_LINE_BYTES:,} allowed")
        lines.append((line + b"\n", parse_json(decode_utf8(bare, where=where), where=where)))
    return lines


def _drop_lines(path: Path, unwanted: Callable[[StateRow], bool]) -> int:
    lines = _lines(path)
    kept = [line for line, value in lines if not unwanted(_as_row(value))]
    if len(kept) < len(lines):
        path.write_bytes(b"".join(kept))
    return len(lines) - len(kept)


def _drop_plain(path: Path, unwanted: Callable[[StateRow], bool]) -> int:
    lines = _read(path).decode().splitlines(keepends=True)
    kept = [line for line in lines if not unwanted({"value": line.rstrip("\r\n")})]
    if len(kept) < len(lines):
        path.write_bytes("".join(kept).encode())
    return len(lines) - len(kept)


def _drop_entries(path: Path, unwanted: Callable[[StateRow], bool]) -> int:
    whole = _load(path)
    gone = {place for place, row in _entries(whole) if unwanted(row)}
    if gone:
        left = json.dumps(_without(whole, gone, ()), ensure_ascii=False)
        path.write_text(left, encoding="utf-8")
    return len(gone)


def _without(value: object, gone: Set[_Path], above: _Path) -> object:
    """A JSON value without the parts at these places."""
    depth = max(map(len, gone))
    if len(above) >= depth or not isinstance(value, dict | list):
        return value
    named = value.items() if isinstance(value, dict) else enumerate(value)
    left = {
        at: _without(each, gone, (*above, at)) for at, each in named if (*above, at) not in gone
    }
    return left if isinstance(value, dict) else list(left.values())


def _read(path: Path) -> bytes:
    with storage(path):
        return path.read_bytes()


def _load(path: Path) -> Any:  # noqa: ANN401 - JSON
    return parse_json(decode_utf8(_read(path), where=path.name), where=path.name)
