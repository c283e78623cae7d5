"""Read, drop and shuffle the rows of a state's files.

Rows are lines of JSONL, entries of JSON (`json_entries`), rows of SQLite tables (`sqlite`), and
lines of any other text. What is no object is a row with the field `value`; the name of an object's
entry is its field `key`. A line of JSONL may hold entries inside it, as JSON does.
"""

import json
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.bounds import MAX_LINE_BYTES
from assay.digests import decode_utf8, json_lines, parse_json
from assay.dual_condition.state.json_entries import (
    ItemsOf,
    JsonEntry,
    Place,
    entries_of,
    entries_of_line,
    shared_fields,
    without,
)
from assay.dual_condition.state.sqlite import drop_records, records_in, shuffle_columns
from assay.errors import SpecError, storage

StateRow = Mapping[str, Any]
_SQLITE = b"SQLite format 3\0"
_BOM = b"\xef\xbb\xbf"
_CONTROL = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


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


def rows_in(
    path: Path,
    kind: str,
    items_of: ItemsOf | None = None,
    *,
    fields: Set[str] = frozenset(),
) -> Iterator[StateRow]:
    """Every row of a file; `items_of` tells records from mappings where shape does not.

    `fields` are names that a JSON file shares with others.
    """
    match kind:
        case "jsonl":
            values = [value for _, value in json_lines(_read(path), where=path.name)]
            for number, entries in enumerate(_of_lines(values, items_of)):
                for entry in entries:
                    alone = len(entries) == 1 and entry.places == ((number,),)
                    yield _as_row(values[number]) if alone else entry.row
        case "json":
            yield from (entry.row for entry in entries_of(_load(path), items_of, fields=fields))
        case "lines":
            yield from ({"value": line} for line in _read(path).decode().splitlines() if line)
        case _:
            yield from records_in(path)


@dataclass(frozen=True, kw_only=True)
class Dropped:
    """How many rows were taken out, and how many of them may have been more than one entry.

    `names` are the keys that went, and the name of a file that did.
    """

    rows: int = 0
    unsure: int = 0
    names: frozenset[str] = frozenset()


def drop_rows(
    path: Path, kind: str, items_of: ItemsOf, *, fields: Set[str] = frozenset()
) -> Dropped:
    """Take the rows that name items out of a file.

    Other lines keep their bytes, other entries and records their values. A file that is one of
    several records is deleted.
    """
    match kind:
        case "jsonl":
            return _drop_from_lines(path, items_of)
        case "lines":
            return _drop_plain(path, items_of)
        case "json":
            return _drop_entries(path, items_of, fields)
    return Dropped(rows=drop_records(path, lambda row: bool(items_of(row))))


def root_fields(paths: Iterable[Path]) -> frozenset[str]:
    """The names of fields that the objects of several JSON files share."""
    return shared_fields([_load(path) for path in paths])


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


def _of_lines(values: Sequence[object], items_of: ItemsOf | None) -> list[list[JsonEntry]]:
    """The entries of each line of JSONL."""
    fields = shared_fields(values) if items_of is not None else frozenset()
    return [entries_of_line(value, number, fields, items_of) for number, value in enumerate(values)]


def _gone(entries: Iterable[JsonEntry], items_of: ItemsOf) -> tuple[set[Place], Dropped]:
    """Where the entries lie that name items, and how many they are."""
    unwanted = [entry for entry in entries if items_of(entry.row)]
    places = {place for entry in unwanted for place in entry.places}
    unsure = sum(entry.unsure for entry in unwanted)
    names = frozenset(place[-1] for place in places if place and isinstance(place[-1], str))
    return places, Dropped(rows=len(unwanted), unsure=unsure, names=names)


def _drop_from_lines(path: Path, items_of: ItemsOf) -> Dropped:
    lines, kept = _lines(path), []
    rows = unsure = 0
    names: frozenset[str] = frozenset()
    by_line = _of_lines([value for _, value in lines], items_of)
    for number, ((line, value), entries) in enumerate(zip(lines, by_line, strict=True)):
        places, dropped = _gone(entries, items_of)
        rows, unsure, names = rows + dropped.rows, unsure + dropped.unsure, names | dropped.names
        if not places:
            kept.append(line)
        elif (number,) not in places:
            left = without(value, places, (number,))
            kept.append(json.dumps(left, ensure_ascii=False).encode() + b"\n")
    if rows:
        path.write_bytes(b"".join(kept))
    return Dropped(rows=rows, unsure=unsure, names=names)


def _drop_plain(path: Path, items_of: ItemsOf) -> Dropped:
    lines = _read(path).decode().splitlines(keepends=True)
    kept = [line for line in lines if not items_of({"value": line.rstrip("\r\n")})]
    if len(kept) < len(lines):
        path.write_bytes("".join(kept).encode())
    return Dropped(rows=len(lines) - len(kept))


def _drop_entries(path: Path, items_of: ItemsOf, fields: Set[str]) -> Dropped:
    whole = _load(path)
    places, dropped = _gone(entries_of(whole, items_of, fields=fields), items_of)
    if () in places and fields:
        path.unlink()
        dropped = replace(dropped, names=dropped.names | {path.name})
    elif places:
        left = json.dumps(without(whole, places), ensure_ascii=False)
        path.write_text(left, encoding="utf-8")
    return dropped


def _read(path: Path) -> bytes:
    with storage(path):
        return path.read_bytes()


def _load(path: Path) -> Any:  # noqa: ANN401 - JSON
    return parse_json(decode_utf8(_read(path), where=path.name), where=path.name)
