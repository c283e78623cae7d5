"""Sides that are plain scores of the same items: lists of numbers, arrays, Series.

A comparison says how they pair, in the caveat `plain-scores`.
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from numbers import Real
from pathlib import Path

from assay.api.sides.vector_pairs import Vector, item_names
from assay.comparison.result import ComparisonCaveat
from assay.comparison.sides.path_trials import PathTrials
from assay.errors import SpecError
from assay.logs.columns.cells import is_number, pair_of
from assay.logs.trial_rows import TrialColumns, read_rows
from assay.tables.in_memory.arrays import has_columns, is_listable, listed, shape_of
from assay.tables.in_memory.index import labels_of, level_names
from assay.tables.in_memory.table import table_in_memory

SCORE = "score"
"""The dimension of plain scores, if no other name is given."""
_MISSING = "NAType"
_LONGEST_NAME = 255
_AS_ROWS = (
    'Give both sides as scores; or as rows that name their items: [{"instance": "q1", "score": 1},'
    " ...]."
)


def vector_of(side: object) -> Vector | None:
    """A side as plain scores; None if it is anything else."""
    if isinstance(side, (list, tuple)):
        scores = list(side)
        is_plain = scores and (all(map(_is_score, scores)) or are_words(scores))
        return Vector(scores=scores) if is_plain else None
    if isinstance(side, (Mapping, type)) or has_columns(side) or not is_listable(side):
        return None
    if len(shape_of(side)) > 1 or getattr(getattr(side, "dtype", None), "names", None):
        return None  # a matrix, or rows: a record array of numpy
    made = listed(side)
    if not isinstance(made, list) or not made or isinstance(made[0], (Mapping, list)):
        return None
    labels = labels_of(side)
    return Vector(scores=made, labels=labels, levels=tuple(level_names(side)))


def are_words(texts: Sequence[object]) -> bool:
    """Whether texts are scores, such as pass and fail or 0.5, and none names a file."""
    if not all(isinstance(text, str) and text.strip() for text in texts):
        return False
    if pair_of(texts) is None and not all(map(is_number, texts)):
        return False
    words = {str(text) for text in texts}
    return not any(len(word) <= _LONGEST_NAME and Path(word).exists() for word in words)


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
    items = item_names(vectors, names, columns)
    dimension = _only([*columns.dimensions] or [*planned])
    said = ComparisonCaveat(code="plain-scores", message=items.said)
    return [
        _trials(
            vector,
            name,
            dimension,
            instances=items.instances[number],
            trials=None if items.trials is None else items.trials[number],
            caveat=None if number else said,
        )
        for number, (vector, name) in enumerate(zip(vectors, names, strict=False))
    ]


def _only(names: Sequence[str]) -> str:
    if len(names) > 1:
        raise SpecError(
            f"plain scores are one dimension, but {len(names)} are named: {', '.join(names)[:200]}",
            hint=_AS_ROWS,
        )
    return names[0] if names else SCORE


def _trials(
    vector: Vector,
    name: str,
    dimension: str,
    *,
    instances: Sequence[object],
    trials: Sequence[object] | None,
    caveat: ComparisonCaveat | None,
) -> PathTrials:
    """The scores as the trials of a table."""
    own = TrialColumns(dimensions=(dimension,))
    rows: list[dict[str, object]] = [
        {own.instance: instance, dimension: score}
        for instance, score in zip(instances, vector.scores, strict=True)
    ]
    for row, trial in zip(rows, trials or (), strict=trials is not None):
        row[own.trial] = trial
    table = table_in_memory(rows, name=f"scores of {name}")
    read = read_rows(table, own, planned=(dimension,))
    return PathTrials(
        kind="trials",
        digest=table.digest,
        trials=tuple(trial for trials in read.sides.values() for trial in trials),
        each=(table.digest,),
        place=table.place,
        has_levels=bool(vector.levels),
        scores=read.scores,
        caveats=() if caveat is None else (caveat,),
    )
