"""Statistics over the rows of a table. A missing cell is left out and told, and never a zero."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.benchmark.expression import FieldTest, parse_expression
from assay.claim_audit.checkers.checker import Args, text_arg
from assay.claim_audit.checkers.key_path import value_at
from assay.claim_audit.checkers.records import records_in
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import (
    MEMORY_OF_A_BYTE,
    MOST_TABLE_BYTES,
    EvidenceReader,
    NotThere,
)
from assay.errors import AssayError
from assay.tables.nested import as_word
from assay.tables.source import read_table

Row = Mapping[str, Any]
_NUMERAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_LONGEST_NUMERAL = 400
_MOST_SHOWN = 8


def aggregate(args: Args, evidence: EvidenceReader) -> Observed:
    """A statistic over the rows for which `where` holds."""
    path, what = text_arg(args, "path"), text_arg(args, "statistic")
    if what not in (*_STATISTICS, "count", "distinct", "share"):
        known = ", ".join((*_STATISTICS, "count", "distinct", "share"))
        raise Unverifiable(f"statistic {what!r:.40}: expected one of {known}")
    told = [path]
    rows = chosen_rows(args, evidence, told)
    if what == "count":
        told.insert(1, f"{len(rows):,} rows")
        return Observed(value=len(rows), where=", ".join(told))
    if what == "share":
        chosen = _kept(rows, text_arg(args, "of"), path, told)
        if not rows:
            raise NotThere(f"{path} has no rows of which there could be a share")
        told.insert(1, f"{len(chosen):,} of {len(rows):,} rows")
        return Observed(value=len(chosen) / len(rows), where=", ".join(told))
    column = text_arg(args, "column")
    cells = _cells(rows, column, path)
    told.insert(1, f"{what} of {column}, {len(cells):,} rows")
    _tell_missing(told, column, len(rows) - len(cells))
    if what == "distinct":
        return Observed(value=len({as_word(cell) for cell in cells}), where=", ".join(told))
    if not cells:
        what = (
            f"column {column!r:.60} is empty"
            if rows
            else f"no row satisfies {args.get('where')!r:.80}"
        )
        raise NotThere(f"{path}: {what}")
    numbers = [_number(cell, column, path) for cell in cells]
    return Observed(value=_STATISTICS[what](numbers), where=", ".join(told))


def chosen_rows(args: Args, evidence: EvidenceReader, told: list[str]) -> list[Row]:
    """The rows of the table at `path` for which `where` holds; `told` hears of missing cells.

    A JSON file may hold several lists, so a claim must name the one that it means.
    """
    path = text_arg(args, "path")
    if not path.lower().endswith(".json"):
        if "key_path" in args:
            raise Unverifiable(f"key_path is of a JSON file; {path:.80} is another")
        return kept_rows(rows_of(path, evidence), args, told)
    if "key_path" not in args:
        raise Unverifiable(
            f"{path:.80} may hold several lists: say key_path of the one that is meant, or"
            ' key_path="$" of a file that is one'
        )
    key = text_arg(args, "key_path")
    rows = records_in(value_at(evidence.json(path), key, path))
    if rows is None:
        raise NotThere(f"{path}: {key:.80} is no list of records, and no records by name")
    return kept_rows(rows, args, told)


def kept_rows(rows: list[Row], args: Args, told: list[str]) -> list[Row]:
    """The rows for which `where` holds, if it is given; `told` hears that there are none."""
    if "where" not in args:
        return rows
    kept = _kept(rows, text_arg(args, "where"), text_arg(args, "path"), told)
    if rows and not kept:
        told.append(f"no row satisfies {args['where']!r:.80}")
    return kept


def rows_of(path: str, evidence: EvidenceReader) -> list[Row]:
    """The rows of a table."""

    def read() -> list[Row]:
        try:
            file = evidence.file(path, MOST_TABLE_BYTES)
            return [row for _, row in read_table(file).rows()]
        except AssayError as error:
            raise Unverifiable(error.message) from None

    return evidence.once(("rows", path), read, size=MEMORY_OF_A_BYTE * evidence.size(path))


def is_missing(cell: object) -> bool:
    """Whether a cell is empty."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def numeral(cell: object) -> float | None:
    """The number of a cell that is one or writes one in plain digits; None where it does not.

    `none`, `50%` and `2k` are numbers to a reader of a text, but not in a column.
    """
    if isinstance(cell, str):
        text = cell.strip()
        if len(text) > _LONGEST_NUMERAL or not _NUMERAL.fullmatch(text):
            return None
        cell = float(text)
    if not isinstance(cell, (int, float)):
        return None
    try:
        number = float(cell)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _kept(rows: Sequence[Row], text: str, path: str, told: list[str]) -> list[Row]:
    """The rows for which an expression holds; a missing cell satisfies no comparison."""
    try:
        expression = parse_expression(text, fields=None)
    except AssayError as error:
        raise Unverifiable(error.message) from None
    tests = [test for every in expression.any_of for test in every]
    stray = [field for field in expression.fields if re.search(r"^\(|\)$|,$", field)]
    stray += [
        test.value for test in tests if test.value.endswith((")", ",")) and "(" not in test.value
    ]
    if stray and not any(word in row for word in stray for row in rows[:1]):
        raise Unverifiable(
            f"expression {text!r:.80} cannot be read at {stray[0]!r:.40}: comparisons are joined by"
            " `and` and `or`, where `and` binds tighter; there are no parentheses and no lists"
        )
    for field in expression.fields:
        if rows and not any(field in row for row in rows):
            raise _no_column(rows, field, path)
        if any(test.field == field and not _asks_missing(test) for test in tests):
            _tell_missing(told, field, sum(is_missing(row.get(field)) for row in rows))

    def holds(row: Row) -> bool:
        return any(
            all(_satisfies(test, row.get(test.field)) for test in every)
            for every in expression.any_of
        )

    return [row for row in rows if holds(row)]


