"""The entries of a JSON value: the smallest parts that stand for themselves.

A pair of a mapping, an element of a list, a record, or the same row of several columns. Any of them
may lie at any depth:

    {question: verdict, ...}                 each pair
    [text, ...]                              each element
    [{"q": ..., "v": ...}, ...]              each record, whole: a `v` without its `q` is no entry
    {id: {"q": ..., "v": ...}, ...}          each record, with its key
    [[q, v], ...], {id: [q, v], ...}         each tuple
    {"q": [...], "v": [...]}                 each row: lists of equal length in one object
    {"q": {"0": ...}, "v": {"0": ...}}       each row: objects with the same numbers for keys

What is a record shows in its neighbours: objects in one list, or under one object, that share names
of fields. A record that names items only in a mapping or in columns inside it loses those entries.
Numbers without any text are one entry: their order may be all that they say.

Shape does not always tell. A flat object by itself may be a record, or a mapping from names to
texts; a list inside a record may belong to it, or hold records. Then the larger part is the entry,
and `unsure` if it names items and holds texts of no item as well.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

from assay.dual_condition.state.item_traces import looks_like_digest

Place = tuple[object, ...]
ItemsOf = Callable[[Mapping[str, Any]], Set[str]]
"""The items that a row names."""
_WORD = re.compile(r"[^\W\d_]{2,}")
_NUMBERED = re.compile(r"[^\W\d_]{0,12}[\W_]?\d[\d\W_]*")
_TEXT_WORDS = 3
_LONGEST_TUPLE = 8
_STRAY_ROWS = 0.25


@dataclass(frozen=True, kw_only=True)
class JsonEntry:
    """An entry as a row, where its parts lie, and whether it may be more than one entry."""

    places: tuple[Place, ...]
    row: Mapping[str, Any]
    unsure: bool = False


def entries_of(
    whole: object, items_of: ItemsOf | None = None, *, fields: Set[str] = frozenset()
) -> list[JsonEntry]:
    """The entries of a JSON file; `fields` are names that it shares with other files."""
    entries = _Entries(items_of)
    if isinstance(whole, dict) and fields & set(whole):
        plain = {name: each for name, each in whole.items() if not isinstance(each, dict | list)}
        if entries.items_of(_row((), plain)) and not any(map(entries.named, whole)):
            return [JsonEntry(places=((),), row=_row((), whole))]
    return list(entries.of_container(whole, ()))


def entries_of_line(
    value: object, number: int, fields: Set[str], items_of: ItemsOf | None = None
) -> list[JsonEntry]:
    """The entries of a line of JSONL; `fields` are names that it shares with other lines."""
    return list(_Entries(items_of).of_element(value, (number,), fields))


def without(value: object, gone: Set[Place], above: Place = ()) -> object:
    """A JSON value without what lies at some places in it."""
    if above in gone:
        return {} if isinstance(value, dict) else []
    depth = max(map(len, gone), default=0)

    def left_of(value: object, above: Place) -> object:
        if len(above) >= depth or not isinstance(value, dict | list):
            return value
        left = {
            at: left_of(each, (*above, at))
            for at, each in _pairs(value)
            if (*above, at) not in gone
        }
        return left if isinstance(value, dict) else list(left.values())

    return left_of(value, above)


def shared_fields(values: Iterable[object]) -> frozenset[str]:
    """The names of fields that two objects or more among some values have."""
    counts = Counter(name for value in values for name in _field_names(value))
    return frozenset(name for name, count in counts.items() if count > 1)


class _Entries:
    """Splits a JSON value."""

    def __init__(self, items_of: ItemsOf | None) -> None:
        self.items_of: ItemsOf = items_of or (lambda _: frozenset())

    def named(self, name: str) -> bool:
        """Whether a key names an item."""
        return bool(self.items_of({"key": name}))

    def of_container(self, value: object, path: Place) -> Iterator[JsonEntry]:
        """The entries of a list, or of an object that has no like beside it."""
        if isinstance(value, list):
            yield from self._of_list(value, path)
        elif isinstance(value, dict):
            if not self._is_one(value, nested=bool(path)):
                yield from self._of_object(value, path)
                return
            key = path[-1] if path and isinstance(path[-1], str) else None
            row, unsure = _row(path, value, key=key), self._holds_others(value)
            yield JsonEntry(places=(path,), row=row, unsure=unsure)

    def of_element(self, value: object, path: Place, fields: Set[str]) -> Iterator[JsonEntry]:
        """The entries of an element of a list or a line; a list in it is one, if not surely."""
        if isinstance(value, dict):
            yield from self._of_record(value, path, fields)
        else:
            yield JsonEntry(places=(path,), row=_row(path, value), unsure=self._is_torn(value))

    def _of_list(self, values: list[Any], path: Place) -> Iterator[JsonEntry]:
        if not _has_text(values) and not self.items_of(_value_row(values)):
            yield JsonEntry(places=(path,), row=_row(path, values))
            return
        lists = [each for each in values if isinstance(each, list)]
        lengths = {len(each) for each in lists}
        if len(lists) == len(values) > 1 and len(lengths) == 1:
            (length,) = lengths
            if length > max(_LONGEST_TUPLE, len(lists)) and all(map(_is_flat, lists)):
                yield from self._of_columns(values, range(len(lists)), path)
                return
        fields = shared_fields(values)
        for at, value in enumerate(values):
            place = (*path, at)
            if isinstance(value, list) and value and all(isinstance(x, list) for x in value):
                yield from self._of_list(value, place)
            elif isinstance(value, list) and _is_flat(value):
                unsure = len(lengths) > 1 and self._holds_others(value)
                yield JsonEntry(places=(place,), row=_row(place, value), unsure=unsure)
            else:
                yield from self.of_element(value, place, fields)

    def _of_object(self, value: dict[str, Any], path: Place) -> Iterator[JsonEntry]:
        """The entries of a mapping: its pairs, or what is inside them."""
        columns = self._columns(value)
        yield from self._of_columns(value, columns, path)
        rest = {name: each for name, each in value.items() if name not in columns}
        fields, keyed, tuples = shared_fields(rest.values()), _is_keyed(value), self._tuples(rest)
        for name, each in rest.items():
            place = (*path, name)
            if not isinstance(each, dict | list) or not each or self.named(name):
                yield JsonEntry(places=(place,), row=_row(place, each, key=name))
            elif isinstance(each, dict) and (keyed or fields & set(each)):
                yield from self._of_record(each, place, fields, key=name)
            elif isinstance(each, list) and (
                tuples or (keyed and _is_flat(each) and not self._texts(each)[1])
            ):
                yield JsonEntry(places=(place,), row=_row(place, each, key=name))
            else:
                yield from self.of_container(each, place)

    def _of_record(
        self, record: dict[str, Any], path: Place, fields: Set[str], key: str | None = None
    ) -> Iterator[JsonEntry]:
        """A record whole, or what is inside it where it names items only there."""
        row = _row(path, record, key=key)
        if not self.items_of(row):
            yield JsonEntry(places=(path,), row=row)
            return
        named = [name for name in record if self.named(name)]
        others = set(record) - set(named)
        if len(named) > 1 or (named and not others <= fields):
            yield from self._of_object(record, path)
            return
        inside = [] if named else self._inside(record)
        own = {name: value for name, value in record.items() if name not in inside}
        if not inside or self.items_of(_row(path, own, key=key)):
            yield JsonEntry(places=(path,), row=row, unsure=self._is_torn(record))
            return
        yield from self._of_object({name: record[name] for name in inside}, path)
        yield JsonEntry(places=(), row=_row(path, own, key=key))

    def _inside(self, record: dict[str, Any]) -> list[str]:
        """The columns of a record, and its mappings from items or ids, at any depth."""
        columns = self._columns(record)
        inside = [name for name in record if name in columns or self._is_mapping(record[name])]
        # A field that is to name the record's items does so whatever it holds.
        return [
            name
            for name in inside
            if self.items_of({name: record[name]}) == self.items_of({"value": record[name]})
        ]

    def _is_mapping(self, value: object) -> bool:
        if not isinstance(value, dict) or not value:
            return False
        if any(map(self.named, value)) or _is_keyed(value):
            return True
        return any(map(self._is_mapping, value.values()))

    def _is_one(self, value: dict[str, Any], *, nested: bool) -> bool:
        """Whether an object by itself is one entry: flat, under names, and no mapping.

        At the top of a file its pairs are entries, unless one of several names an item.
        """
        if not value:
            return nested
        if (
            _is_keyed(value)
            or any(map(self.named, value))
            or not all(map(_is_part, value.values()))
        ):
            return False
        plain = {name: each for name, each in value.items() if not isinstance(each, list)}
        if not plain or self._columns(value):
            return False
        return nested or (len(plain) > 1 and bool(self.items_of(_row((), plain))))

    def _is_torn(self, value: object) -> bool:
        """Whether a part of an entry has parts of several items, and others of none.

        A record may name two items in its fields; three make it look like a mapping.
        """
        if not isinstance(value, dict | list):
            return False
        parts = [part for _, part in _pairs(value)]
        found = [self.items_of(_value_row(part)) for part in parts]
        others = (part for part, items in zip(parts, found, strict=True) if not items)
        several = _apart(found) > (2 if isinstance(value, dict) else 1)
        if several and any(self._texts(part)[1] for part in others):
            return True
        return any(map(self._is_torn, parts))

    def _columns(self, value: dict[str, Any]) -> list[str]:
        """The names of an object's columns, of which one has texts; empty where it has none."""
        lists = {name: each for name, each in value.items() if isinstance(each, list)}
        objects = {name: each for name, each in value.items() if isinstance(each, dict)}
        for length in sorted({len(each) for each in lists.values()} - {0, 1}, reverse=True):
            names = [name for name, each in lists.items() if len(each) == length]
            told = any(
                _has_text(lists[name]) or self.items_of({name: lists[name]}) for name in names
            )
            if len(names) > 1 and told and not self._tuples({name: lists[name] for name in names}):
                return names
        same = len(objects) > 1 and len({frozenset(each) for each in objects.values()}) == 1
        keys = next(iter(objects.values()), {})
        if same and (_is_keyed(keys) or any(map(self.named, keys))) and not _is_keyed(value):
            return list(objects) if any(map(_has_text, objects.values())) else []
        return []

    def _of_columns(
        self, value: dict[str, Any] | list[Any], columns: Sequence[Any], path: Place
    ) -> Iterator[JsonEntry]:
        """The rows of columns."""
        rows, names = [], [name for name in path if isinstance(name, str)]
        for at, _ in _pairs(value[columns[0]]) if columns else ():
            label = {"key": at} if isinstance(at, str) else {}
            cells = {str(name): value[name][at] for name in columns}
            rows.append((tuple((*path, name, at) for name in columns), {"": names} | label | cells))
        unsure = self._mixes_rows([row for _, row in rows], list(map(str, columns)))
        yield from (JsonEntry(places=places, row=row, unsure=unsure) for places, row in rows)

    def _mixes_rows(self, rows: Sequence[Mapping[str, Any]], columns: Sequence[str]) -> bool:
        """Whether these are no columns: too often, what stands in a row is of different entries.

        Two columns name different items there, or one names an item and the usual one another text.
        """
        found = [{name: self.items_of(_value_row(row[name])) for name in columns} for row in rows]
        of_items = [at for at, by_column in enumerate(found) if any(by_column.values())]
        if not of_items:
            return False
        usual = max(columns, key=lambda name: sum(bool(found[at][name]) for at in of_items))
        strays = sum(
            _apart(found[at].values()) > 1
            or (not found[at][usual] and bool(self._texts(rows[at][usual])[1]))
            for at in of_items
        )
        return strays > _STRAY_ROWS * len(of_items)

    def _tuples(self, value: Mapping[str, Any]) -> bool:
        """Whether the lists of an object are tuples, an entry each, rather than columns."""
        lists = [each for each in value.values() if isinstance(each, list)]
        lengths = {len(each) for each in lists}
        if len(lists) < 2 or len(lengths) > 1 or not 2 <= min(lengths) <= _LONGEST_TUPLE:
            return False
        if any(isinstance(part, dict) for each in lists for part in each):
            return False
        mixed = any(len({isinstance(part, str) for part in each}) > 1 for each in lists)
        if _is_keyed(value) or mixed or min(lengths) < len(lists):
            return True
        for parts in zip(*lists, strict=True):
            if _apart([self.items_of({"value": part}) for part in parts]) > 1:
                return True
        return False

    def _holds_others(self, value: object) -> bool:
        """Whether a part that names items also holds texts of none."""
        ours, others = self._texts(value)
        return bool(ours) and bool(others)

    def _texts(self, value: object) -> tuple[list[str], list[str]]:
        """The texts of a value that name items, and those of several words that name none."""
        ours, others = [], []
        for text in _strings(value):
            if self.items_of({"value": text}):
                ours.append(text)
            elif _is_text(text):
                others.append(text)
        return ours, others


