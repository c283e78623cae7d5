"""Read one row of a file field by field; its label and id are decided after all rows."""

import math
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NoReturn

from assay.benchmark.benchmark import Columns
from assay.bounds import text_fault
from assay.errors import SpecError
from assay.tables.nested import Row, as_word, kind_of, listed_names, names_in
from assay.wording import as_column

FIELDS = {"cls": "class"}
"""Item fields with another name in files."""
_LABEL = ("label", "class")
_MOST_NAMES = 1000
_A_LABEL = (
    "A label says yes or no: set a threshold, such as value >= 0.5. The scores of a method are no"
    " label: `score=COLUMN`."
)
_USUAL = {
    "question": "question prompt query input instruction problem claim frage q",
    "response": "response answer completion output reply generation prediction antwort a",
    "label": "correct is_correct target gold truth y wrong hallucination",
}
"""The names that other files give to a column, by its role."""


_PLAIN_PARTS = frozenset({"text", "content", "value"})
_NO_TEXT = frozenset("id ids idx length len tokens type lang language score time source".split())
"""Words beside `prompt` or `output` that tell of a column about the text, not of the text."""


HowToRead = Callable[[str], str | None]
"""Gives a hint on a column that the rows of a table lack."""


class Missing(Exception):
    """A record lacks a value; `columns` are the possible columns for it that do not exist."""

    def __init__(self, name: str, message: str, *columns: str) -> None:
        super().__init__(message)
        self.name, self.columns = name, columns


@dataclass(kw_only=True, slots=True)
class Draft:
    """A record before its label and id are decided; `why` is set if it is left out.

    `value` is the content of the label column. A blank `id` is an empty text, a missing one None.
    """

    place: str
    number: int
    id: str | None = None
    question: str = ""
    response: str | None = None
    value: str | None = None
    cls: str | None = None
    source: str | None = None
    group: str | None = None
    label: bool | None = None
    why: str | None = None
    null_id: bool = False

    @property
    def deciding(self) -> str:
        """The value that decides the label: the label, else the class."""
        return str(self.cls if self.value is None else self.value)


def fill(draft: Draft, row: Row, columns: Columns, *, labelled: bool = True) -> None:
    """Read a row into its draft; raises if a required value is missing or not text.

    A label or a class is required where the records are `labelled`.
    """
    where = draft.place

    def read(name: str, column: str | None, *, blank: bool = False) -> str | None:
        """A field that may be missing; with `blank`, an empty one counts as missing."""
        key = FIELDS.get(name, name) if column is None else column
        value = row.get(key)
        if isinstance(value, str) and value.strip():  # as nearly all are
            return value
        if key not in row:
            if column is None:
                return None
        elif _is_absent(value) or (blank and not str(value).strip()):
            return None
        return _text(row, key, name, where, empty=name == "response")

    if columns.ids != "none":
        draft.id = _id(row, columns, where)
        draft.null_id = draft.id is None and (columns.id or "id") in row
        _check_length(draft.id, columns.id or "id", where)
    draft.value, draft.cls = read("label", columns.label), read("cls", columns.cls)
    _check_length(draft.cls, columns.cls or "class", where)
    if labelled and draft.value is None and draft.cls is None:
        _no_label(row, columns)
    draft.source = read("source", columns.source, blank=True)
    draft.group = read("group", columns.group, blank=True)
    draft.question = _text(row, columns.question, "question", where)
    draft.response = read("response", columns.response)


def _check_length(text: str | None, column: str, where: str) -> None:
    """Refuse an id or a class that is too long to store."""
    fault = None if text is None else text_fault(text)
    if fault is not None:
        raise SpecError(f"{where}, field {column!r}: {fault}")


def _id(row: Row, columns: Columns, where: str) -> str | None:
    key = "id" if columns.id is None else columns.id
    if _is_absent(row.get(key, None if columns.id is None else "?")):
        return None
    try:
        return _text(row, key, "id", where)
    except Missing as missing:
        if missing.columns:
            raise
        return ""
    except SpecError:
        if columns.ids == "repair":
            return ""
        raise


