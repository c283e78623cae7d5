"""Rows of a file: their values, column names, and dotted names of nested values.

`doc.question` and `scores.0.value` are dotted names. A column with exactly that name takes
precedence. Otherwise the longest part of the name that is a key leads inside, and a number leads
into a list.
"""

import difflib
import re
from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from assay.bounds import MAX_DEPTH
from assay.wording import as_column, some

Row = Mapping[str, object]
PlacedRows = Iterator[tuple[str, Row]]
"""Rows, each with its place: the file and the line, element or row that every error names."""
MOST_NAMES = 12
_MOST_ELEMENTS = 3
"""The most elements of a list that are listed by number."""
_ABSENT = object()
_NUMBER = re.compile(r"[+-]?(?:0|[1-9][0-9]{0,300})?(?:\.[0-9]{0,300})?(?:[eE][+-]?[0-9]{1,3})?")
"""A list index; 007 is a name."""
_BOOLEANS = {word: word.lower() for word in ("true", "True", "TRUE", "false", "False", "FALSE")}


def kind_of(value: object) -> str:
    """The kind of a value, in words for an error."""
    if value is None:
        return "null"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return repr(value)[:60]


def as_word(value: object) -> str:
    """A cell as people write it: true and 1, not True and 1.0."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def same_word(one: str, other: str) -> bool:
    """Whether two words mean the same value: 1 and 1.0, true and True.

    Numbers are compared as numbers and booleans in any spelling, since a file may have 1.0 and True
    where the user types 1 and true. Anything else is compared exactly.
    """
    if one == other:
        return True
    if one in _BOOLEANS:
        return _BOOLEANS[one] == _BOOLEANS.get(other)
    number = number_in(one)
    return number is not None and number == number_in(other)


def values_present(name: str, present: Collection[str], asked: Collection[str] = ()) -> str:
    """The values of a column, in words, and the one that was probably meant."""
    words = sorted({word for word in present if word})
    listed = some([repr(word) for word in words]) if words else "nothing"
    near = _nearest(words, asked)
    meant = "" if near is None else f"; did you mean {near!r:.60}?"
    return f"{name} holds {listed}{meant}"


def _nearest(words: Collection[str], asked: Collection[str]) -> str | None:
    folded = {word.strip().casefold(): word for word in reversed(list(words))}
    for word in asked:
        near = difflib.get_close_matches(word.strip().casefold()[:200], folded, n=1)
        if near and not any(same_word(word, known) for known in words):
            return folded[near[0]]
    return None


def number_in(word: str) -> float | None:
    """The number that a word writes; None if it writes none."""
    stripped = word.strip()
    if not any(map(str.isdigit, stripped)) or not _NUMBER.fullmatch(stripped):
        return None
    try:
        return float(stripped)
    except ValueError:
        return None


def with_paths(row: Row, names: Collection[str]) -> Row:
    """A row with nested values added as columns under these dotted names."""
    found: dict[str, object] = {}
    for name in names:
        if name not in row:
            value = _value_at(row, name.split(".")[:MAX_DEPTH])
            if value is not _ABSENT:
                found[name] = value
    return {**row, **found} if found else row


def dotted(names: Collection[str | None]) -> tuple[str, ...]:
    """The names that may be dotted."""
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
    """The column names of a row, each followed by the dotted names of its nested values."""
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
    """The columns of a row, then their nested names, as a list for an error."""
    inside = (name for name in names_in(row) if name not in row)
    shown = [*map(str, islice(row, MOST_NAMES)), *islice(inside, MOST_NAMES)]
    more = len(row) > MOST_NAMES or next(inside, None) is not None
    names = ", ".join(map(as_column, shown))
    return names + (", ..." if more else "") or "none"
