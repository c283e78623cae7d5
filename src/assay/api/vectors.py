"""Sides that are plain scores of the same items: lists of numbers, arrays, Series.

Series of pandas pair by their index if every side has one; all else pairs by position. A comparison
says which, in the caveat `plain-scores`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from numbers import Real
from typing import Any

from assay.comparison.result import ComparisonCaveat
from assay.comparison.sides.path_trials import PathTrials
from assay.errors import IncomparableRuns, SpecError
from assay.logs.trial_rows import TrialColumns, read_rows
from assay.tables.in_memory.table import table_in_memory

SCORE = "score"
"""The dimension of plain scores, if no other name is given."""
_LISTED = ("tolist", "to_list", "to_pylist")
"""The methods that list an array of numpy or Arrow, a tensor, or a Series."""
_MISSING = "NAType"
_BY_INDEX = "They pair by the labels of their index."
_BY_POSITION = "They pair by position: first with first, second with second."
_AS_ROWS = (
    'Give both sides as scores; or as rows that name their items: [{"instance": "q1", "score": 1},'
    " ...]."
)


@dataclass(frozen=True, kw_only=True)
class Vector:
    """Scores, and the labels of their index if they have one."""

    scores: list[object]
    labels: list[object] | None = None


def vector_of(side: object) -> Vector | None:
    """A side as plain scores; None if it is anything else."""
    if isinstance(side, (list, tuple)):
        listed = list(side)
        return Vector(scores=listed) if listed and all(map(_is_score, listed)) else None
    is_table = any(hasattr(side, name) for name in ("columns", "column_names"))
    if isinstance(side, Mapping) or is_table or getattr(side, "shape", (0,))[1:]:
        return None
    if getattr(getattr(side, "dtype", None), "names", None):  # rows: a record array of numpy
        return None
    array: Any = side
    convert = next((name for name in _LISTED if callable(getattr(side, name, None))), None)
    listed = [] if convert is None else getattr(array, convert)()
    if not isinstance(listed, list) or not listed or isinstance(listed[0], (Mapping, list)):
        return None
    index = getattr(side, "index", None)  # of pandas; elsewhere it is a method
    return Vector(scores=listed, labels=None if index is None or callable(index) else list(index))


def _is_score(value: object) -> bool:
    if value is None or isinstance(value, (Real, Decimal)):
        return True
    return type(value).__name__ == _MISSING or getattr(value, "shape", None) == ()  # numpy's bool


def plain_scores(
    sides: Sequence[object],
    names: Sequence[str],
    columns: TrialColumns,
    planned: Sequence[str] = (),
) -> list[PathTrials] | None:
    """The trials of sides that are plain scores; None if no side is.

    The dimension is the only one of `columns` or of the plan, else `score`.
    """
    found = [vector_of(side) for side in sides]
    vectors = [vector for vector in found if vector is not None]
    if not vectors:
        return None
    if len(vectors) < len(found):
        other = names[found.index(None)]
        plain = next(name for name, vector in zip(names, found, strict=False) if vector is not None)
        raise SpecError(
            f"{plain} is plain scores and {other} is not, so nothing says which items pair",
            hint=_AS_ROWS,
        )
    if (columns.instance, columns.trial) != (TrialColumns().instance, TrialColumns().trial):
        raise SpecError(
            f"{names[0]} is plain scores, which have no columns",
            hint="Leave out `instance=` and `trial=`.",
        )
    dimension = _only([*columns.dimensions] or [*planned])
    by_index = all(vector.labels is not None for vector in vectors)
    if not by_index:
        _check_lengths(vectors, names)
    said = ComparisonCaveat(code="plain-scores", message=_BY_INDEX if by_index else _BY_POSITION)
    return [
        _trials(vector, name, dimension, by_index=by_index, caveat=None if number else said)
        for number, (vector, name) in enumerate(zip(vectors, names, strict=False))
    ]


def _only(names: Sequence[str]) -> str:
    if len(names) > 1:
        raise SpecError(
            f"plain scores are one dimension, but {len(names)} are named: {', '.join(names)[:200]}",
            hint=_AS_ROWS,
        )
    return names[0] if names else SCORE


def _check_lengths(vectors: Sequence[Vector], names: Sequence[str]) -> None:
    first = len(vectors[0].scores)
    for vector, name in zip(vectors, names, strict=False):
        if len(vector.scores) != first:
            raise IncomparableRuns(
                f"{names[0]} has {first:,} scores and {name} has {len(vector.scores):,}, so they do"
                " not pair by position",
                hint="Give a score for each item, in the same order; None where there is none."
                " Series of pandas pair by their index.",
            )


def _trials(
    vector: Vector,
    name: str,
    dimension: str,
    *,
    by_index: bool,
    caveat: ComparisonCaveat | None,
) -> PathTrials:
    """The scores as the trials of a table: without an index, items are numbered from 1."""
    numbers = range(1, len(vector.scores) + 1)
    labels = vector.labels if by_index and vector.labels is not None else numbers
    rows = [
        {"instance": str(label) if isinstance(label, tuple) else label, dimension: score}
        for label, score in zip(labels, vector.scores, strict=True)
    ]
    table = table_in_memory(rows, name=f"scores of {name}")
    read = read_rows(table, TrialColumns(dimensions=(dimension,)), planned=(dimension,))
    return PathTrials(
        kind="trials",
        digest=table.digest,
        trials=tuple(trial for trials in read.sides.values() for trial in trials),
        each=(table.digest,),
        place=table.place,
        scores=read.scores,
        caveats=() if caveat is None else (caveat,),
    )
