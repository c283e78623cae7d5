"""Read trials from the rows of a file: `instance`, `trial`, and one column a dimension.

Columns of numbers are dimensions, and columns of a pair of words such as pass and fail.
`harness.*` is the setup of a run, `scorer` its scorer, `run` its id, `status` how it ended,
`artifact` the artifact it had.
"""

from collections.abc import Collection, Mapping, Sequence
from itertools import chain
from typing import Protocol

import msgspec

from assay.errors import SpecError
from assay.logs.columns.cells import is_blank, parsed, value_of
from assay.logs.columns.score_columns import ScoreColumns, score_columns
from assay.logs.eval_folder import as_text, is_crash
from assay.logs.trial import DRAWN, RESERVED, STOPPED, Trial
from assay.tables.faults import Faults
from assay.tables.nested import (
    Row,
    as_word,
    dotted,
    listed_names,
    values_present,
    with_paths,
)
from assay.tables.source import TableSource
from assay.tables.text import check_encoding
from assay.wording import did_you_mean

MOST_SIDES = 20
"""The most values of a column that is proposed for telling sides apart."""
_TRIAL = "trial"
"""The column of trials unless another is named; it may be lacking."""
_SCORES = frozenset({"0", "1", "true", "false"})
_HARNESS = "harness."
_MADE_BY = ("model", "profile", "params", "provider")
"""Columns of words that count as `harness.` columns without that prefix."""


class RowFilter(Protocol):
    """A filter of rows: an expression over their columns."""

    @property
    def text(self) -> str:
        """The text of the expression."""

    @property
    def fields(self) -> list[str]:
        """The columns that it uses."""

    def values_of(self, field: str) -> list[str]:
        """The values that it compares a column with."""

    def holds(self, record: Mapping[str, str | None]) -> bool:
        """Whether a row is kept."""


class TrialColumns(msgspec.Struct, frozen=True, kw_only=True):
    """The columns of instance, trial and so on; `dimensions` are those to read, by default all.

    A column that does not exist by its full name is looked for inside others: `scores.0.value`.
    `encoding` is that of a text which is not UTF-8, `split` the part of a folder to read.
    """

    instance: str = "instance"
    trial: str = _TRIAL
    dimensions: tuple[str, ...] = ()
    encoding: str | None = None
    split: str | None = None

    def __post_init__(self) -> None:
        if self.encoding is not None:
            check_encoding(self.encoding)


class TrialRows(msgspec.Struct, frozen=True, kw_only=True):
    """The trials of a table by side, and how its columns were read."""

    sides: dict[str | None, list[Trial]]
    scores: ScoreColumns


def read_rows(
    source: TableSource,
    columns: TrialColumns,
    *,
    by: str | None = None,
    where: RowFilter | None = None,
    planned: Collection[str] = (),
) -> TrialRows:
    """The rows of a table that `where` keeps, as trials, grouped by the column `by`.

    `planned` are columns that a plan names: read, or refused if they hold no numbers.
    """
    place = source.place
    faults = Faults(place)
    asked = {columns.instance: "instance"}
    asked |= dict.fromkeys(() if by is None else (by,), "by")
    asked |= dict.fromkeys(() if where is None else where.fields, "where")
    inside = dotted([*asked, columns.trial, *columns.dimensions, *planned])
    found = source.rows(encoding=columns.encoding, faults=faults)
    rows = [(at, _flat(with_paths(row, inside))) for at, row in found]
    faults.refuse()
    if not rows:
        raise SpecError(
            f"{place}: no rows",
            hint="Write one run a line; in a CSV, below the line of column names.",
        )
    header = list(dict.fromkeys(chain.from_iterable(row for _, row in rows)))
    named = asked if columns.trial == _TRIAL else {**asked, columns.trial: "trial"}
    named |= dict.fromkeys(columns.dimensions, "dimension")
    for name, role in named.items():
        if name not in header:
            raise _no_column(source, name, role, header, rows[0][1])
    if where is not None:
        kept = [(at, row) for at, row in rows if where.holds(_words(row, where.fields))]
        if not kept:
            raise _none_kept(place, where, [row for _, row in rows])
        rows = kept
    candidates = _candidates(header, columns, taken=asked, planned=planned)
    scores = score_columns(
        place,
        [row for _, row in rows],
        candidates,
        asked=columns.dimensions or planned,
        groups=[
            (str(row.get(columns.instance)), None if by is None else str(row.get(by)))
            for _, row in rows
        ],
        has_semicolons=lambda: source.has_semicolons(encoding=columns.encoding),
    )
    for name in _MADE_BY:  # read as the harness
        scores.unread.pop(name, None)
    if not scores.names:
        raise _no_scores(place, scores, rows[0][1])
    made_by = [name for name in header if name.startswith(_HARNESS)]
    sides: dict[str | None, list[Trial]] = {}
    for at, row in rows:
        try:
            trial = _trial(at, scores.converted(row), scores.names, made_by, columns)
            sides.setdefault(_side(at, row, by), []).append(trial)
        except SpecError as error:
            faults.add(error)
    faults.refuse()
    return TrialRows(sides=sides, scores=scores)


