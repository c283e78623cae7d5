"""Decide which records are positive and which negative, by value or expression."""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence

from assay.benchmark.benchmark import Columns
from assay.benchmark.draft import Draft
from assay.benchmark.expression import FIELDS, parse_expression
from assay.errors import SpecError
from assay.tables.faults import Faults
from assay.tables.nested import same_word
from assay.wording import as_column, counted

LONGEST_VALUE = 60
_PLAIN = {"1": True, "true": True, "1.0": True, "0": False, "false": False, "0.0": False}
_MOST_VALUES = 12
_WORD = re.compile(r"[\w.-]{1,20}")
"""A value that can be pasted after a flag as it is."""
_ORDERED = re.compile(r"\s*([^\s<>=!\"']+)\s*[<>]")
_LEAVE_OUT = "Leave out records that are neither: `unknown=exclude`."


def settle_labels(
    drafts: Sequence[Draft],
    columns: Columns,
    faults: Faults,
    on_missing: Callable[[Draft, str, SpecError], None],
) -> None:
    """Label every record, and report or leave out those that are neither positive nor negative.

    `on_missing` is called for a record without a field that an expression uses.
    """
    positive, negative = columns.positive, columns.negative
    if positive is None and negative is None:
        _plain_labels(drafts, columns, faults)
        return
    for text in (positive, negative):
        if text is not None and _is_expression(text, columns):
            parse_expression(
                text, fields=_fields(columns)
            )  # a bad expression is not a fault of the records
    field = "label" if any(draft.value is not None for draft in drafts) else "class"
    values = Counter(draft.deciding for draft in drafts)
    if positive is not None and negative is None and not _is_expression(positive, columns):
        _check_two(values, positive, field, faults)
    is_positive = _PLAIN.get if positive is None else _meant(positive, values).__contains__
    is_negative = _meant(negative or "", values).__contains__
    unknown: list[Draft] = []
    for draft in drafts:
        try:
            ours = _holds(positive, draft, is_positive, columns)
            theirs = not ours if negative is None else _holds(negative, draft, is_negative, columns)
        except SpecError as error:
            on_missing(draft, field, error)
            continue
        if ours and theirs:
            faults.add(SpecError(f"{draft.place}: both positive and negative"))
        elif ours or theirs:
            draft.label = ours
        else:
            draft.why = f"the {field} {as_column(draft.deciding)}"
            unknown.append(draft)
    _check_occurring(drafts, columns, values, faults)
    if unknown and columns.unknown != "exclude":
        _refuse_unknown(unknown, columns, faults)


def _plain_labels(drafts: Sequence[Draft], columns: Columns, faults: Faults) -> None:
    """Labels of 0 or 1, or a fault that lists the others; a class alone is not a label."""
    odd: list[Draft] = []
    values: Counter[str] = Counter()
    for draft in drafts:
        if draft.value is None:
            continue
        values[draft.value] += 1
        draft.label = _PLAIN.get(draft.value.lower())
        if draft.label is None:
            draft.why = f"the label {as_column(draft.value)}"
            odd.append(draft)
    if columns.unknown != "exclude":
        if len(odd) > 1 and 2 * len(odd) > values.total():
            faults.add(_not_plain(values, columns, faults))
            return
        for draft in odd:
            faults.add(_odd_label(draft, columns))


def _not_plain(values: Counter[str], columns: Columns, faults: Faults) -> SpecError:
    """The fault of a column that labels in another way than by 0 and 1."""
    name = "Which value is positive? Name it: `positive=VALUE`."
    if len(values) == 2 and all(map(_WORD.fullmatch, values)):
        one, other = sorted(values)
        name = f"Which value is positive? Name it: `positive={one}` or `positive={other}`."
    return SpecError(
        f"{faults.place}: the label {as_column(columns.label or 'label')} has"
        f" {counted(len(values), 'value')}: {listed(values)}; expected 0, 1, true or false",
        hint=f"{name} {_LEAVE_OUT}" if len(values) > 2 else name,
    )


def _odd_label(draft: Draft, columns: Columns) -> SpecError:
    """The fault of one record among others that are labelled by 0 and 1."""
    return SpecError(
        f"{draft.place}, field {columns.label or 'label'!r}: expected 0, 1, true or false,"
        f" got {as_column(str(draft.value))}",
        hint=f"{_LEAVE_OUT} If another value is positive, name it: `positive=VALUE`.",
    )


