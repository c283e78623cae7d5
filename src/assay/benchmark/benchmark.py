"""A benchmark: items with what is known about them, under a digest of exact bytes."""

from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any, Literal

import msgspec

from assay.benchmark.expression import Expression
from assay.errors import DigestMismatch, SpecError
from assay.result import Result
from assay.tables.text import check_encoding
from assay.wording import counted, some

Task = Literal["detection", "classification"]
TASKS: tuple[Task, ...] = ("detection", "classification")
SECOND = "second/"
"""The prefix of the ids of a second corpus's items in a run."""
FEWEST_QUESTIONS = 10
"""With fewer distinct questions (a fixed prompt), equal questions do not form groups."""
BUNDLED: Mapping[str, str] = {
    "darkcore": (
        "108 questions in four classes, flawed on purpose: truths are short, misconceptions are"
        " restated sentences"
    ),
    "folklore-two": (
        "80 conversational questions in the same four classes, answers of one length: the second"
        " corpus of K3"
    ),
    "minimal-pairs": (
        "questions with a true answer and a misconception that match in length, form and capitals"
    ),
}
"""The benchmarks inside the package, and what each is for."""


class Item(msgspec.Struct, frozen=True, kw_only=True):
    """One question, perhaps with a response to judge, and what is known about it.

    `label` is True for a positive (a misconception, an error); `cls` is the class by name. Either
    may be unknown, not both. Items of one `group` are not independent of each other.
    """

    id: str
    question: str
    response: str | None = None
    label: bool | None = None
    cls: str | None = None
    source: str | None = None
    group: str | None = None

    def __post_init__(self) -> None:
        if self.label is None and self.cls is None:
            raise SpecError(f"item {self.id!r} has neither a label nor a class")

    @property
    def unit(self) -> str:
        """The independent unit of the item: its group, or the item itself if it has none."""
        return f"item {self.id}" if self.group is None else f"group {self.group}"

    def fields(self) -> dict[str, str | None]:
        """The fields that an expression may use."""
        return {
            "id": self.id,
            "label": None if self.label is None else str(int(self.label)),
            "class": self.cls,
            "source": self.source,
            "group": self.group,
        }


POLICIES: Mapping[str, tuple[str, ...]] = {
    "unknown": ("exclude",),
    "missing": ("exclude",),
    "ids": ("none", "repair"),
}
"""The allowed policies for unusable records, by the field of `Columns`."""


