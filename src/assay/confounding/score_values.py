"""Scores in memory without a table: a list, an array or a series, matched with the records.

A list or an array has one score a record, in the order of the records. A series of pandas has an
index, which is never ignored: it must be that of the frame the records came from, the ids of the
records, or the numbers from 0 in order.
"""

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any

from assay.benchmark.benchmark import Benchmark
from assay.errors import SpecError
from assay.logs.columns.number_texts import read_numbers
from assay.tables.nested import as_word

_IN_ORDER = "Give one number per record, in the order of the records, or scores by id."


def is_array(value: object) -> bool:
    """Whether a value is an array or a series: numpy, pandas, polars, torch, Arrow."""
    if isinstance(value, Real) or hasattr(value, "columns") or hasattr(value, "column_names"):
        return False
    lists = any(callable(getattr(value, name, None)) for name in ("tolist", "to_list", "to_pylist"))
    return lists and (hasattr(value, "dtype") or hasattr(value, "type"))


def is_cell(value: object) -> bool:
    """Whether a value is one score, or stands for a missing one."""
    return value is None or isinstance(value, (Real, str)) or _is_missing(value)


def scores_in_order(
    values: Sequence[object], benchmark: Benchmark, readings: dict[str, str]
) -> dict[str, object]:
    """Scores by id, of one for each record, or for each that was not left out."""
    ids = [item.id for item in benchmark.items]
    if len(values) != len(ids):
        ids = benchmark.all_ids
    if len(values) != len(ids):
        raise SpecError(
            f"{len(values):,} scores, but {benchmark.name} has {benchmark.records:,} records",
            hint=_IN_ORDER,
        )
    return scores_of_cells(dict(zip(ids, values, strict=True)), readings)


def scores_in_array(
    array: Any,  # noqa: ANN401 - theirs
    benchmark: Benchmark,
    index: object,
    readings: dict[str, str],
) -> dict[str, object]:
    """Scores by id, of an array or a series; `index` is that of the records' own frame."""
    values = _values(array)
    labels = getattr(array, "index", None)
    if labels is None or callable(labels) or _same(labels, index):
        return scores_in_order(values, benchmark, readings)
    words = [as_word(label) for label in labels]
    ids = benchmark.all_ids
    if words == ids or words == [str(number) for number in range(len(ids))]:
        return scores_in_order(values, benchmark, readings)
    if not benchmark.numbered and set(words) <= set(ids):
        for word in set(words) if len(set(words)) < len(words) else ():
            if words.count(word) > 1:
                raise SpecError(f"the scores have the id {word!r:.60} more than once")
        return scores_of_cells(dict(zip(words, values, strict=True)), readings)
    raise SpecError(
        f"scores in a {type(array).__name__} whose index is neither the ids of the records nor the"
        f" index of their frame; it begins with {', '.join(map(repr, words[:3]))}",
        hint="If the scores are in the order of the records, give series.to_list() instead; if"
        " not, set the ids as its index and name their column: `id=COLUMN`.",
    )


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
    convert = next(
        getattr(array, name)
        for name in ("tolist", "to_list", "to_pylist")
        if callable(getattr(array, name, None))
    )
    made: object = convert()
    values = made if isinstance(made, list) else [made]
    if any(isinstance(value, (list, tuple, Mapping)) for value in values):
        shape = "x".join(map(str, getattr(array, "shape", ("?",))))
        raise SpecError(
            f"scores in {type(array).__name__} of shape {shape}, expected one number a record",
            hint="Choose one column, such as scores[:, 1] for the second class.",
        )
    return values


def _same(labels: Any, index: object) -> bool:  # noqa: ANN401 - theirs
    """Whether the index of a series is that of the records' frame."""
    if index is None or not callable(getattr(labels, "equals", None)):
        return False
    return bool(labels.equals(index))


def _is_missing(value: object) -> bool:
    return type(value).__name__ in ("NAType", "NaTType")