def _meant(value: str, values: Collection[str]) -> set[str]:
    """The values that one is meant to be: itself, or those of the same number or truth."""
    if value in values:
        return {value}
    return {value, *(known for known in values if same_word(known, value))}


def _is_expression(text: str, columns: Columns) -> bool:
    """Whether a text compares a field; `<5` may be a value."""
    ordered = _ORDERED.match(text)
    return "==" in text or "!=" in text or (ordered is not None and ordered[1] in _fields(columns))


def _fields(columns: Columns) -> tuple[str, ...]:
    """The fields of an expression: ours, and the user's own names of the label and the class."""
    own = (name for name in (columns.label, columns.cls) if name is not None)
    return tuple(dict.fromkeys((*FIELDS, *own)))


def _holds(
    text: str | None, draft: Draft, is_value: Callable[[str], object], columns: Columns
) -> bool:
    """Whether a record matches a value or an expression."""
    if text is None:
        return bool(is_value(draft.deciding.lower()))
    if not _is_expression(text, columns):
        return bool(is_value(draft.deciding))
    fields = {"id": draft.id or str(draft.number), "label": draft.value, "class": draft.cls}
    fields |= {"source": draft.source, "group": draft.group}
    for name, value in ((columns.label, draft.value), (columns.cls, draft.cls)):
        if name is not None and fields.get(name) is None:
            fields[name] = value
    return parse_expression(text, fields=_fields(columns)).holds(fields)


def _check_two(values: Mapping[str, int], positive: str, field: str, faults: Faults) -> None:
    """Refuse a positive value beside several others if the negative one is not named."""
    if len(values) < 3 or _meant(positive, values).isdisjoint(values):
        return
    faults.add(
        SpecError(
            f"{faults.place}: the {field} has {len(values)} values: {listed(values)};"
            f" with `positive={positive}`, which of the others are negative?",
            hint="Name the negative value (`negative=VALUE`) and leave out the rest"
            f" (`unknown=exclude`). If all others are negative: `positive='{field} =="
            f" {positive}'`.",
        )
    )


def _check_occurring(
    drafts: Sequence[Draft], columns: Columns, values: Mapping[str, int], faults: Faults
) -> None:
    """Refuse a positive or negative value that never occurs: it is probably misspelt."""
    for name, value, label in (
        ("positive", columns.positive, True),
        ("negative", columns.negative, False),
    ):
        if value is not None and drafts and not any(draft.label is label for draft in drafts):
            faults.add(
                SpecError(
                    f"{faults.place}: no record has the value {value!r:.200} of `{name}=`;"
                    f" the values are {listed(values)}",
                    hint=_meant_value(name, value, values),
                )
            )


def _meant_value(name: str, value: str, values: Mapping[str, int]) -> str:
    """Which value was probably meant, where one stands for the same truth."""
    truth = _PLAIN.get(value.lower())
    same = [known for known in values if truth is not None and _PLAIN.get(known.lower()) is truth]
    if same:
        return f"Did you mean `{name}={same[0].capitalize()}`?"
    return "Use a value of the label column. Capitals and spaces count."


def _refuse_unknown(unknown: Sequence[Draft], columns: Columns, faults: Faults) -> None:
    values = Counter(draft.deciding for draft in unknown)
    first = unknown[0].place.removeprefix(f"{faults.place}, ")
    hint = _LEAVE_OUT
    if columns.positive is None:
        hint = f"Which value is positive? Name it: `positive=VALUE`. {hint}"
    faults.add(
        SpecError(
            f"{faults.place}: {counted(len(unknown), 'record')}"
            f" {'is' if len(unknown) == 1 else 'are'} neither positive nor negative:"
            f" {listed(values)}, first on {first}",
            hint=hint,
        )
    )


def listed(values: Mapping[str, int], shown: Callable[[str], str] = as_column) -> str:
    """Values with their counts, the most frequent first."""
    ordered = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    parts = [f"{shown(value)} ({count:,})" for value, count in ordered]
    more = f" and {len(parts) - _MOST_VALUES:,} more" if len(parts) > _MOST_VALUES else ""
    return ", ".join(parts[:_MOST_VALUES]) + more