def _asks_missing(test: FieldTest) -> bool:
    """Whether a comparison is with a missing cell: `score == null`, `score != ''`."""
    return test.value in ("", "null") and not test.orders


def _satisfies(test: FieldTest, cell: object) -> bool:
    if _asks_missing(test):
        return is_missing(cell) is (test.operator == "==")
    return not is_missing(cell) and test.holds(as_word(cell))


def _cells(rows: Sequence[Row], column: str, path: str) -> list[object]:
    """The cells of a column that are not missing."""
    if rows and not any(column in row for row in rows):
        raise _no_column(rows, column, path)
    return [cell for row in rows if not is_missing(cell := row.get(column))]


def _number(cell: object, column: str, path: str) -> float:
    number = numeral(cell)
    if number is None:
        raise Unverifiable(
            f"{path}: column {column!r:.60} holds {cell!r:.40}, which is no plain number"
        )
    return number


def _no_column(rows: Sequence[Row], column: str, path: str) -> NotThere:
    known = ", ".join(list(rows[0])[:_MOST_SHOWN]) if rows else "no rows"
    return NotThere(f"{path} has no column {column!r:.60}; there are {known:.400}")


def _tell_missing(told: list[str], column: str, missing: int) -> None:
    if missing:
        told.append(f"{missing:,} without {column!r:.60}")


def _median(numbers: Sequence[float]) -> float:
    ordered, middle = sorted(numbers), len(numbers) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2.0


def _deviation(numbers: Sequence[float]) -> float:
    """The standard deviation of a sample, with n - 1."""
    if len(numbers) < 2:
        raise NotThere("a standard deviation takes two rows or more")
    mean = math.fsum(numbers) / len(numbers)
    return math.sqrt(math.fsum((number - mean) ** 2 for number in numbers) / (len(numbers) - 1))


_STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda numbers: math.fsum(numbers) / len(numbers),
    "sum": math.fsum,
    "min": min,
    "max": max,
    "median": _median,
    "std": _deviation,
}
