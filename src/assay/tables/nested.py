"""A row of a file: its values, what they are called, and names of values inside them.

`doc.question` and `scores.0.value` are such names. A column that is there by its whole name is that
column, dots or not. Otherwise the longest part of the name that is a key leads inside, and a number
leads into a list.
"""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from assay.bounds import MAX_DEPTH

Row = Mapping[str, object]
PlacedRows = Iterator[tuple[str, Row]]
"""Rows, each with its place: the file and the line, element or row that every error names."""
MOST_NAMES = 12
_MOST_ELEMENTS = 3
"""So many elements of a list are named, each by its number."""
_ABSENT = object()


def kind_of(value: object) -> str:
    """What a value is, in words for an error."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return repr(value)[:60]


def as_word(value: object) -> str:
    """A cell as a word that people write: true and 1, where Python writes True and 1.0."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def with_paths(row: Row, names: Collection[str]) -> Row:
    """A row in which values inside it are also columns, by the dotted names that lead there."""
    found: dict[str, object] = {}
    for name in names:
        if name not in row:
            value = _value_at(row, name.split(".")[:MAX_DEPTH])
            if value is not _ABSENT:
                found[name] = value
    return {**row, **found} if found else row


def dotted(names: Collection[str | None]) -> tuple[str, ...]:
    """Those names that may lead inside a row."""
    return tuple(dict.fromkeys(name for name in names if name is not None and "." in name))


def _value_at(value: object, parts: list[str]) -> object:
    if not parts:
        return value
    if isinstance(value, list):
        number = parts[0]
        if not (number.isascii() and number.isdigit()) or len(number) > 9:
            return _ABSENT
        return _value_at(value[int(number)], parts[1:]) if int(number) < len(value) else _ABSENT
    if isinstance(value, Mapping):
        for count in range(len(parts), 0, -1):
            key = ".".join(parts[:count])
            if key in value:
                return _value_at(value[key], parts[count:])
    return _ABSENT


def names_in(row: Row) -> Iterator[str]:
    """The names of a row's columns, and after each those of the values inside it."""
    for name, value in row.items():
        yield str(name)
        yield from _inner(f"{name}.", value, 1)


def _inner(before: str, value: object, depth: int) -> Iterator[str]:
    if depth >= MAX_DEPTH:
        return
    pairs: Iterator[tuple[object, object]] = iter(())
    if isinstance(value, Mapping):
        pairs = iter(value.items())
    elif isinstance(value, list) and value and isinstance(value[0], (Mapping, list)):
        pairs = islice(enumerate(value), _MOST_ELEMENTS)
    for key, child in pairs:
        yield f"{before}{key}"
        yield from _inner(f"{before}{key}.", child, depth + 1)


def listed_names(row: Row) -> str:
    """The columns of a row and what is inside them, for an error; the columns come first."""
    inside = (name for name in names_in(row) if name not in row)
    shown = [*map(str, islice(row, MOST_NAMES)), *islice(inside, MOST_NAMES)]
    more = len(row) > MOST_NAMES or next(inside, None) is not None
    names = ", ".join(f"{name!r:.60}" for name in shown)
    return names + (", ..." if more else "") or "none"
