"""Columns of scores in view of all sources: what counts in one must mean the same in the others."""

import dataclasses
from collections.abc import Mapping, Sequence

from msgspec import structs

from assay.comparison.sides.path_trials import PathTrials, read_columns
from assay.comparison.sides.side import Side
from assay.errors import SpecError
from assay.logs.columns.number_texts import HOW_TO_WRITE
from assay.logs.columns.score_columns import COUNTER
from assay.wording import as_column


def no_scores(sides: Sequence[Side]) -> dict[str, str]:
    """Columns read as scores in some source that are none in view of all, and why.

    A counter that is known in one file is the same in the others. A word that is the same in every
    row of every side says nothing.
    """
    reads = [read for side in sides for read in side.reads]
    known = [*read_columns(reads, lambda scores: scores.unread).items()]
    found = {name: reason for name, reason in known if reason == COUNTER}
    for name in read_columns(reads, lambda scores: scores.pairs):
        values = {trial.dimensions.get(name) for read in reads for trial in read.trials}
        if len(values - {None}) < 2:
            found[name] = "the same word everywhere"
    return found


def refuse_mixed_forms(reads: Sequence[PathTrials]) -> None:
    """Refuse a column of percentages in one source and of other numbers in another."""
    percent: dict[str, PathTrials] = {}
    for read in reads:
        for name, form in read.scores.forms.items():
            if form.percent:
                percent.setdefault(name, read)
    for name, read in percent.items():
        for other in reads:
            own = other.scores.forms.get(name)
            has_values = any(trial.dimensions.get(name) is not None for trial in other.trials)
            if has_values and (own is None or not own.percent):
                raise SpecError(
                    f"column {as_column(name)} holds percentages in {read.place}, and numbers"
                    f" without a percent sign in {other.place or 'another source'}",
                    hint=HOW_TO_WRITE,
                )


def without(sides: Sequence[Side], unread: Mapping[str, str]) -> list[Side]:
    """The sides without some columns; the reasons are noted where the columns were read."""
    if not any(name in read.scores.names for side in sides for read in side.reads
               for name in unread):  # fmt: skip
        return list(sides)
    return [
        dataclasses.replace(side, reads=tuple(_stripped(read, unread) for read in side.reads))
        for side in sides
    ]


def _stripped(read: PathTrials, unread: Mapping[str, str]) -> PathTrials:
    own = {name: reason for name, reason in unread.items() if name in read.scores.names}
    if not own:
        return read
    names = [name for name in read.scores.names if name not in own]
    if not names:
        raise SpecError(
            f"{read.place}: no column holds numbers that are scores",
            details=[f"{name:.60}: {reason}" for name, reason in own.items()],
            hint="Add a column of scores, such as 0 and 1; or name one: `dimension=COLUMN`.",
        )
    trials = tuple(
        structs.replace(trial, dimensions={name: trial.dimensions.get(name) for name in names})
        for trial in read.trials
    )
    pairs = {name: pair for name, pair in read.scores.pairs.items() if name not in own}
    scores = dataclasses.replace(
        read.scores, names=names, pairs=pairs, unread={**read.scores.unread, **own}
    )
    return dataclasses.replace(read, trials=trials, scores=scores)
