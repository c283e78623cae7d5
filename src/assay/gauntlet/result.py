"""A scorecard: a run judged under one version of the bars."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any

import msgspec

from assay.benchmark.benchmark import Task
from assay.caveats import Caveat, caveat_lines
from assay.result import Result
from assay.wording import counted, interval

_MOST_BARS = 5
"""The most bars that a printed scorecard shows; its rows have all."""


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
    last step of Holm's procedure for a fail. `control` is the AUC that was subtracted.
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
    """A judged bar. Over several partitions, each figure is the least of its parts'."""

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


class Scorecard(Result, frozen=True, kw_only=True):
    """A run on its data, judged under one version of the bars.

    `digests` are complete; the signature shows their beginnings. `records_needed` is how many
    records like these would settle an unresolved verdict with 80 % probability if the point
    estimates are right. It is None if no number would, if nothing is open, or if there are too few
    records to forecast.

    Example:
        >>> import assay
        >>> card = assay.try_method("oracle:word_length", "darkcore", bars="v1")
        >>> card.verdict.value, card.point.passed
        ('pass', 2)
        >>> [(row["bar"], row["outcome"]) for row in card.to_rows()]
        [('D1', 'pass'), ('D2', 'pass')]
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

    @property
    def meaning(self) -> str:
        """The verdict in words, and how many records would settle an open one."""
        if self.unscored:
            are = "is" if self.unscored == 1 else "are"
            of = f"{self.unscored:,} of {counted(self.items, 'item')}"
            return f"{of} {are} unscored, so there is no verdict"
        meaning = _MEANING[self.verdict]
        if self.records_needed is not None:
            meaning += f"; about {self.records_needed:,} like these would"
        return meaning

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each bar."""
        return [
            {
                "bar": bar.id,
                "metric": bar.metric,
                "partition": bar.partition,
                "value": bar.value,
                "low": bar.low,
                "high": bar.high,
                "lower_bound": bar.lower_bound,
                "threshold": bar.threshold,
                "outcome": bar.outcome.value,
            }
            for bar in self.bars
        ]

    def lines(self) -> list[str]:
        """The verdict and what it means, the first bars, the point verdict."""
        what = f"{self.method:.60} on {self.benchmark:.60}, {self.task} bars {self.bars_version}"
        said = [
            f"{bar.id} {_measured(bar.metric)} {bar.value:.3f} {interval(bar.low, bar.high)}, at"
            f" least {bar.threshold:.2f}: {bar.outcome.value}"
            for bar in self.bars[:_MOST_BARS]
        ]
        if len(self.bars) > _MOST_BARS:
            said.append(f"and {counted(len(self.bars) - _MOST_BARS, 'more bar')}")
        met = f"{self.point.passed}/{self.point.total} bars at the point estimates"
        point = f"point verdict {self.point.verdict.upper()}: {met}"
        about = caveat_lines(self.caveats)
        verdict = f"{self.verdict.upper()}: {self.meaning}"
        return [verdict, what, *said, point, *about, self.signature]


def _measured(metric: str) -> str:
    """A metric as people read it: `auc - word_length` is the AUC over word_length."""
    return metric.replace("auc", "AUC").replace(" - ", " over ").replace("f1", "F1")


_MEANING = {
    Verdict.PASS: "every bar's lower bound (95 %, one-sided) reaches its threshold",
    Verdict.FAIL: "a bar is shown to be missed",
    Verdict.UNRESOLVED: "the records cannot tell",
}


class Judgement(msgspec.Struct, frozen=True, kw_only=True):
    """A scorecard under one version of the bars, or why there is none."""

    bars: str
    scorecard: Scorecard | None
    error: str | None