class Columns(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of a file by their role, and the policy for unusable records.

    `positive` says which items are positive: a value of the label column (of the class column if
    there is no label), or an expression such as `class != truth`. `negative` says the same of the
    negatives; with a value as `positive`, the one other value is negative, with an expression, all
    others are. `unknown` leaves out records that are neither, `missing` those without a question, a
    label, or the response that others have. `ids` numbers all records (none), or replaces blank and
    repeated ids (repair). By default a file with such records is refused.

    A column that does not exist by its full name is looked for inside others: `doc.question`.
    `encoding` is that of a text which is not UTF-8, `split` the part of a folder to read.
    """

    id: str | None = None
    question: str = "question"
    response: str | None = None
    label: str | None = None
    cls: str | None = None
    source: str | None = None
    group: str | None = None
    positive: str | None = None
    negative: str | None = None
    unknown: Literal["exclude"] | None = None
    missing: Literal["exclude"] | None = None
    ids: Literal["none", "repair"] | None = None
    encoding: str | None = None
    split: str | None = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            check_encoding(self.encoding)
        for name, words in POLICIES.items():
            if getattr(self, name) not in (None, *words):
                raise SpecError(
                    f"`{name}={getattr(self, name)!s:.40}`: expected {' or '.join(words)}"
                )


BUNDLED_COLUMNS = Columns(positive="class != truth")
"""How the bundled benchmarks are read."""


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """The source of a benchmark, to read it again: a bundled name or a path."""

    place: str
    columns: Columns


class LeftOut(msgspec.Struct, frozen=True, kw_only=True):
    """A record of the file that was left out: its row from 0, its id, its place, and the reason."""

    row: int
    id: str
    place: str
    why: str


class Benchmark(Result, frozen=True, kw_only=True, dict=True):
    """Items under one name and one digest; never changed in place.

    `second` is another corpus on which a bar may test the same skill, to expose a method that only
    fits the first one. `grouping` says where groups come from: a column, equal questions if no
    column was named, or nowhere. `memory` holds the rows, as JSON lines, of a benchmark read from
    memory, and `index` the labels of its frame, as JSON; one put together from items has no
    `origin`.

    `file_digest` is of the file's exact bytes. So is `digest`, unless records were left out or got
    new ids (`renamed` of them): then it also covers which these are. `labelled_by` is the metric of
    the harness, if the records come from a log.

    Example:
        >>> import assay
        >>> benchmark = assay.load_benchmark("darkcore")
        >>> len(benchmark.items), dict(benchmark.classes)["truth"]
        (108, 55)
        >>> benchmark.items[0].question
        '...'
    """

    name: str
    digest: str
    items: tuple[Item, ...]
    second: "Benchmark | None" = None
    grouping: Literal["named", "question"] | None = None
    origin: Origin | None = None
    left_out: tuple[LeftOut, ...] = ()
    renamed: int = 0
    file_digest: str | None = None
    labelled_by: str | None = None
    memory: bytes | None = None
    index: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if not self.items:
            raise SpecError(
                f"{self.name}: no records",
                hint="Write one record a line; in a CSV, below the line of column names.",
            )
        for name, count in Counter(item.id for item in self.items).items():
            if count > 1:
                raise SpecError(
                    f"{self.name}: id {name!r} occurs {count} times",
                    hint="Give every record its own id.",
                )
            if name.startswith(SECOND):
                raise SpecError(f"{self.name}: id {name!r} must not begin with {SECOND!r}")

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each item, under the names that columns have by default."""
        return [
            {
                "id": item.id,
                "question": item.question,
                "response": item.response,
                "label": None if item.label is None else int(item.label),
                "class": item.cls,
                "source": item.source,
                "group": item.group,
            }
            for item in self.items
        ]

    def lines(self) -> list[str]:
        """How many items there are, of which labels and classes, and what reading changed."""
        positives = sum(bool(item.label) for item in self.items)
        labelled = sum(item.label is not None for item in self.items)
        first = f"{self.name:.80}: {counted(len(self.items), 'item')}"
        first += f", {positives:,} positive of {labelled:,} labelled" if labelled else ""
        first += "" if self.second is None else f"; second corpus {self.second.name:.60}"
        listed = some([f"{name} {count:,}" for name, count in self.classes.items()])
        said = [f"{CHANGES[code]} {detail}" for code, detail in self.changes.items()]
        return [first, *([f"classes: {listed}"] if listed else []), *said, self.digest]

    @property
    def named_columns(self) -> str:
        """The columns that differ from the default: they decide what was measured."""
        if self.origin is None:
            return ""
        named = self.origin.columns
        default = BUNDLED_COLUMNS if self.origin.place in BUNDLED else Columns()
        pairs = [
            f"{'class' if field == 'cls' else field}={getattr(named, field)}"
            for field in Columns.__struct_fields__
            if getattr(named, field) != getattr(default, field)
        ]
        return f" ({', '.join(pairs)})" if pairs else ""

    @property
    def records(self) -> int:
        """The number of records in the file, including those left out."""
        return len(self.items) + len(self.left_out)

    @property
    def rows(self) -> list[int]:
        """The row of each item among the records of the file."""
        gone = {record.row for record in self.left_out}
        return [row for row in range(self.records) if row not in gone]

    @property
    def all_ids(self) -> list[str]:
        """The id of every record of the file, in order, including those left out."""
        gone = {record.row: record.id for record in self.left_out}
        kept = (item.id for item in self.items)
        return [gone[row] if row in gone else next(kept) for row in range(self.records)]

    @property
    def numbered(self) -> bool:
        """Whether the records have no ids of their own, so that their numbers, from 1, are ids."""
        if self.origin is not None and self.origin.columns.ids == "none":
            return True
        named = self.origin is not None and self.origin.columns.id is not None
        return not named and self.all_ids == [str(row + 1) for row in range(self.records)]

    @property
    def changes(self) -> dict[str, str]:
        """The changes made on reading, by caveat code: records left out, ids replaced."""
        changes = {}
        if self.left_out:
            changes["left-out"] = f"{len(self.left_out):,} of {self.records:,}: {_why(self)}."
        if self.renamed:
            changes["new-ids"] = f"{self.renamed:,} of {len(self.items):,} records."
        if self.labelled_by is not None:
            said = None if self.origin is None else self.origin.columns.positive
            changes["log-labels"] = f"{self.labelled_by}, positive is {said or 1}."
        return changes

    def check_file(self, found: str) -> None:
        """Refuse a file that changed since it was read."""
        if found != (self.file_digest or self.digest):
            raise DigestMismatch(
                f"{self.name} has changed since it was read",
                hint="Run the same again when nothing writes to it.",
            )

    @property
    def repeated_questions(self) -> int:
        """The number of items that share their question with an earlier one."""
        return len(self.items) - len({item.question for item in self.items})

    @property
    def classes(self) -> Mapping[str, int]:
        """The number of items of each class."""
        return Counter(item.cls for item in self.items if item.cls is not None)

    @property
    def grouped(self) -> bool:
        """Whether some items share a group."""
        return len({item.unit for item in self.items}) < len(self.items)

    def with_second(self, second: "Benchmark | None") -> "Benchmark":
        """The benchmark with another second corpus."""
        if second is not None and second.digest == self.digest:
            raise SpecError(f"{second.name} cannot be its own second corpus")
        return msgspec.structs.replace(self, second=second)

    def where(self, expression: Expression) -> tuple[Item, ...]:
        """The items for which an expression holds, in order."""
        return tuple(
            item
            for item, fields in zip(self.items, self._fields, strict=True)
            if expression.holds(fields)
        )

    @cached_property
    def _fields(self) -> list[dict[str, str | None]]:
        return [item.fields() for item in self.items]

    def keyed_items(self) -> Iterator[tuple[str, Item]]:
        """Every item with its key in a run: its id, with a prefix for the second corpus."""
        for item in self.items:
            yield item.id, item
        if self.second is not None:
            for item in self.second.items:
                yield SECOND + item.id, item

    @property
    def asked(self) -> int:
        """How many items a run is asked about, the second corpus included."""
        return len(self.items) + (0 if self.second is None else len(self.second.items))


CHANGES: Mapping[str, str] = {
    "left-out": "Records of the file were left out.",
    "new-ids": "Ids of the file were replaced.",
    "log-labels": "The records are answers in a log, and their labels the scores of its harness.",
}
"""The caveat codes of changes made on reading."""
_SHOWN = 3
_MOST_REASONS = 6


def _why(benchmark: Benchmark) -> str:
    """The reasons why records were left out, each with its count and its first places."""
    places: dict[str, list[str]] = {}
    for record in benchmark.left_out:
        places.setdefault(record.why, []).append(record.place)
    ordered = sorted(places.items(), key=lambda pair: -len(pair[1]))
    parts = [
        f"{len(where):,} with {why} ({', '.join(where[:_SHOWN])}"
        + (", ...)" if len(where) > _SHOWN else ")")
        for why, where in ordered[:_MOST_REASONS]
    ]
    others = sum(len(where) for _, where in ordered[_MOST_REASONS:])
    return ", ".join(parts) + (f", {others:,} for other reasons" if others else "")
