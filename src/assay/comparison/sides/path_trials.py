"""The trials of one path and one task, as they were read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from assay.comparison.result import ComparisonCaveat
from assay.logs.columns.score_columns import ScoreColumns
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class PathTrials:
    """Trials of one path and one task, their kind and digest, and a digest for each run.

    `side` is the value of the column that tells sides apart. `implied` are the trials that only
    their folders name. `source` says that they have the dimensions of `eval.json`. Of the metrics
    in `lower` less is better. `described` says what a log at `place` holds. `columns` and `where`
    are how rows were read, `scores` which of their columns are scores, `splitting` the columns of
    rows of one side that could tell sides apart. `has_levels` says that an index has levels, which
    `instance` and `trial` may name.
    """

    kind: str
    digest: str
    trials: tuple[Trial, ...]
    each: tuple[str, ...] = ()
    source: bool = False
    side: str | None = None
    task: str | None = None
    implied: frozenset[int] = frozenset()
    lower: frozenset[str] = frozenset()
    described: str | None = None
    place: str = ""
    caveats: tuple[ComparisonCaveat, ...] = ()
    columns: TrialColumns | None = None
    has_levels: bool = False
    where: str | None = None
    scores: ScoreColumns = field(default_factory=ScoreColumns)
    splitting: Mapping[str, frozenset[str]] = field(default_factory=dict)


def read_columns(
    reads: Sequence[PathTrials], part: Callable[[ScoreColumns], Mapping[str, T]]
) -> dict[str, T]:
    """A part of how columns were read, over all sources."""
    return {name: value for read in reads for name, value in part(read.scores).items()}
