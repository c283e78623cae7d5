"""Items from the rows of a file: what is read, what is refused, what is left out.

1. Every row is read: question, response, label or class, id, source, group.
2. Records that lack a value are refused, or left out (`missing=exclude`).
3. Labels become positive or negative. Records that are neither are refused, or left out
   (`unknown=exclude`).
4. Blank and repeated ids are refused, replaced (`ids=repair`), or all ids are (`ids=none`).

What is refused is refused in one message (`rows.Faults`), except for a column that no record has.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice
from typing import NoReturn

from assay.benchmark.benchmark import Columns, Item, LeftOut
from assay.benchmark.expression import parse_expression
from assay.benchmark.rows import Faults, Row, kind_of
from assay.errors import SpecError
from assay.wording import counted

FIELDS = {"cls": "class"}
"""The names of item fields that a file spells otherwise."""
_YES, _NO = frozenset({"1", "true", "1.0"}), frozenset({"0", "false", "0.0"})
_LEAVE_OUT = "Leave out records that lack a value: `missing=exclude`."
_NEW_IDS = (
    "Number all records instead (`ids=none`), or give blank and repeated ids new ones"
    " (`ids=repair`)."
)
_MOST_VALUES = 12
_LONGEST_VALUE = 60


@dataclass(frozen=True, kw_only=True)
class ReadRecords:
    """The items of a file, the records left out, and how many items got another id."""

    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    renamed: int


class _Missing(Exception):
    """A record lacks a value; `columns` are those that would hold it and are not even there."""

    def __init__(self, name: str, message: str, *columns: str) -> None:
        super().__init__(message)
        self.name, self.columns = name, columns


@dataclass(kw_only=True, slots=True)
class _Draft:
    """A record before its label and its id are settled; `why` says that it is left out."""

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


@dataclass(kw_only=True)
class _RecordReader:
    """Reads the rows of one file; `seen` are the columns that any row has."""

    columns: Columns
    faults: Faults
    drafts: list[_Draft] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    lacking: dict[tuple[str, ...], SpecError] = field(default_factory=dict)

    def read(self, rows: Iterator[tuple[str, Row]]) -> ReadRecords:
        """All rows, in the steps above."""
        keys: object = None
        for where, row in rows:
            if row.keys() != keys:
                keys = row.keys()
                self.seen.update(row)
            self._add(where, row)
        for columns, error in self.lacking.items():
            if self.seen.isdisjoint(columns):
                raise error
        self._settle_responses()
        self._settle_labels()
        renamed = self._settle_ids()
        self.faults.refuse()
        return self._records(renamed)

    def _add(self, where: str, row: Row) -> None:
        draft = _Draft(place=where, number=len(self.drafts) + 1)
        self.drafts.append(draft)
        try:
            self._fill(draft, row)
        except _Missing as missing:
            if missing.columns and missing.columns not in self.lacking:
                hint = _naming(row, missing)
                self.lacking[missing.columns] = SpecError(f"{where}{missing}", hint=hint)
            self._lacks(draft, missing.name, SpecError(f"{where}{missing}", hint=_LEAVE_OUT))
        except SpecError as error:
            draft.why = "faults"
            self.faults.add(error)

    def _lacks(self, draft: _Draft, name: str, error: SpecError) -> None:
        """Leave out a record that lacks a value, or note the fault."""
        draft.why = f"no {name}"
        unlabelled = name in ("label", "class") and self.columns.unknown == "exclude"
        if self.columns.missing != "exclude" and not unlabelled:
            self.faults.add(error)

    def _fill(self, draft: _Draft, row: Row) -> None:
        columns, where = self.columns, draft.place

        def read(name: str, column: str | None, *, blank: bool = False) -> str | None:
            """A field that may be missing; `blank` says that an empty one is missing too."""
            key = column or FIELDS.get(name, name)
            if column is None and key not in row:
                return None
            if row.get(key, "?") is None or (blank and not str(row.get(key, "?")).strip()):
                return None
            return _text(row, key, name, where, empty=name == "response")

        if columns.ids != "none":
            draft.id = self._id(row, where)
        draft.value, draft.cls = read("label", columns.label), read("cls", columns.cls)
        if draft.value is None and draft.cls is None:
            _no_label(row, columns)
        draft.source = read("source", columns.source, blank=True)
        draft.group = read("group", columns.group, blank=True)
        draft.question = _text(row, columns.question, "question", where)
        draft.response = read("response", columns.response)

    def _id(self, row: Row, where: str) -> str | None:
        """The id, empty where it is blank, None where the record has none."""
        key = self.columns.id or "id"
        if row.get(key, "?" if self.columns.id else None) is None:
            return None
        try:
            return _text(row, key, "id", where)
        except _Missing as missing:
            if missing.columns:
                raise
            return ""
        except SpecError:
            if self.columns.ids == "repair":
                return ""
            raise

    def _settle_responses(self) -> None:
        """Leave out records without the response that others have; by default they stay."""
        kept = [draft for draft in self.drafts if draft.why is None]
        blank = [draft for draft in kept if not (draft.response or "").strip()]
        if self.columns.missing == "exclude" and len(blank) < len(kept):
            for draft in blank:
                draft.why = "no response"

    def _settle_labels(self) -> None:
        """Say of every record whether it is positive or negative."""
        positive, negative = self.columns.positive, self.columns.negative
        kept = [draft for draft in self.drafts if draft.why is None]
        if positive is None and negative is None:
            for draft in kept:
                self._plain_label(draft)
            return
        values = Counter(_deciding(draft) for draft in kept)
        if positive is not None and negative is None and not _is_expression(positive):
            self._check_two(values, positive)
        is_positive = _YES.__contains__ if positive is None else positive.__eq__
        unknown: list[_Draft] = []
        for draft in kept:
            try:
                ours = _holds(positive, draft, is_positive)
                theirs = not ours if negative is None else _holds(negative, draft, negative.__eq__)
            except SpecError as error:
                self._lacks(draft, "label", SpecError(error.message, hint=error.hint))
                continue
            if ours and theirs:
                self.faults.add(SpecError(f"{draft.place}: both `positive=` and `negative=`"))
            elif ours or theirs:
                draft.label = ours
            else:
                unknown.append(draft)
        self._check_named(kept, values)
        self._settle_unknown(unknown)

    def _plain_label(self, draft: _Draft) -> None:
        """A label of 0 or 1; a class alone is no label."""
        if draft.value is None:
            return
        value = draft.value.lower()
        if value in _YES | _NO:
            draft.label = value in _YES
            return
        draft.why = f"the label {draft.value!r:.{_LONGEST_VALUE}}"
        if self.columns.unknown != "exclude":
            self.faults.add(
                SpecError(
                    f"{draft.place}, field {self.columns.label or 'label'!r}: expected 0, 1, true"
                    f" or false, got {draft.value!r:.{_LONGEST_VALUE}}",
                    hint="Say which value means positive: `positive=VALUE`.",
                )
            )

    def _check_two(self, values: Mapping[str, int], positive: str) -> None:
        """Refuse one value called positive beside several others, of which none is named."""
        if len(values) < 3 or positive not in values:
            return
        self.faults.add(
            SpecError(
                f"{self.faults.place}: the {self._decider} has {len(values)} values:"
                f" {_listed(values)}; `positive={positive}` leaves open which of the others are"
                " negative",
                hint="Name the negative one (`negative=VALUE`), and leave out what is neither"
                f" (`unknown=exclude`). Where all others are negative: `positive='{self._decider}"
                f" == {positive}'`.",
            )
        )

    @property
    def _decider(self) -> str:
        """The field that decides the label, as expressions name it."""
        return "label" if any(draft.value is not None for draft in self.drafts) else "class"

    def _check_named(self, kept: list[_Draft], values: Mapping[str, int]) -> None:
        """A value that is called positive or negative and never occurs is a misspelling."""
        for name, value, label in (
            ("positive", self.columns.positive, True),
            ("negative", self.columns.negative, False),
        ):
            if value is not None and kept and not any(draft.label is label for draft in kept):
                self.faults.add(
                    SpecError(
                        f"{self.faults.place}: no record is {value!r}, which `{name}=` calls"
                        f" {name}; there are {_listed(values)}",
                        hint="Look at the values of the label column; capitals and spaces count.",
                    )
                )

    def _settle_unknown(self, unknown: list[_Draft]) -> None:
        """Leave out records that are neither positive nor negative, or refuse them."""
        for draft in unknown:
            value = _deciding(draft)
            draft.why = f"the {self._decider} {value!r:.{_LONGEST_VALUE}}"
        if unknown and self.columns.unknown != "exclude":
            values = Counter(map(_deciding, unknown))
            first = unknown[0].place.removeprefix(f"{self.faults.place}, ")
            self.faults.add(
                SpecError(
                    f"{self.faults.place}: {counted(len(unknown), 'record')} neither positive nor"
                    f" negative: {_listed(values)}, first on {first}",
                    hint="Leave out records that are neither: `unknown=exclude`.",
                )
            )

    def _settle_ids(self) -> int:
        """Number records without an id, and refuse or replace blank and repeated ids."""
        repair = self.columns.ids == "repair"
        kept = [draft for draft in self.drafts if draft.why is None]
        taken = {draft.id for draft in kept if draft.id}
        first: dict[str, str] = {}
        copies: Counter[str] = Counter()
        renamed = 0
        for draft in kept:
            given = draft.id or str(draft.number)
            clashes = given in first or (repair and not draft.id and given in taken)
            if draft.id == "" or clashes:
                renamed += 1
                if not repair:
                    self._refuse_id(draft, given, first)
                elif clashes:
                    given = _free(given, taken, copies)
                taken.add(given)
            first.setdefault(given, draft.place)
            draft.id = given
        return renamed

    def _refuse_id(self, draft: _Draft, given: str, first: Mapping[str, str]) -> None:
        if draft.id == "":
            message = f"{draft.place}, field {self.columns.id or 'id'!r}: is empty"
        else:
            there = first[given].removeprefix(f"{self.faults.place}, ")
            message = f"{draft.place}: id {given!r:.{_LONGEST_VALUE}} is that of {there} too"
        self.faults.add(SpecError(message, hint=_NEW_IDS))

    def _records(self, renamed: int) -> ReadRecords:
        if self.columns.ids == "none" and (self.columns.id or "id") in self.seen:
            renamed = sum(draft.why is None for draft in self.drafts)
        items: list[Item] = []
        left_out: list[LeftOut] = []
        for row, draft in enumerate(self.drafts):
            if draft.why is not None:
                place = draft.place.removeprefix(f"{self.faults.place}, ")
                identity = draft.id or str(row + 1)
                left_out.append(LeftOut(row=row, id=identity, place=place, why=draft.why))
                continue
            items.append(
                Item(
                    id=str(draft.id),
                    question=draft.question,
                    response=draft.response,
                    label=draft.label,
                    cls=draft.cls,
                    source=draft.source,
                    group=draft.group,
                )
            )
        if left_out and not items:
            reasons = _listed(Counter(record.why for record in left_out), shown=str)
            raise SpecError(
                f"{self.faults.place}: every record is left out: {reasons}",
                hint="Look at `positive=` and `negative=`, and at the columns that were named.",
            )
        return ReadRecords(items=tuple(items), left_out=tuple(left_out), renamed=renamed)


def items_from_rows(
    rows: Iterator[tuple[str, Row]], columns: Columns, faults: Faults
) -> ReadRecords:
    """The items of a file's rows, by the policy that its columns state."""
    return _RecordReader(columns=columns, faults=faults).read(rows)


