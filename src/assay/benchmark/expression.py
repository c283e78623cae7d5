"""Expressions over the fields of a record: `class != truth`, `words >= 8 and source != quiz`.

A comparison is FIELD OPERATOR VALUE; comparisons are joined by `and` and `or`, where `and` binds
tighter. Values are bare words or quoted. `==` and `!=` compare by value: 1 equals 1.0, and true
equals True. `<`, `<=`, `>` and `>=` compare numbers. Nothing is evaluated as Python.
"""

import operator
import re
from collections.abc import Callable, Mapping
from functools import lru_cache

import msgspec

from assay.errors import SpecError
from assay.tables.nested import number_in, same_word

FIELDS = ("class", "group", "id", "label", "source")
_ORDERS: Mapping[str, Callable[[float, float], bool]] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
}
_OPERATORS = ("==", "!=", *_ORDERS)
_TOKEN = re.compile(rf"""\s*({"|".join(_OPERATORS)}|"[^"]*"|'[^']*'|[^\s"'=!<>]+)""")
_PARAMETERS = {"class": "class_"}
"""Fields whose parameter has another name."""


class FieldTest(msgspec.Struct, frozen=True, kw_only=True):
    """One field against one value."""

    field: str
    operator: str
    value: str

    @property
    def orders(self) -> bool:
        """Whether it compares numbers by size."""
        return self.operator in _ORDERS

    def holds(self, word: str) -> bool:
        """Whether a field's value satisfies it; a word is neither more nor less than a number."""
        if not self.orders:
            return same_word(word, self.value) is (self.operator == "==")
        number, bound = number_in(word), number_in(self.value)
        return number is not None and bound is not None and _ORDERS[self.operator](number, bound)


class Expression(msgspec.Struct, frozen=True, kw_only=True):
    """A disjunction of conjunctions of comparisons; `text` is its source."""

    text: str
    any_of: tuple[tuple[FieldTest, ...], ...]

    @property
    def fields(self) -> list[str]:
        """The fields that it uses."""
        return list(dict.fromkeys(part.field for every in self.any_of for part in every))

    def values_of(self, field: str) -> list[str]:
        """The values that it compares a field with."""
        tests = (part for every in self.any_of for part in every)
        return list(dict.fromkeys(part.value for part in tests if part.field == field))

    def holds(self, record: Mapping[str, str | None]) -> bool:
        """Whether a record satisfies it; a missing field is a SpecError."""
        return any(all(_holds(part, record, self.text) for part in every) for every in self.any_of)


@lru_cache(maxsize=256)
def parse_expression(text: str, *, fields: tuple[str, ...] | None = FIELDS) -> Expression:
    """Parse an expression; `fields` are those it may use."""
    tokens, position = [], 0
    stripped = text.strip()
    while position < len(stripped):
        match = _TOKEN.match(stripped, position)
        if match is None:
            raise _unreadable(text, f"at {stripped[position:]!r}")
        tokens.append(match[1])
        position = match.end()
    any_of: list[tuple[FieldTest, ...]] = []
    every: list[FieldTest] = []
    for start in range(0, max(len(tokens), 1), 4):
        every.append(_comparison(tokens[start : start + 3], text, fields))
        joiner = tokens[start + 3 : start + 4]
        if joiner == ["and"] and start + 4 < len(tokens):
            continue
        if joiner and (joiner != ["or"] or start + 4 >= len(tokens)):
            raise _unreadable(text, f"after {' '.join(tokens[: start + 3])!r}")
        any_of.append(tuple(every))
        every = []
    return Expression(text=text, any_of=tuple(any_of))


def _comparison(tokens: list[str], text: str, fields: tuple[str, ...] | None) -> FieldTest:
    if len(tokens) != 3 or tokens[1] not in _OPERATORS:
        got = repr(" ".join(tokens)) if tokens else "nothing"
        raise SpecError(f"expression {text!r}: expected a comparison, got {got}", hint=_HINT)
    field, sign, value = tokens
    if fields is not None and field not in fields:
        raise SpecError(
            f"expression {text!r}: unknown field {field!r}, expected one of {', '.join(fields)}",
            hint="An expression names fields, not your columns: `label` is the column of labels,"
            f" whatever its name, as in label {sign} {value}.",
        )
    test = FieldTest(field=_unquoted(field), operator=sign, value=_unquoted(value))
    if test.orders and number_in(test.value) is None:
        raise SpecError(f"expression {text!r}: {test.value!r} is not a number", hint=_HINT)
    return test


def _unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in ("'", '"') else value


def _holds(part: FieldTest, record: Mapping[str, str | None], text: str) -> bool:
    got = record[part.field]
    if got is None:
        raise SpecError(
            f"expression {text!r}: record {record['id']} has no {part.field}",
            hint=_missing(part.field, record),
        )
    return part.holds(got)


def _missing(field: str, record: Mapping[str, str | None]) -> str:
    """What to do about a field that a record lacks."""
    name = _PARAMETERS.get(field, field)
    has_class = record.get("class") is not None
    if field == "label" and has_class:
        return (
            f"Records have a class, such as {record['class']!r:.60}. Say which is positive"
            " (`positive='class == VALUE'`), or name the column of labels: `label=COLUMN`."
        )
    if field == "label":
        return f"Name its column: `{name}=COLUMN`."
    return (
        f"Name its column (`{name}=COLUMN`), or choose bars that need only a label (`bars=plain`)."
    )


_HINT = "Write comparisons such as: class != truth and source == quiz, or words >= 8"


def _unreadable(text: str, where: str) -> SpecError:
    return SpecError(f"expression {text!r} cannot be read {where}", hint=_HINT)
