"""What a log of an evaluation harness holds: runs, their samples, and the means it reports."""

from collections.abc import Mapping
from itertools import chain
from typing import Literal

import msgspec

from assay.logs.log_file import LogFile

Over = Literal["items", "rows"]


class Sample(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One answer to one instance, and its score under each metric; None where it has none.

    `trial` tells epochs or repeats of an instance apart. `failed` says that the system under test
    broke, or all that was to score it; its scores are then only what the harness made of that. A
    scorer that broke beside others leaves its own score None. `costs` are tokens
    and seconds. `question`, `response` and `target` are there where texts were asked for.
    """

    instance: str
    trial: str | None = None
    scores: Mapping[str, float | None]
    failed: bool = False
    costs: Mapping[str, float] = {}
    question: str | None = None
    response: str | None = None
    target: str | None = None
    group: str | None = None


class ReportedMean(msgspec.Struct, frozen=True, kw_only=True):
    """A mean that the harness reports, and what it is the mean over.

    Over `rows` every scored sample counts alike; over `items` the samples of an instance are
    averaged first.
    """

    metric: str
    value: float
    over: Over


class LogRun(msgspec.Struct, frozen=True, kw_only=True):
    """One run of one task: who made it, its samples, and what the harness says of them.

    `settings` are what else the result depends on (prompt, parameters, versions), by name; `scorer`
    is the fingerprint of what scored it. `planned` is how many rows there should be, where the log
    says so: a harness may leave no trace of a failed sample. An unfinished run has no means.
    `lower` are the metrics of which the harness says that less is better.
    """

    harness: str
    version: str | None = None
    task: str
    model: str | None = None
    settings: Mapping[str, str] = {}
    scorer: str | None = None
    samples: tuple[Sample, ...]
    means: tuple[ReportedMean, ...] = ()
    lower: frozenset[str] = frozenset()
    planned: int | None = None
    finished: bool = True
    place: str
    files: tuple[LogFile, ...]
    notes: tuple[str, ...] = ()

    @property
    def metrics(self) -> list[str]:
        """Every metric under which some sample has a score, in the order in which they come."""
        scores = [sample.scores for sample in self.samples]
        names = dict.fromkeys(chain.from_iterable(scores))
        return [name for name in names if any(own.get(name) is not None for own in scores)]

    @property
    def failed(self) -> int:
        """How many samples failed, or are missing without a trace."""
        gone = max((self.planned or 0) - len(self.samples), 0) if self.finished else 0
        return sum(sample.failed for sample in self.samples) + gone
