"""The rows of a state's files, and copies of the files without some of them.

Rows are lines of JSONL, entries of a JSON list or object, and rows of SQLite tables. Other files
have no rows that could be told apart.
"""

import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from assay.digests import decode_utf8, json_lines, parse_json
from assay.errors import SpecError, storage

Row = Mapping[str, Any]
_SQLITE = b"SQLite format 3\0"
_KEY = "key"


def kind_of_file(path: Path) -> str | None:
    """How a file's rows are written; None where it has none."""
    if path.suffix in (".jsonl", ".ndjson"):
        return "jsonl"
    if path.suffix == ".json":
        return "json"
    with storage(path), path.open("rb") as file:
        return "sqlite" if file.read(len(_SQLITE)) == _SQLITE else None


def rows_in(path: Path, kind: str) -> Iterator[Row]:
    """Every row of a file."""
    match kind:
        case "jsonl":
            for _, value in json_lines(_read(path), where=str(path)):
                yield _as_row(value)
        case "json":
            for _, row in _entries(_load(path)):
                yield row
        case _:
            with closing(_open(path)) as database:
                for table, columns in _tables(database).items():
                    for values in database.execute(f"SELECT * FROM {_name(table)}"):  # noqa: S608
                        yield dict(zip(columns, values, strict=True))


def drop_rows(path: Path, kind: str, unwanted: Callable[[Row], bool]) -> int:
    """Take the unwanted rows out of a file; how many they were. The others keep their bytes."""
    match kind:
        case "jsonl":
            return _drop_lines(path, unwanted)
        case "json":
            return _drop_entries(path, unwanted)
    return _drop_records(path, unwanted)


def shuffle_rows(path: Path, kind: str, fields: set[str], order: Callable[[int], list[int]]) -> int:
    """Hand the values of some fields to other rows of the file; how many rows have them."""
    if kind == "sqlite":
        return _shuffle_columns(path, fields, order)
    rows = [dict(row) for row in rows_in(path, kind)]
    moved = 0
    for field in sorted(fields):
        places = [at for at, row in enumerate(rows) if field in row]
        values = [rows[at][field] for at in places]
        for at, other in zip(places, order(len(places)), strict=True):
            rows[at][field] = values[other]
        moved = max(moved, len(places))
    if kind == "jsonl":
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        path.write_text(text, encoding="utf-8")
        return moved
    whole = _load(path)
    if isinstance(whole, dict):
        keys = [row.pop(_KEY, None) for row in rows]
        path.write_text(json.dumps(dict(zip(keys, rows, strict=True))), encoding="utf-8")
    else:
        path.write_text(json.dumps(rows), encoding="utf-8")
    return moved


def texts_in(row: Row) -> Iterator[str]:
    """Every text of a row, however deep; numbers as they would be written."""
    waiting: list[object] = list(row.values())
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting += [*value.keys(), *value.values()]
        elif isinstance(value, list):
            waiting += value
        elif isinstance(value, str):
            yield value
        elif isinstance(value, int) and not isinstance(value, bool):
            yield str(value)


def _as_row(value: object) -> Row:
    return value if isinstance(value, dict) else {"value": value}


def _entries(whole: object) -> Iterator[tuple[object, Row]]:
    """The entries of a JSON list or object, each as a row; an object's with their key."""
    if isinstance(whole, dict):
        for key, value in whole.items():
            yield key, {**_as_row(value), _KEY: key}
    elif isinstance(whole, list):
        for place, value in enumerate(whole):
            yield place, _as_row(value)


def _drop_lines(path: Path, unwanted: Callable[[Row], bool]) -> int:
    kept, dropped = [], 0
    for line in _read(path).split(b"\n"):
        if line.strip():
            text = decode_utf8(line, where=str(path))
            if unwanted(_as_row(parse_json(text, where=str(path)))):
                dropped += 1
                continue
            kept.append(line + b"\n")
    if dropped:
        path.write_bytes(b"".join(kept))
    return dropped


def _drop_entries(path: Path, unwanted: Callable[[Row], bool]) -> int:
    whole = _load(path)
    gone = {key for key, row in _entries(whole) if unwanted(row)}
    if not gone:
        return 0
    left: object = (
        {key: value for key, value in whole.items() if key not in gone}
        if isinstance(whole, dict)
        else [value for place, value in enumerate(whole) if place not in gone]
    )
    path.write_text(json.dumps(left, ensure_ascii=False), encoding="utf-8")
    return len(gone)


def _drop_records(path: Path, unwanted: Callable[[Row], bool]) -> int:
    """Rows of every table; afterwards the file is built anew, so that nothing of them is left."""
    dropped = 0
    with closing(_open(path)) as database:
        for table, columns in _tables(database).items():
            found = database.execute(f"SELECT rowid, * FROM {_name(table)}")  # noqa: S608
            gone = [
                (number,)
                for number, *values in found
                if unwanted(dict(zip(columns, values, strict=True)))
            ]
            database.executemany(f"DELETE FROM {_name(table)} WHERE rowid = ?", gone)  # noqa: S608
            dropped += len(gone)
        database.commit()
        if dropped:
            database.execute("VACUUM")
    return dropped


def _shuffle_columns(path: Path, fields: set[str], order: Callable[[int], list[int]]) -> int:
    moved = 0
    with closing(_open(path)) as database:
        for table, columns in _tables(database).items():
            for field in sorted(fields & set(columns)):
                moved = max(moved, _shuffle_column(database, table, field, order))
        database.commit()
    return moved


def _shuffle_column(
    database: sqlite3.Connection, table: str, field: str, order: Callable[[int], list[int]]
) -> int:
    query = f"SELECT rowid, {_name(field)} FROM {_name(table)}"  # noqa: S608 - quoted
    found = list(database.execute(query))
    update = f"UPDATE {_name(table)} SET {_name(field)} = ? WHERE rowid = ?"  # noqa: S608 - quoted
    places = order(len(found))
    try:
        # A column may hold each value once, so all of them make way first.
        database.executemany(update, [(f"assay-{row[0]}", row[0]) for row in found])
        database.executemany(
            update, [(found[other][1], row[0]) for row, other in zip(found, places, strict=True)]
        )
    except sqlite3.Error as error:
        raise SpecError(f"column {field} of table {table} cannot be shuffled: {error}") from None
    return len(found)


def _open(path: Path) -> sqlite3.Connection:
    try:
        database = sqlite3.connect(path)
        database.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        raise SpecError(f"{path}: not a SQLite database that can be read: {error}") from None
    return database


def _tables(database: sqlite3.Connection) -> dict[str, list[str]]:
    """The columns of every table that has rows of its own and numbers them."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    found = {}
    for (table,) in list(database.execute(query)):
        try:
            database.execute(f"SELECT rowid FROM {_name(table)} LIMIT 1")  # noqa: S608
        except sqlite3.OperationalError:
            raise SpecError(f"table {table!r:.80} of the state has no row numbers") from None
        columns = database.execute(f"PRAGMA table_info({_name(table)})")
        found[table] = [str(column[1]) for column in columns]
    return found


def _name(name: str) -> str:
    """A name of a database's own, quoted as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _read(path: Path) -> bytes:
    with storage(path):
        return path.read_bytes()


def _load(path: Path) -> Any:  # noqa: ANN401 - JSON
    return parse_json(decode_utf8(_read(path), where=str(path)), where=str(path))