def _pairs(value: dict[str, Any] | list[Any]) -> list[tuple[Any, Any]]:
    return list(value.items()) if isinstance(value, dict) else list(enumerate(value))


def _apart(found: Iterable[Set[str]]) -> int:
    """How many of some sets of items have none in common with those before."""
    count, known = 0, set[str]()
    for items in found:
        count += bool(items) and not items & known
        known |= items
    return count


def _value_row(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {"value": value}


def _row(path: Place, value: object, key: str | None = None) -> Mapping[str, Any]:
    """An entry as a row: the names above it, its key, and its fields or its value."""
    names = [name for name in path if isinstance(name, str)]
    # An entry may have a field `key` of its own.
    return {"": names} | ({} if key is None else {"key": key}) | dict(_value_row(value))


def _strings(value: object) -> Iterator[str]:
    """Every text of a value, keys included."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            waiting += [*each.keys(), *each.values()]
        elif isinstance(each, list):
            waiting += each
        elif isinstance(each, str):
            yield each


def _has_text(value: object) -> bool:
    return next(_strings(value), None) is not None


def _field_names(value: object) -> set[str]:
    """The keys of an object that may be names of fields."""
    if not isinstance(value, dict) or _is_keyed(value):
        return set()
    return {name for name in value if not _is_text(name)}


def _is_keyed(value: Mapping[str, Any]) -> bool:
    """Whether the keys of an object are texts, digests or numbers, as no record's are."""
    return bool(value) and all(_is_text(name) or _NUMBERED.fullmatch(name) for name in value)


def _is_text(value: str) -> bool:
    """Whether a text has several words, or is a digest in place of some."""
    return len(_WORD.findall(value)) >= _TEXT_WORDS or looks_like_digest(value)


def _is_flat(value: object) -> bool:
    if isinstance(value, list):
        return not any(isinstance(each, dict | list) for each in value)
    return not isinstance(value, dict)


def _is_part(value: object) -> bool:
    """Whether a value may be a field of a record: a scalar, or a list of short ones."""
    return _is_flat(value) and not (isinstance(value, list) and any(map(_is_text, _strings(value))))
