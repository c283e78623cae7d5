"""Make items from the rows of a file.

1. Every row is read: question, response, label or class, id, source, group.
2. Records that lack a value are refused, or left out (`missing=exclude`).
3. Labels become positive or negative. Records that are neither are refused, or left out
   (`unknown=exclude`). Where labels are optional, and no column or value of them is named, records
   without one are read as they are.
4. Blank and repeated ids are refused, replaced (`ids=repair`), or all ids are (`ids=none`). A null
   is blank where other records have an id.

All refusals are in one message (`Faults`), except for a column that no record has.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from assay.benchmark.benchmark import Columns, Item, LeftOut
from assay.benchmark.draft import Draft, HowToRead, Missing, fill, refuse_absent
from assay.benchmark.labels import LONGEST_VALUE, listed, settle_labels
from assay.errors import SpecError
from assay.tables.faults import Faults
from assay.tables.nested import PlacedRows, Row, dotted, with_paths

_LEAVE_OUT = "Leave out records that lack a value: `missing=exclude`."
_NEW_IDS = (
    "Number all records instead (`ids=none`), or replace blank and repeated ids (`ids=repair`)."
)


class UnlabelledItem(Item, frozen=True, kw_only=True):
    """An item of which nothing is known, for what judges no method: a model is asked about it."""

    def __post_init__(self) -> None:
        """Neither a label nor a class is needed."""


def no_hint(_: str) -> None:
    """No hint on a column, as for a file."""


@dataclass(frozen=True, kw_only=True)
class ReadRecords:
    """The items of a file, the records left out, and the number of new ids."""

    items: tuple[Item, ...]
    left_out: tuple[LeftOut, ...]
    renamed: int


@dataclass(kw_only=True)
class _RecordReader:
    """Reads the rows of one file; `seen` are the columns that any row has.

    `lacking` is the place and content of the first row that lacks a column, on which `how_to_read`
    may give a hint. With `skip_unlabelled`, records without a label are left out whatever the
    policy; unless they are to be `labelled`, they are read.
    """

    columns: Columns
    faults: Faults
    skip_unlabelled: bool = False
    labelled: bool = True
    how_to_read: HowToRead = no_hint
    drafts: list[Draft] = field(default_factory=list)
    seen: set[str] = field(default_factory=set)
    lacking: tuple[str, Row] | None = None

    def read(self, rows: PlacedRows) -> ReadRecords:
        """All rows, in the steps above."""
        keys: object = None
        inside = dotted([getattr(self.columns, name) for name in Item.__struct_fields__])
        for where, found in rows:
            row = with_paths(found, inside) if inside else found
            if row.keys() != keys:
                keys = row.keys()
                self.seen.update(row)
            self._add(where, row)
        if self.lacking is not None:
            refuse_absent(
                *self.lacking, self.columns, self.seen, self.how_to_read, labelled=self.labelled
            )
        self._settle_responses()
        settle_labels(self._kept(), self.columns, self.faults, self._lacks)
        renamed = self._settle_ids()
        self.faults.refuse()
        return self._records(renamed)

    def _add(self, where: str, row: Row) -> None:
        draft = Draft(place=where, number=len(self.drafts) + 1)
        self.drafts.append(draft)
        try:
            fill(draft, row, self.columns, labelled=self.labelled)
        except Missing as missing:
            if missing.columns and self.lacking is None:
                self.lacking = where, row
            self._lacks(draft, missing.name, SpecError(f"{where}{missing}", hint=_LEAVE_OUT))
        except SpecError as error:
            draft.why = "faults"
            self.faults.add(error)

    def _kept(self) -> list[Draft]:
        return [draft for draft in self.drafts if draft.why is None]

    def _lacks(self, draft: Draft, name: str, error: SpecError) -> None:
        """Leave out a record that lacks a value, or add the fault."""
        draft.why = f"no {name}"
        may_lack = self.skip_unlabelled or self.columns.unknown == "exclude"
        unlabelled = name in ("label", "class") and may_lack
        if self.columns.missing != "exclude" and not unlabelled:
            self.faults.add(error)

    def _settle_responses(self) -> None:
        """With `missing=exclude`, leave out records without the response that others have."""
        if self.columns.missing != "exclude":
            return
        kept = self._kept()
        blank = [draft for draft in kept if not (draft.response or "").strip()]
        for draft in blank if len(blank) < len(kept) else ():
            draft.why = "no response"

    def _settle_ids(self) -> int:
        """Number records without an id, and refuse or replace blank and repeated ids."""
        repair = self.columns.ids == "repair"
        kept = self._kept()
        taken = {draft.id for draft in kept if draft.id}
        for draft in kept if taken else ():
            if draft.null_id:  # what a blank cell of a file is in a frame
                draft.id = ""
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

    def _refuse_id(self, draft: Draft, given: str, first: Mapping[str, str]) -> None:
        if draft.id == "":
            message = f"{draft.place}, field {self.columns.id or 'id'!r}: is empty"
        else:
            there = first[given].removeprefix(f"{self.faults.place}, ")
            message = f"{draft.place}: id {given!r:.{LONGEST_VALUE}} is also that of {there}"
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
            known = draft.label is not None or draft.cls is not None
            items.append(
                (Item if known else UnlabelledItem)(
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
            reasons = listed(Counter(record.why for record in left_out), shown=str)
            raise SpecError(
                f"{self.faults.place}: every record is left out: {reasons}",
                hint="Check `positive=`, `negative=` and the named columns.",
            )
        return ReadRecords(items=tuple(items), left_out=tuple(left_out), renamed=renamed)


def items_from_rows(
    rows: PlacedRows,
    columns: Columns,
    faults: Faults,
    *,
    skip_unlabelled: bool = False,
    label_optional: bool = False,
    how_to_read: HowToRead = no_hint,
) -> ReadRecords:
    """The items of a file's rows, by the policy in `columns`.

    With `skip_unlabelled`, rows without a label are left out, such as failed samples of a log. With
    `label_optional`, they are read, unless `columns` says what the label is.
    """
    named = (columns.label, columns.cls, columns.positive, columns.negative)
    reader = _RecordReader(
        columns=columns,
        faults=faults,
        skip_unlabelled=skip_unlabelled,
        labelled=not label_optional or any(each is not None for each in named),
        how_to_read=how_to_read,
    )
    return reader.read(rows)


def _free(identity: str, taken: set[str], copies: Counter[str]) -> str:
    """The first unused id of ID~2, ID~3, ..."""
    while True:
        copies[identity] += 1
        name = f"{identity}~{copies[identity] + 1}"
        if name not in taken:
            return name
