"""Expressions over the fields of a record: `class != truth`, `label == 1 and source != quiz`.

A comparison is FIELD (== | !=) VALUE; comparisons are joined by `and` and `or`, where `and` binds
tighter. Values are bare words or quoted, and are compared by value: 1 equals 1.0, and true equals
True. Nothing is evaluated as Python.
"""

import re
from collections.abc import Mapping
from functools import lru_cache

import msgspec

from assay.errors import SpecError
from assay.tables.nested import same_word

FIELDS = ("class", "group", "id", "label", "source")
_TOKEN = re.compile(r"""\s*(==|!=|"[^"]*"|'[^']*'|[^\s"'=!]+)""")


class FieldTest(msgspec.Struct, frozen=True, kw_only=True):
    """One field against one value."""

    field: str
    equal: bool
    value: str


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
    if len(tokens) != 3 or tokens[1] not in ("==", "!="):
        raise _unreadable(text, f"at {' '.join(tokens)!r}")
    field, operator, value = tokens
    if fields is not None and field not in fields:
        raise SpecError(
            f"expression {text!r}: unknown field {field!r}, expected one of {', '.join(fields)}"
        )
    return FieldTest(field=_unquoted(field), equal=operator == "==", value=_unquoted(value))


def _unquoted(value: str) -> str:
    return value[1:-1] if value[:1] in ("'", '"') else value


def _holds(part: FieldTest, record: Mapping[str, str | None], text: str) -> bool:
    got = record[part.field]
    if got is None:
        raise SpecError(
            f"expression {text!r}: record {record['id']} has no {part.field}",
            hint=f"Name its column (`{part.field}=COLUMN`), or choose bars that need only a label"
            " (`bars=plain`).",
        )
    return same_word(got, part.value) is part.equal


def _unreadable(text: str, where: str) -> SpecError:
    return SpecError(
        f"expression {text!r} cannot be read {where}",
        hint="Write comparisons such as: class != truth and source == quiz",
    )