def _deciding(draft: _Draft) -> str:
    """The value that decides the label: the label's own, or the class."""
    return str(draft.cls if draft.value is None else draft.value)


def _is_expression(text: str) -> bool:
    return "==" in text or "!=" in text


def _holds(text: str | None, draft: _Draft, is_value: Callable[[str], object]) -> bool:
    """Whether a record is what a value or an expression says."""
    if text is None or not _is_expression(text):
        value = _deciding(draft)
        return bool(is_value(value.lower() if text is None else value))
    fields = {"id": draft.id or str(draft.number), "label": draft.value, "class": draft.cls}
    return parse_expression(text).holds({**fields, "source": draft.source, "group": draft.group})


def _free(identity: str, taken: set[str], copies: Counter[str]) -> str:
    """The first of ID~2, ID~3, ... that no record has."""
    while True:
        copies[identity] += 1
        name = f"{identity}~{copies[identity] + 1}"
        if name not in taken:
            return name


def _no_label(row: Row, columns: Columns) -> NoReturn:
    for name, column in (("label", columns.label), ("class", columns.cls)):
        if (column or name) in row:
            raise _Missing("label", f", field {column or name!r}: expected a {name}, got null")
    raise _Missing(
        "label",
        f": neither a label nor a class; the columns are {_columns_of(row)}",
        columns.label or "label",
        columns.cls or "class",
    )


