"""Statistics over the rows of a table. A missing cell is left out and told, and never a zero."""

import math
import re
from collections.abc import Callable, Mapping, Sequence

from assay.claim_audit.checkers.checker import Args, text_arg
from assay.claim_audit.checkers.chosen_rows import (
    Row,
    are_truth_values,
    cells_in,
    chosen_rows,
    no_column,
    rows_that,
)
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.tables.nested import as_word

_NUMERAL = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]{1,3})?")
_LONGEST_NUMERAL = 400


def aggregate(args: Args, evidence: EvidenceReader) -> Observed:
    """A statistic over the rows for which `where` holds."""
    path, what = text_arg(args, "path"), text_arg(args, "statistic")
    if what not in (*_STATISTICS, "count", "distinct", "share"):
        known = ", ".join((*_STATISTICS, "count", "distinct", "share"))
        raise Unverifiable(f"statistic {what!r:.40}: expected one of {known}")
    chosen = chosen_rows(args, evidence)
    rows = chosen.rows
    if what == "count":
        told = (path, f"{len(rows):,} rows", *chosen.told)
        return Observed(value=len(rows), where=", ".join(told), unmet=chosen.unmet)
    if what == "share":
        part = rows_that(rows, text_arg(args, "of"), path)
        if not rows:
            why = "" if chosen.unmet is None else f": {chosen.unmet}"
            raise NotThere(f"{path} has no rows of which there could be a share{why}")
        counts = f"{len(part.rows):,} of {len(rows):,} rows"
        told = (path, counts, *chosen.told, *part.told)
        value = len(part.rows) / len(rows)
        return Observed(value=value, where=", ".join(told), unmet=part.unmet)
    column = text_arg(args, "column")
    cells = _cells(rows, column, path)
    missing = len(rows) - len(cells)
    lacking = (f"{missing:,} without {column!r:.60}",) if missing else ()
    told = (path, f"{what} of {column}, {len(cells):,} rows", *chosen.told, *lacking)
    if what == "distinct":
        value = len({as_word(cell) for cell in cells})
        return Observed(value=value, where=", ".join(told), unmet=chosen.unmet)
    if not cells:
        raise NotThere(f"{path}: {chosen.unmet or f'column {column!r:.60} is empty'}")
    numbers = numbers_in(cells)
    if numbers is None:
        raise _no_number(cells, column, path)
    return Observed(value=_STATISTICS[what](numbers), where=", ".join(told))


def numbers_in(cells: Sequence[object]) -> list[float] | None:
    """The numbers of a column's cells, true being 1 and false 0; None where one is no number."""
    if are_truth_values(cells):
        return [float(as_word(cell).strip().lower() == "true") for cell in cells]
    numbers = [number for cell in cells if (number := numeral(cell)) is not None]
    return numbers if len(numbers) == len(cells) else None


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


def _cells(rows: Sequence[Row], column: str, path: str) -> list[object]:
    if rows and not any(column in row for row in rows):
        raise no_column(rows, column, path)
    return cells_in(rows, column)


def _no_number(cells: Sequence[object], column: str, path: str) -> Unverifiable:
    cell = next(cell for cell in cells if numeral(cell) is None)
    return Unverifiable(
        f"{path}: column {column!r:.60} holds {cell!r:.40}, which is no plain number; of words a"
        f' claim can count the rows: statistic="share" of="{column:.60} == {as_word(cell):.40}"'
    )


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
