"""The rows of a table that a claim chooses. A missing cell satisfies no comparison, and is told.

Cells mean here what they mean to the other verbs: a decimal comma is one in a file whose cells are
separated by semicolons, and in a column of truth values 1 is true and 0 is false.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from assay.benchmark.expression import Expression, FieldTest, parse_expression
from assay.claim_audit.checkers.checker import Args, text_arg
from assay.claim_audit.checkers.key_path import records_in, value_at
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.evidence import (
    MEMORY_OF_A_BYTE,
    MOST_TABLE_BYTES,
    EvidenceReader,
    NotThere,
)
from assay.errors import AssayError
from assay.logs.columns.cells import have_decimal_commas
from assay.tables.nested import as_word, number_in, same_word, values_present
from assay.tables.source import read_table
from assay.wording import as_column

Row = Mapping[str, Any]
_MOST_SHOWN = 8
_BITS = {"1": "true", "0": "false"}


@dataclass(frozen=True, kw_only=True)
class Chosen:
    """The rows that were chosen, and what is to be told of it: missing cells.

    `unmet` says why there are none, if a condition chose none of some.
    """

    rows: list[Row]
    told: tuple[str, ...] = ()
    unmet: str | None = None


def chosen_rows(args: Args, evidence: EvidenceReader) -> Chosen:
    """The rows of the table at `path` for which `where` holds.

    A JSON file may hold several lists, so a claim must name the one that it means.
    """
    path = text_arg(args, "path")
    if not path.lower().endswith(".json"):
        if "key_path" in args:
            raise Unverifiable(f"key_path is of a JSON file; {path:.80} is another")
        return kept_rows(rows_of(path, evidence), args)
    if "key_path" not in args:
        raise Unverifiable(
            f"{path:.80} may hold several lists: say key_path of the one that is meant, or"
            ' key_path="$" of a file that is one'
        )
    key = text_arg(args, "key_path")
    rows = records_in(value_at(evidence.json(path), key, path))
    if rows is None:
        raise NotThere(f"{path}: {key:.80} is no list of records, and no records by name")
    return kept_rows(rows, args)


def kept_rows(rows: list[Row], args: Args) -> Chosen:
    """The rows for which `where` holds, if it is given."""
    if "where" not in args:
        return Chosen(rows=rows)
    return rows_that(rows, text_arg(args, "where"), text_arg(args, "path"))


def rows_of(path: str, evidence: EvidenceReader) -> list[Row]:
    """The rows of a table, with points in place of decimal commas."""

    def read() -> list[Row]:
        try:
            source = read_table(evidence.file(path, MOST_TABLE_BYTES))
            rows = [row for _, row in source.rows()]
            return _with_points(rows) if source.has_semicolons() else rows
        except AssayError as error:
            raise Unverifiable(error.message) from None

    return evidence.once(("rows", path), read, size=MEMORY_OF_A_BYTE * evidence.size(path))


def _with_points(rows: list[Row]) -> list[Row]:
    columns = dict.fromkeys(name for row in rows for name in row)
    commas = {name for name in columns if have_decimal_commas(cells_in(rows, name))}
    if not commas:
        return rows
    return [
        {
            name: cell.replace(",", ".") if name in commas and isinstance(cell, str) else cell
            for name, cell in row.items()
        }
        for row in rows
    ]


def is_missing(cell: object) -> bool:
    """Whether a cell is empty."""
    return cell is None or (isinstance(cell, str) and not cell.strip())


def cells_in(rows: Sequence[Row], column: str) -> list[object]:
    """The cells of a column that are not missing."""
    return [cell for row in rows if not is_missing(cell := row.get(column))]


def are_truth_values(cells: Sequence[object]) -> bool:
    """Whether some cells are true and false, in any spelling, and nothing else."""
    return bool(cells) and {as_word(cell).strip().lower() for cell in cells} <= {"true", "false"}


def rows_that(rows: list[Row], text: str, path: str) -> Chosen:
    """The rows for which an expression holds; a missing cell satisfies no comparison."""
    expression = _parsed(text, rows)
    told = []
    for field in expression.fields:
        if rows and not any(field in row for row in rows):
            raise no_column(rows, field, path)
        tests = [test for every in expression.any_of for test in every if test.field == field]
        missing = sum(is_missing(row.get(field)) for row in rows)
        if missing and any(not _asks_missing(test) for test in tests):
            told.append(f"{missing:,} without {field!r:.60}")
    any_of = [[_as_written(test, rows) for test in every] for every in expression.any_of]
    kept = [
        row
        for row in rows
        if any(all(_satisfies(test, row.get(test.field)) for test in every) for every in any_of)
    ]
    if kept or not rows:
        return Chosen(rows=kept, told=tuple(told))
    unmet = f"no row satisfies {text!r:.80} ({_held(rows, expression)})"
    return Chosen(rows=kept, told=(*told, unmet), unmet=unmet)


def _parsed(text: str, rows: Sequence[Row]) -> Expression:
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
    return expression


def _held(rows: Sequence[Row], expression: Expression) -> str:
    """What the columns of an expression hold, and which value was probably meant."""
    return "; ".join(
        values_present(
            as_column(field) if not field.isidentifier() else field,
            {as_word(cell) for cell in cells_in(rows, field)},
            expression.values_of(field),
        )
        for field in expression.fields
    )


def _as_written(test: FieldTest, rows: Sequence[Row]) -> FieldTest:
    """`ok == 1` asks for true in a column of truth values, and `ok == true` for 1 among 1 and 0."""
    if test.orders:
        return test
    cells = cells_in(rows, test.field)
    bit = next((word for bit, word in _BITS.items() if same_word(bit, test.value)), None)
    if bit is not None and are_truth_values(cells):
        return msgspec.structs.replace(test, value=bit)
    word = next((bit for bit, word in _BITS.items() if same_word(word, test.value)), None)
    if word is not None and all(number_in(as_word(cell)) in (0.0, 1.0) for cell in cells):
        return msgspec.structs.replace(test, value=word)
    return test


def _asks_missing(test: FieldTest) -> bool:
    """Whether a comparison is with a missing cell: `score == null`, `score != ''`."""
    return test.value in ("", "null") and not test.orders


def _satisfies(test: FieldTest, cell: object) -> bool:
    if _asks_missing(test):
        return is_missing(cell) is (test.operator == "==")
    return not is_missing(cell) and test.holds(as_word(cell))


def no_column(rows: Sequence[Row], column: str, path: str) -> NotThere:
    """The refusal of a column that no row has."""
    names = [as_column(name) if not name.strip() else name for name in list(rows[0])[:_MOST_SHOWN]]
    known = ", ".join(names) if rows else "no rows"
    return NotThere(f"{path} has no column {column!r:.60}; there are {known:.400}")