def _text(row: Row, column: str, name: str, where: str, *, empty: bool = False) -> str:
    name = FIELDS.get(name, name)
    if column not in row:
        message = f": no column {column!r}; the columns are {_columns_of(row)}"
        raise _Missing(name, message, column)
    value = row[column]
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if value is None:
        raise _Missing(name, f", field {column!r}: expected text, got null")
    if not isinstance(value, str):
        raise SpecError(f"{where}, field {column!r}: expected text, got {kind_of(value)}")
    if not empty and not value.strip():
        raise _Missing(name, f", field {column!r}: is empty")
    return value


def _naming(row: Row, missing: _Missing) -> str:
    """How to name a column that no record has, and the one that may be meant."""
    if len(missing.columns) > 1:
        return "Name the one that tells right from wrong: `label=COLUMN` or `class=COLUMN`."
    import difflib

    folded = {name.strip().lower(): name for name in row}
    near = difflib.get_close_matches(missing.columns[0].lower(), folded, n=1)
    meant = f"Did you mean {folded[near[0]]!r}? " if near else ""
    return f"{meant}Name the one that holds the {missing.name}: `{missing.name}=COLUMN`."


def _columns_of(row: Row) -> str:
    names = [repr(name) for name in islice(row, _MOST_VALUES)]
    return ", ".join(names) + (", ..." if len(row) > _MOST_VALUES else "") or "none"


def _listed(values: Mapping[str, int], shown: Callable[[str], str] = repr) -> str:
    """Values with their counts, the most frequent first."""
    ordered = sorted(values.items(), key=lambda pair: (-pair[1], pair[0]))
    parts = [f"{shown(value):.{_LONGEST_VALUE}} ({count:,})" for value, count in ordered]
    more = f" and {len(parts) - _MOST_VALUES:,} more" if len(parts) > _MOST_VALUES else ""
    return ", ".join(parts[:_MOST_VALUES]) + more
