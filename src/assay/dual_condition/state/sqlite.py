"""Read and drop rows of SQLite databases in a state, and shuffle their columns.

Only copies are opened. Triggers are disabled meanwhile, since they could log or forbid deletions;
foreign keys cascade. Afterwards the file, its full-text indexes and its statistics are rebuilt, so
that no byte of the deleted rows is left.
"""

import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import SpecError

_FULL_TEXT = re.compile(r"USING\s+fts[345]\b", re.IGNORECASE)
_HINT = "Use your own command (state.forget), or set in_c for the layer."


@dataclass(frozen=True, kw_only=True)
class _DatabaseTable:
    """A table with rows: its columns, and those that identify a row."""

    name: str
    columns: tuple[str, ...]
    key: tuple[str, ...]

    def select(self) -> str:
        """All rows, key first."""
        names = ", ".join(map(_name, (*self.key, *self.columns)))
        return f"SELECT {names} FROM {_name(self.name)}"  # noqa: S608 - quoted

    def where(self) -> str:
        """The SQL condition that selects one row."""
        return " AND ".join(f"{_name(column)} IS ?" for column in self.key)


def records_in(path: Path) -> Iterator[Mapping[str, Any]]:
    """Every row of every table."""
    with _opened(path) as database:
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        for table in _tables(database):
            for values in database.execute(table.select()):
                yield dict(zip(table.columns, values[len(table.key) :], strict=True))


def drop_records(path: Path, unwanted: Callable[[Mapping[str, Any]], bool]) -> int:
    """Remove rows from every table, and what cascades from them; returns their number."""
    with _opened(path) as database:
        database.text_factory = lambda data: data.decode("utf-8", "replace")
        gone = {
            table: [
                values[: len(table.key)]
                for values in database.execute(table.select())
                if unwanted(dict(zip(table.columns, values[len(table.key) :], strict=True)))
            ]
            for table in _tables(database)
        }
        dropped = sum(map(len, gone.values()))
        if not dropped:
            return 0
        database.execute("PRAGMA foreign_keys = ON")
        with _changing(database):
            database.execute("PRAGMA defer_foreign_keys = ON")
            for table, keys in gone.items():
                delete = f"DELETE FROM {_name(table.name)} WHERE {table.where()}"  # noqa: S608
                database.executemany(delete, keys)
        _rebuild(database)
    return dropped


def shuffle_columns(
    path: Path, fields: Iterable[str], order: Callable[[int], list[int]]
) -> set[str]:
    """Shuffle the values of some columns within their tables; returns the columns found."""
    shuffled = set()
    with _opened(path) as database, _changing(database):
        for table in _tables(database):
            for field in sorted(set(fields) & set(table.columns)):
                _shuffle(database, table, field, order)
                shuffled.add(field)
    return shuffled


def _shuffle(
    database: sqlite3.Connection,
    table: _DatabaseTable,
    field: str,
    order: Callable[[int], list[int]],
) -> None:
    if field in table.key:
        raise SpecError(f"column {field} of table {table.name} cannot be shuffled: it is the key")
    names = ", ".join(map(_name, (*table.key, field)))
    rows = list(database.execute(f"SELECT {names} FROM {_name(table.name)}"))  # noqa: S608
    update = f"UPDATE {_name(table.name)} SET {_name(field)} = ? WHERE {table.where()}"  # noqa: S608
    values = [rows[other][-1] for other in order(len(rows))]
    moved = [(value, *row[:-1]) for value, row in zip(values, rows, strict=True)]
    database.execute("SAVEPOINT shuffled")
    try:
        try:
            database.executemany(update, moved)
        except sqlite3.IntegrityError:
            # A column may hold each value once, so all of them make way first.
            database.execute("ROLLBACK TO shuffled")
            away = [(f"assay-{at}", *row[:-1]) for at, row in enumerate(rows)]
            database.executemany(update, away)
            database.executemany(update, moved)
    except sqlite3.Error as error:
        raise SpecError(
            f"column {field} of table {table.name} cannot be shuffled: {error}"
        ) from None
    database.execute("RELEASE shuffled")


@contextmanager
def _opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Open a database; errors of SQLite become a SpecError."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None)) as database:
            yield database
    except (sqlite3.Error, UnicodeDecodeError) as error:  # its messages quote a damaged schema
        raise SpecError(f"{path.name}: SQLite says: {error}", hint=_HINT) from None


@contextmanager
def _changing(database: sqlite3.Connection) -> Iterator[None]:
    """One transaction, without triggers."""
    query = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' ORDER BY rowid"
    triggers = list(database.execute(query))
    database.execute("BEGIN")
    for name, _ in triggers:
        database.execute(f"DROP TRIGGER {_name(name)}")
    yield
    for _, text in triggers:
        database.execute(text)
    database.execute("COMMIT")


def _rebuild(database: sqlite3.Connection) -> None:
    """Rebuild full-text indexes, statistics and the file from the remaining rows."""
    query = "SELECT name, coalesce(sql, '') FROM sqlite_master WHERE type = 'table'"
    tables = dict(database.execute(query))
    for table in [name for name, text in tables.items() if _FULL_TEXT.search(text)]:
        for order in ("rebuild", "optimize"):
            try:
                database.execute(
                    f"INSERT INTO {_name(table)}({_name(table)}) VALUES (?)",  # noqa: S608
                    (order,),
                )
                break
            except sqlite3.Error:  # one without contents of its own cannot be built from them
                continue
    if {"sqlite_stat1", "sqlite_stat4"} & set(tables):
        database.execute("ANALYZE")
    database.execute("VACUUM")


def _tables(database: sqlite3.Connection) -> list[_DatabaseTable]:
    """Every table with its own rows: no views, and no tables behind a virtual one."""
    query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%'"
    names = [str(name) for (name,) in database.execute(query + " ESCAPE '\\'")]
    listed = {row[1]: row[2] for row in database.execute("PRAGMA table_list")}
    return [_table(database, name) for name in names if listed.get(name) != "shadow"]


def _table(database: sqlite3.Connection, name: str) -> _DatabaseTable:
    described = list(database.execute(f"PRAGMA table_info({_name(name)})"))
    columns = tuple(str(row[1]) for row in described)
    taken = {column.casefold() for column in columns}
    for number in ("rowid", "_rowid_", "oid"):
        if number not in taken:
            try:
                database.execute(f"SELECT {number} FROM {_name(name)} LIMIT 1")  # noqa: S608
            except sqlite3.OperationalError:
                break
            return _DatabaseTable(name=name, columns=columns, key=(number,))
    key = tuple(str(row[1]) for row in sorted(described, key=lambda row: int(row[5])) if row[5])
    if not key:
        raise SpecError(f"table {name!r:.80} has no key that tells its rows apart", hint=_HINT)
    return _DatabaseTable(name=name, columns=columns, key=key)


def _name(name: str) -> str:
    """A name in a database, quoted for SQL."""
    return '"' + name.replace('"', '""') + '"'