def _is_absent(value: object) -> bool:
    """Whether a value is null, or NaN, which tables of numbers use for it."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def _no_label(row: Row, columns: Columns) -> NoReturn:
    for name, column in (("label", columns.label), ("class", columns.cls)):
        if (column or name) in row:
            raise Missing("label", f", field {column or name!r}: expected a {name}, got null")
    raise Missing(
        "label", f": neither a label nor a class; the columns are {listed_names(row)}", *_LABEL
    )


def _text(row: Row, column: str, name: str, where: str, *, empty: bool = False) -> str:
    value = row.get(column)
    if isinstance(value, str) and (empty or value.strip()):
        return value
    name = FIELDS.get(name, name)
    if column not in row:
        message = f": no column {as_column(column)}; the columns are {listed_names(row)}"
        raise Missing(name, message, column)
    if isinstance(value, int) or (isinstance(value, float) and value.is_integer()):
        return as_word(value)
    if _is_absent(value):
        raise Missing(name, f", field {column!r}: expected text, got {kind_of(value)}")
    if isinstance(value, float) and name == "label":
        raise SpecError(f"{where}, field {column!r}: expected 0 or 1, got {value!r}", hint=_A_LABEL)
    if not isinstance(value, str):
        raise SpecError(f"{where}, field {column!r}: expected text, got {kind_of(value)}")
    raise Missing(name, f", field {column!r}: is empty")


def refuse_absent(
    where: str,
    row: Row,
    columns: Columns,
    seen: Collection[str],
    how_to_read: HowToRead,
    *,
    labelled: bool = True,
) -> None:
    """Refuse a file without the columns that it must have, all in one message.

    `row` is one that lacks a column, and `seen` are the columns that any row has. `how_to_read`
    is asked first what to do about a column that is not there.
    """
    needed = _needed(columns, labelled=labelled)
    absent = [role for role in needed if not any(name in seen for name in role.columns)]
    if absent:
        lacks = ", ".join(map(str, absent))
        names = [name for role in absent for name in role.columns]
        hint = _how_to_name(row, absent[0]) if len(absent) == 1 else _how_to_name_all(row, absent)
        raise SpecError(
            f"{where}: {lacks}; the columns are {listed_names(row)}",
            hint=next(filter(None, map(how_to_read, names)), hint),
        )


def _needed(columns: Columns, *, labelled: bool) -> Iterator[Missing]:
    """What a record must have: a label or a class, a question, and every column that is named."""
    if labelled and columns.label is None and columns.cls is None:
        yield Missing("label", "neither a label nor a class", *_LABEL)
    for field in ("label", "cls", "question", "response", "id", "source", "group"):
        column = getattr(columns, field)
        if column is not None and (field != "id" or columns.ids != "none"):
            yield Missing(FIELDS.get(field, field), f"no column {as_column(column)}", column)


def _how_to_name_all(row: Row, absent: Sequence[Missing]) -> str:
    """A hint on naming several columns at once, with those that may be meant, to be pasted."""
    names = list(islice(names_in(row), _MOST_NAMES))
    named = {role.name: _usual_column(role.name, names) or "COLUMN" for role in absent}
    optional = ""
    if "response" not in names:  # read only if it is named, and so easily forgotten
        response = _usual_column("response", names)
        optional = "" if response or "response" in named else "; leave `response=` out if none does"
        named.setdefault("response", response or "COLUMN")
    pasted = " ".join(f"`{role}={column}`" for role, column in named.items())
    return f"Which columns hold them? Name them: {pasted}{optional}"


def _how_to_name(row: Row, missing: Missing) -> str:
    """A hint on naming a missing column, with the column that may be meant."""
    if len(missing.columns) > 1:
        usual = _usual_column(missing.name, list(islice(names_in(row), _MOST_NAMES)))
        asked = "" if usual is None else f"Did you mean `label={usual}`? "
        how = "Which column tells right from wrong? Name it: `label=COLUMN` or `class_=COLUMN`."
        return asked + how
    import difflib

    names = list(islice(names_in(row), _MOST_NAMES))
    folded = {name.strip().lower(): name for name in reversed(names)}
    last = {name.rpartition(".")[2]: name for name in reversed(folded)}
    near = difflib.get_close_matches(missing.columns[0].lower(), folded, n=1)
    near = near or [name for part, name in last.items() if part == missing.columns[0].lower()]
    usual = _usual_column(missing.name, names)
    asked = "" if usual is None else f"Did you mean `{missing.name}={usual}`? "
    asked = f"Did you mean {folded[near[0]]!r}? " if near else asked
    how = f"{asked}Which column holds the {missing.name}? Name it: `{missing.name}=COLUMN`."
    if missing.name == "question" and not asked:
        how += " A file without questions: name its response as the question too."
    return how


def _usual_column(role: str, names: Sequence[str]) -> str | None:
    """The column that usually has this role in files of others.

    A column of that name, perhaps nested, comes before one with the word among others, such as
    `Model Output`. Of nested parts, list positions and the word `text` say nothing.
    """
    usual = _USUAL.get(role, "").split()
    names = [name for name in names if not any(one.startswith(f"{name}.") for one in names)]
    folded = {_telling_part(name): name for name in reversed(names)}
    if exact := next((folded[word] for word in usual if word in folded), None):
        return exact
    if role == "label":  # `label_source` and `correct_answer` are none
        return None
    within = {
        word: name
        for name in reversed(names)
        for word in re.findall("[a-z]{2,}", name.lower())
        if not _NO_TEXT & set(re.findall("[a-z]+", name.lower()))
    }
    return next((within[word] for word in usual if word in within), None)


def _telling_part(name: str) -> str:
    """The last part of a dotted name that says what it holds."""
    parts = [part.strip().lower() for part in name.split(".")]
    telling = [part for part in parts if not part.isdigit() and part not in _PLAIN_PARTS]
    return telling[-1] if telling else parts[-1]