def splitting_columns(source: TableSource, columns: TrialColumns) -> dict[str, frozenset[str]]:
    """The columns with a few values, which may tell sides apart, and these values."""
    rows = [_flat(row) for _, row in source.rows(encoding=columns.encoding)]
    found: dict[str, frozenset[str]] = {}
    for name in dict.fromkeys(chain.from_iterable(rows)):
        if name in (columns.instance, columns.trial, *columns.dimensions):
            continue
        words = {_words(row, [name])[name] for row in rows} - {""}
        if len(words) <= MOST_SIDES and not words <= _SCORES:
            found[name] = frozenset(words)
    return found


def _no_column(
    source: TableSource, name: str, role: str, header: Sequence[str], first: Row
) -> SpecError:
    """The error for a column that was named and is not there, with the nearest name."""
    parameter = None if role == "where" else role
    hints = (did_you_mean(name, header, most=1, parameter=parameter), _ROLES[role])
    return SpecError(
        f"{source.place}: no column {name!r:.60}; the columns are {listed_names(first)}",
        hint=source.how_to_read(name) or " ".join(hint for hint in hints if hint),
    )


_ROLES = {
    "instance": "Which column names the instance of a run? Name it: `instance=COLUMN`.",
    "trial": "Which column numbers the runs of an instance? Name it, `trial=COLUMN`; leave it out"
    " if every instance has one run.",
    "dimension": "Which columns are scores? Name one: `dimension=COLUMN`.",
    "by": "Which column tells the sides apart? Name it: `by=COLUMN`.",
    "where": "Compare a column with a value: `where=COLUMN == VALUE`.",
}


def _none_kept(place: str, where: RowFilter, rows: Sequence[Row]) -> SpecError:
    """The error for a filter that keeps no row, with the values of its columns."""
    words = [_words(row, where.fields) for row in rows]
    held = [
        values_present(name, {word[name] for word in words}, where.values_of(name))
        for name in where.fields
    ]
    return SpecError(f"{place}: no row satisfies `where={where.text:.80}`", hint=_sentence(held))


def _sentence(parts: Sequence[str]) -> str:
    text = ". ".join(parts)
    return text if text.endswith("?") else f"{text}."


def _side(where: str, row: Row, by: str | None) -> str | None:
    """The side of a row, if a column names it."""
    if by is None:
        return None
    side = _words(row, [by])[by]
    if not side:
        raise SpecError(f"{where}: no {by}, which names the side of the row")
    return side


def _words(row: Row, names: Sequence[str]) -> dict[str, str]:
    """Cells as texts, for comparing them with a word; a missing one is empty."""
    return {name: "" if is_blank(row.get(name)) else _word(row[name]) for name in names}


