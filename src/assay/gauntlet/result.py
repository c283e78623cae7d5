"""A scorecard: what a run is worth under one version of the bars."""

from collections.abc import Mapping
from enum import StrEnum

import msgspec

from assay.benchmark.benchmark import Task
from assay.caveats import Caveat


class Verdict(StrEnum):
    """What the evidence allows; never a bare yes or no.

    PASS: every bar's one-sided 95 % lower bound is at or over its threshold. FAIL: some bar's
    upper bound is under it, with Holm's correction over the bars. UNRESOLVED: neither.
    """

    PASS = "pass"  # noqa: S105 - a verdict, not a password
    FAIL = "fail"
    UNRESOLVED = "unresolved"

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self is Verdict.PASS


class PartResult(msgspec.Struct, frozen=True, kw_only=True):
    """A bar on one partition. `low` and `high` are the two-sided 95 % interval.

    `lower_bound` and `upper_bound` decide: one-sided at 95 % for a pass, and at the level of the
    last step of Holm's procedure for a fail. `control` is the AUC that was taken off.
    """

    partition: str
    value: float
    low: float
    high: float
    lower_bound: float
    upper_bound: float
    n: int
    control: float | None
    how: str


class BarResult(msgspec.Struct, frozen=True, kw_only=True):
    """A bar judged. Over several partitions each figure is the least of its parts'."""

    id: str
    metric: str
    partition: str
    value: float
    low: float
    high: float
    lower_bound: float
    upper_bound: float
    threshold: float
    point: bool
    outcome: Verdict
    parts: tuple[PartResult, ...]


class PointVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict at the point estimates, which is all that the source system published."""

    passed: int
    total: int
    verdict: Verdict


class Scorecard(msgspec.Struct, frozen=True, kw_only=True):
    """A run on its data under one version of the bars, and nothing else.

    `digests` are the whole ones, of which the signature shows the beginnings. `records_needed` is
    how many records like these would settle an unresolved verdict with 80 % probability if the
    point estimates are right; None where none would, or nothing is open, or there are too few to
    forecast from.
    """

    verdict: Verdict
    point: PointVerdict
    bars: tuple[BarResult, ...]
    items: int
    unscored: int
    records_needed: int | None
    sealed: bool
    isolation: str
    caveats: tuple[Caveat, ...]
    method: str
    task: Task
    benchmark: str
    bars_version: str
    digests: Mapping[str, str | None]
    signature: str

    def __str__(self) -> str:
        bars = ", ".join(f"{bar.id} {bar.value:.3f} {bar.outcome.value}" for bar in self.bars)
        return f"{self.verdict.upper()}: {bars} · {self.signature}"


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A scorecard under one version of the bars, or why there can be none."""

    bars: str
    scorecard: Scorecard | None
    error: str | None
