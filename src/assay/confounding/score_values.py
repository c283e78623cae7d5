"""Scores in memory without a table: a list, an array, a series, a dictionary.

Which record each belongs to is decided in `pairing`.
"""

from collections.abc import Collection, Mapping, Sequence
from numbers import Real
from typing import Any

from assay.benchmark.benchmark import Benchmark
from assay.confounding.pairing import Labels, ids_by_label, ids_in_order
from assay.errors import SpecError
from assay.logs.columns.number_texts import read_numbers
from assay.tables.in_memory.arrays import has_columns, is_listable, listed, shape_of
from assay.tables.nested import Row, dotted, with_paths


def is_array(value: object) -> bool:
    """Whether a value is an array or a series: numpy, pandas, polars, torch, Arrow."""
    if isinstance(value, (Real, type)) or has_columns(value):
        return False
    return is_listable(value) and any(
        hasattr(value, name) for name in ("dtype", "type", "__array__")
    )


def is_cell(value: object) -> bool:
    """Whether a value is one score, or stands for a missing one."""
    return value is None or isinstance(value, (Real, str)) or _is_missing(value)


def scores_in_order(
    values: Sequence[object], benchmark: Benchmark, readings: dict[str, str]
) -> dict[str, object]:
    """Scores by id, of one for each record, or for each that was not left out."""
    ids = ids_in_order(len(values), benchmark)
    return scores_of_cells(dict(zip(ids, values, strict=True)), readings)


def scores_in_array(
    array: Any,  # noqa: ANN401 - theirs
    labels: Labels | None,
    benchmark: Benchmark,
    readings: dict[str, str],
) -> dict[str, object]:
    """Scores by id, of an array, or of a series by the labels of its index."""
    values = _values(array)
    if labels is None:
        return scores_in_order(values, benchmark, readings)
    return scores_by_label(values, labels, benchmark, readings)


def scores_by_label(
    values: Sequence[object], labels: Labels, benchmark: Benchmark, readings: dict[str, str]
) -> dict[str, object]:
    """Scores by id, of values with labels."""
    ids = ids_by_label(labels, benchmark)
    return scores_of_cells(dict(zip(ids, values, strict=True)), readings)


def column_by_index(
    rows: Sequence[Row], name: str, id_columns: Collection[str]
) -> tuple[str, list[object]] | None:
    """The named column, or the only one, with its name; None if there is none, or one of ids."""
    inside = dotted([name])
    rows = [with_paths(row, inside) for row in rows]
    columns = list(rows[0])
    if any(column in columns for column in id_columns):
        return None
    if name not in columns and len(columns) == 1:
        name = columns[0]
    return (name, [row.get(name) for row in rows]) if name in columns else None


def scores_of_cells(cells: Mapping[Any, object], readings: dict[str, str]) -> dict[Any, object]:
    """Scores by record as numbers, also where they are written as texts; a blank one is None."""
    placed = [
        (f"record {record!r:.60}", None if _is_missing(value) else value)
        for record, value in cells.items()
    ]
    numbers = read_numbers("the scores", "score", placed, readings=readings)
    return dict(zip(cells, numbers, strict=True))


def _values(array: Any) -> list[object]:  # noqa: ANN401 - theirs
    """The numbers of an array with one dimension."""
    made = listed(array)
    values = made if isinstance(made, list) else [made]
    if any(isinstance(value, (list, tuple, Mapping)) for value in values):
        shape = "x".join(map(str, shape_of(array))) or "?"
        raise SpecError(
            f"scores in {type(array).__name__} of shape {shape}, expected one number a record",
            hint="Choose one column, such as scores[:, 1] for the second class.",
        )
    return values


def _is_missing(value: object) -> bool:
    return type(value).__name__ in ("NAType", "NaTType")