def _word(cell: object) -> str:
    return as_text(cell) if isinstance(cell, (dict, list)) else as_word(cell)


def _candidates(
    header: Sequence[str],
    columns: TrialColumns,
    *,
    taken: Collection[str],
    planned: Collection[str],
) -> list[str]:
    """The columns without another role; or the requested columns."""
    if columns.dimensions:
        return list(columns.dimensions)
    others = {columns.trial, *taken, "harness"} | RESERVED - set(planned)
    return [name for name in header if name not in others and not name.startswith(_HARNESS)]


def _no_scores(place: str, scores: ScoreColumns, first: Row) -> SpecError:
    return SpecError(
        f"{place}: no column holds numbers that are scores; the columns are {listed_names(first)}",
        details=[f"{name:.60}: {reason}" for name, reason in scores.unread.items()][:MOST_SIDES],
        hint="Add a column of scores, such as 0 and 1; or name one to read: `dimension=COLUMN`.",
    )


def _trial(
    where: str, row: Row, names: Sequence[str], made_by: Sequence[str], columns: TrialColumns
) -> Trial:
    instance, trial = row.get(columns.instance), row.get(columns.trial)
    if is_blank(instance):
        raise SpecError(f"{where}: no {columns.instance}")
    failure = row.get("error")
    taken = {columns.instance, columns.trial}
    run = next((row[name] for name in ("run", "run_id") if name in row and name not in taken), None)
    failed = str(failure).strip().lower() not in _NO_ERROR if failure else False
    try:
        return Trial(
            instance=_plain(instance),
            trial=None if is_blank(trial) else _plain(trial),
            dimensions={
                name: cell if type(cell := row.get(name)) is float else value_of(cell)
                for name in names
            },
            harness={
                name.removeprefix(_HARNESS): as_text(row[name])
                for name in made_by
                if not is_blank(row.get(name))
            }
            | {name: as_text(row[name]) for name in _MADE_BY if isinstance(row.get(name), str)}
            | _nested(row.get("harness")),
            scorer=_optional(row.get("scorer")),
            run=_optional(run),
            artifact=_optional(row.get("artifact")),
            crashed=is_crash(row.get("status")) or (failed and "error" not in names),
            stopped_on_verdict=row.get(STOPPED) in (True, "true", "True", 1, "1"),
            drawn_order=_whole(row.get(DRAWN)),
        )
    except SpecError as error:
        raise SpecError(f"{where}: {error.message}", hint=error.hint) from None


def _flat(row: Row, deepest: int = 3) -> Row:
    """Nested objects of a row as columns such as score.correct; `harness` stays nested."""
    if dict not in map(type, row.values()):
        return row
    flat: dict[str, object] = {}
    for name, value in row.items():
        if isinstance(value, dict) and name not in ("harness", "error") and deepest:
            inner = _flat(value, deepest - 1)
            flat |= {f"{name}.{key}": cell for key, cell in inner.items()}
        else:
            flat[name] = value
    return flat


def _nested(harness: object) -> dict[str, str]:
    if is_blank(harness):
        return {}
    if not isinstance(harness, dict):
        return {"harness": as_text(harness)}
    return {str(name): as_text(value) for name, value in harness.items() if value is not None}


def _plain(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return str(value)
    raise SpecError(f"{value!r:.60} cannot name an instance or trial")


def _whole(value: object) -> int | None:
    if is_blank(value):
        return None
    number = parsed(str(value))
    if number is None or not number.is_integer() or abs(number) > 2**53:
        raise SpecError(f"{DRAWN} is {value!r:.60}, expected a whole number")
    return int(number)


def _optional(value: object) -> str | None:
    return None if is_blank(value) else str(value)


_NO_ERROR = frozenset({"", "none", "null", "false", "no", "0", "na", "n/a", "nan"})
