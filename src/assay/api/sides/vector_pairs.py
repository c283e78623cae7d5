"""How sides that are plain scores pair: by position, or by the labels of their indexes.

The rule is that of `confounding.pairing`. What has no index pairs by position. The index of a
Series is never ignored, unless it counts 0 to n - 1 in order beside scores without one. Where every
side has an index, equal labels pair; where one side counts 0 to n - 1 and another has the same
numbers in another order, nothing says whether the labels hold, and the sides are refused.

Of an index with several levels one is the instance, and the others number its trials.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import IncomparableRuns, SpecError
from assay.logs.trial_rows import TrialColumns
from assay.tables.in_memory.index import counts_from_zero
from assay.tables.in_memory.values import label_texts
from assay.wording import some

_INSTANCE, _TRIAL = TrialColumns().instance, TrialColumns().trial
_BY_POSITION = "They pair by position: first with first, second with second."
_BY_INDEX = "They pair by the labels of their index"
_IN_ORDER = "If they are in one order: assay.compare(list(baseline), list(candidate))."


@dataclass(frozen=True, kw_only=True)
class Vector:
    """Scores; with an index, their labels and the names of its levels."""

    scores: list[object]
    labels: list[object] | None = None
    levels: tuple[str | None, ...] = (None,)

    @property
    def texts(self) -> tuple[str, ...]:
        """The labels, to be compared."""
        return label_texts(self.labels or ())


@dataclass(frozen=True, kw_only=True)
class ItemNames:
    """The instance, and the trial if there is one, of each score; `said` is how they pair."""

    instances: list[list[object]]
    trials: list[list[object]] | None
    said: str


def item_names(vectors: Sequence[Vector], names: Sequence[str], columns: TrialColumns) -> ItemNames:
    """The items that the scores of each side are of."""
    names = names[: len(vectors)]
    indexed = [vector for vector in vectors if vector.labels is not None]
    if len(indexed) < len(vectors):
        _check_no_roles(names[0], columns)
        _check_plain(vectors, names)
        _check_lengths(vectors, names)
        numbers = [list[object](range(1, len(vector.scores) + 1)) for vector in vectors]
        return ItemNames(instances=numbers, trials=None, said=_BY_POSITION)
    _check_order(vectors, names)
    roles = [_roles(vector, name, columns) for vector, name in zip(vectors, names, strict=True)]
    instances = [
        [_part(label, role[0]) for label in vector.labels or ()]
        for vector, role in zip(vectors, roles, strict=True)
    ]
    if not any(trial for _, trial in roles):
        return ItemNames(instances=instances, trials=None, said=f"{_BY_INDEX}.")
    trials = [
        [_part(label, role[1]) for label in vector.labels or ()]
        for vector, role in zip(vectors, roles, strict=True)
    ]
    instance, trial = (_named(vectors[0], levels) for levels in roles[0])
    said = f"{_BY_INDEX}: {instance} is the instance, {trial} the trial."
    return ItemNames(instances=instances, trials=trials, said=said)


def _roles(
    vector: Vector, name: str, columns: TrialColumns
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """The levels of an index that name the instance, and those that number its trials."""
    instance = _level(vector, name, columns.instance, _INSTANCE)
    trial = _level(vector, name, columns.trial, _TRIAL)
    every = range(len(vector.levels))
    if instance is None and trial is None:
        return (0,), tuple(every[1:])
    if instance is not None and trial is not None:
        others = [str(vector.levels[n] or n) for n in every if n not in (instance, trial)]
        if others:
            raise SpecError(
                f"{name}: the index has further levels: {some(others)}",
                hint='Choose one value of each: `series.xs("VALUE", level="LEVEL")`.',
            )
    first = tuple(n for n in every if n != trial) if instance is None else (instance,)
    return first, tuple(n for n in every if n not in first)


def _level(vector: Vector, name: str, asked: str, default: str) -> int | None:
    """The place of a level by its name; None if there is none of the default name."""
    if asked in vector.levels:
        return vector.levels.index(asked)
    if asked == default:
        return None
    known = [level or "one without a name" for level in vector.levels]
    raise SpecError(
        f"{name}: no level {asked!r:.60} in the index of its scores; the levels are {some(known)}",
        hint=f"Name a level of the index, or leave `{default}=` out.",
    )


def _part(label: object, levels: Sequence[int]) -> object:
    """The part of a label at some levels."""
    if not isinstance(label, tuple):
        return label if levels else None
    part = tuple(label[level] for level in levels)
    return part[0] if len(part) == 1 else str(part)


def _named(vector: Vector, levels: Sequence[int]) -> str:
    return " and ".join(str(vector.levels[n] or f"level {n + 1}") for n in levels)


def _check_no_roles(name: str, columns: TrialColumns) -> None:
    if (columns.instance, columns.trial) != (_INSTANCE, _TRIAL):
        raise SpecError(
            f"{name} is plain scores, which have no columns",
            hint="Leave out `instance=` and `trial=`.",
        )


def _check_plain(vectors: Sequence[Vector], names: Sequence[str]) -> None:
    """Refuse labels beside a side without any, unless they are no more than positions."""
    for vector, name in zip(vectors, names, strict=True):
        if vector.labels is not None and not counts_from_zero(vector.texts):
            bare = next(n for n, v in zip(names, vectors, strict=True) if v.labels is None)
            raise IncomparableRuns(
                f"{name} has an index, which begins with {_shown(vector)}, and {bare} has none, so"
                " nothing says which scores pair",
                hint=f"{_IN_ORDER} If not, give both an index.",
            )


def _check_lengths(vectors: Sequence[Vector], names: Sequence[str]) -> None:
    first = len(vectors[0].scores)
    for vector, name in zip(vectors, names, strict=True):
        if len(vector.scores) != first:
            raise IncomparableRuns(
                f"{names[0]} has {first:,} scores and {name} has {len(vector.scores):,}, so they do"
                " not pair by position",
                hint="Give a score for each item, in the same order; None where there is none."
                " Series of pandas pair by their index.",
            )


def _check_order(vectors: Sequence[Vector], names: Sequence[str]) -> None:
    """Refuse indexes that count 0 to n - 1 beside others that may be made of the same rows."""
    sides = list(zip(vectors, names, strict=True))
    plain = [side for side in sides if counts_from_zero(side[0].texts)]
    if plain:
        _check_lengths([vector for vector, _ in plain], [name for _, name in plain])
    for vector, name in sides:
        texts = vector.texts
        if not plain or counts_from_zero(texts) or set(texts) != set(plain[0][0].texts):
            continue
        raise IncomparableRuns(
            f"the index of {name} has the same numbers as that of {plain[0][1]} in another order,"
            f" and that of {plain[0][1]} counts 0, 1, 2, ...; either the labels pair them, or rows"
            " were moved and then numbered anew",
            hint="By their labels: assay.compare(baseline, candidate.reindex(baseline.index))."
            f" {_IN_ORDER}",
        )


def _shown(vector: Vector) -> str:
    return ", ".join(f"{text:.40}" for text in vector.texts[:3])
