"""The content of a harness's log: runs, their samples, and reported means."""

from collections.abc import Mapping
from functools import cached_property
from itertools import chain
from typing import Literal

import msgspec

from assay.logs.log_file import LogFile

Over = Literal["items", "rows"]
NOT_COMPUTED = "not computed again: "
"""How the note of a run begins that names the reported metrics which its rows do not give."""


class Sample(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One answer to one instance, and its score under each metric; None if it has no score.

    `trial` distinguishes epochs or repeats of an instance. `failed` means that the system under
    test failed, or all its scorers; its scores are then only the harness's default. If one of
    several scorers failed, its score is None. `costs` are tokens and seconds. `question`,
    `response` and `target` are set if texts were requested.
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


class ReportedInterval(msgspec.Struct, frozen=True, kw_only=True):
    """An interval that the harness reports of a mean; its level, if the log states it."""

    low: float
    high: float
    level: float | None = None


class ReportedMean(msgspec.Struct, frozen=True, kw_only=True):
    """A mean that the harness reports, and what it is over.

    Over `rows` every scored sample counts equally; over `items` the samples of an instance are
    averaged first. `shown` is the harness's own name of the mean, if it has another than the
    metric: inspect_ai shows `accuracy` of the scorer `match`. `errors` are the standard errors that
    it reports of the mean, by its own names (`acc_stderr,none`), and `interval` its interval.
    """

    metric: str
    value: float
    over: Over
    shown: str | None = None
    errors: Mapping[str, float] = {}
    interval: ReportedInterval | None = None


class ReportedValue(msgspec.Struct, frozen=True, kw_only=True):
    """A value that the harness reports and that its rows do not give, by the harness's own name.

    Such are metrics of a whole corpus (`mcc,none`, perplexities) and means of groups of tasks.
    """

    task: str
    name: str
    value: float
    errors: Mapping[str, float] = {}


class LogRun(msgspec.Struct, frozen=True, kw_only=True, dict=True):
    """One run of one task: model and harness, samples, and reported means.

    `settings` are the other inputs of the result (prompt, parameters, versions), by name; `scorer`
    is a fingerprint of the scorer. `planned` is the expected number of rows, if the log states it:
    a harness may leave no trace of a failed sample. An unfinished run has no means. `reported` are
    values that cannot be computed again. `lower` are the metrics for which the harness says that
    less is better.
    """

    harness: str
    version: str | None = None
    task: str
    model: str | None = None
    settings: Mapping[str, str] = {}
    scorer: str | None = None
    samples: tuple[Sample, ...]
    means: tuple[ReportedMean, ...] = ()
    reported: tuple[ReportedValue, ...] = ()
    lower: frozenset[str] = frozenset()
    planned: int | None = None
    finished: bool = True
    place: str
    files: tuple[LogFile, ...]
    notes: tuple[str, ...] = ()

    @cached_property
    def metrics(self) -> list[str]:
        """Every metric with a score, in order of first appearance."""
        scores = [sample.scores for sample in self.samples]
        names = dict.fromkeys(chain.from_iterable(scores))
        return [name for name in names if any(own.get(name) is not None for own in scores)]

    @property
    def not_computed(self) -> list[str]:
        """The names of reported metrics that cannot be computed again."""
        told = [note for note in self.notes if note.startswith(NOT_COMPUTED)]
        return [name for note in told for name in note.removeprefix(NOT_COMPUTED).split(", ")]

    @property
    def failed(self) -> int:
        """The number of samples that failed or are missing."""
        gone = max((self.planned or 0) - len(self.samples), 0) if self.finished else 0
        return sum(sample.failed for sample in self.samples) + gone
