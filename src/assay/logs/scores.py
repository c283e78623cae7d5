"""Read scores that were made elsewhere: one record a line, with an id and a number.

Without an id column the n-th line belongs to the n-th record, as in a benchmark without ids.
"""

import math
from collections.abc import Collection, Mapping
from itertools import islice
from pathlib import Path

from assay.errors import SpecError, storage
from assay.logs.columns.number_texts import read_numbers
from assay.tables.faults import Faults
from assay.tables.nested import dotted, kind_of, listed_names, with_paths
from assay.tables.source import STANDARD_INPUT, TableSource, read_table
from assay.wording import some


def load_scores(
    place: Path | TableSource,
    *,
    ids: Collection[str],
    column: str = "score",
    id_column: str | None = None,
    by_line: bool = False,
    encoding: str | None = None,
    readings: dict[str, str] | None = None,
) -> Mapping[str, float]:
    """Scores by record id; a line without a score (null, or empty) leaves its record unscored.

    `ids` are those of all records of the benchmark's file, and `id_column` is its column of them;
    that of the scores has the same name, or `id`. With `by_line` the ids of the scores are
    ignored, like those of the benchmark. A path of `-` is standard input. How texts were read as
    numbers is added to `readings`, by column.
    """
    source = place if isinstance(place, TableSource) else _read(place)
    known, cells = set(ids), dict[str, tuple[str, object]]()
    plain = list(ids) == [str(number) for number in range(1, len(ids) + 1)]
    numbered = by_line or (plain and id_column is None)
    faults = Faults(source.place)
    inside = dotted([id_column, column])
    rows = source.rows(encoding=encoding, faults=faults)
    for number, (where, found) in enumerate(rows, 1):
        row = with_paths(found, inside)
        own = id_column if id_column is not None and id_column in row else "id"
        if id_column is not None and not by_line and own not in row:
            raise SpecError(
                f"{where}: no column {id_column!r} of the ids, nor 'id'; the columns are"
                f" {listed_names(row)}",
                hint="Call the column of the ids so in the scores too, or call it 'id'.",
            )
        if column not in row:
            raise SpecError(
                f"{where}: no column {column!r}; the columns are {listed_names(row)}",
                hint="Which column holds the scores? Name it: `score=COLUMN`.",
            )
        key = None if by_line else _key(row.get(own))
        try:
            key = _record(key, number, where, ids, known, id_column, numbered=numbered)
            if key in cells:
                raise SpecError(f"{where}: a second score for {key!r:.60}")
            cells[key] = where, _cell(row[column], where, column)
        except SpecError as error:
            faults.add(error)
    numbers = read_numbers(
        source.place,
        column,
        cells.values(),
        has_semicolons=lambda: source.has_semicolons(encoding=encoding),
        readings=readings,
        faults=faults,
    )
    scores = {
        key: float(number)
        for key, number in zip(cells, numbers, strict=True)
        if isinstance(number, (int, float))
    }
    if not scores:
        raise SpecError(f"{source.place}: no scores")
    return scores


def _read(path: Path) -> TableSource:
    with storage(path):
        if str(path) != STANDARD_INPUT and not path.is_file():
            raise SpecError(f"no scores at {str(path)!r}: expected a file or a run folder")
    return read_table(path)


def _record(
    key: str | None,
    number: int,
    where: str,
    ids: Collection[str],
    known: Collection[str],
    id_column: str | None,
    *,
    numbered: bool,
) -> str:
    """The id of the record of a line."""
    if key is None:
        if not numbered:
            raise SpecError(
                f"{where}: no id, but the records of the benchmark have ids",
                hint=f"Add the {id_column or 'id'!r} of its record to each line of scores.",
            )
        key = str(number)
    if key not in known:
        raise SpecError(
            f"{where}: id {key!r:.60} is not in the benchmark, which has"
            f" {some([repr(name) for name in islice(ids, 3)])}",
            hint="Each line of scores needs the `id` of its record. Lines pair by position only if"
            " neither file has ids.",
        )
    return key


def _key(value: object) -> str | None:
    """An id as a benchmark reads it; None if there is none."""
    if value is None or value == "":
        return None
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _cell(value: object, where: str, column: str) -> object:
    """A cell that may hold a score: a finite number, a text, or nothing."""
    if value is None or isinstance(value, str):
        return value
    try:
        number = float(value) if isinstance(value, int | float) else math.nan
    except OverflowError:
        number = math.nan
    if not math.isfinite(number):
        raise SpecError(
            f"{where}, field {column!r}: expected a finite number, got {kind_of(value)}"
        )
    return number
