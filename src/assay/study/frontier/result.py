"""The frontier as a record: a row for each class of method, and what no row shows."""

from typing import Any

import msgspec
from msgspec.structs import astuple

from assay.benchmark.benchmark import Task
from assay.digests import short
from assay.result import Result
from assay.study.records import Unreadable
from assay.wording import interval, number

UNCLASSIFIED = "unclassified"
"""The row of submissions that state no class and whose reference tells none."""
_MOST_ROWS, _MOST_ROWS_OF_SEVERAL = 10, 4
"""The most rows of a printed table, alone and beside others; `to_rows` has all."""


class StoppedBy(msgspec.Struct, frozen=True, kw_only=True):
    """The bar that stops a submission: of those it is not shown to meet, the one furthest away.

    Both shortfalls are the threshold minus a figure, in the unit of the bar: of the estimate, and
    of the one-sided 95 % lower bound, which must reach the threshold. A shortfall under 0 is none.
    """

    bar: str
    metric: str
    partition: str
    value: float
    low: float
    high: float
    lower_bound: float
    threshold: float
    shortfall: float
    shortfall_at_bound: float

    @property
    def text(self) -> str:
        """The bar, the estimate against the threshold, and both shortfalls."""
        figure = f"{self.bar} {number(self.value)} {interval(self.low, self.high)}"
        over = self.shortfall <= 0
        point = "met" if over else f"short by {number(self.shortfall)}"
        bound = f"{'short by ' if over else ''}{number(self.shortfall_at_bound)}"
        if self.shortfall_at_bound <= 0:
            bound = "met, but these records cannot show it"
        return f"{figure}, needs {number(self.threshold)}: {point}, at the bound {bound}"


class ClassRow(msgspec.Struct, frozen=True, kw_only=True):
    """The best submission of a class, out of `scored`.

    `resolved` are the bars that it is shown to meet, `passed` those met at the point estimates;
    `stopped_by` is None if all are shown to be met.
    """

    method_class: str
    scored: int
    submission: str
    method: str
    witnessed: bool
    verdict: str
    resolved: int
    passed: int
    total: int
    stopped_by: StoppedBy | None
    caveats: tuple[str, ...]

    @property
    def shown(self) -> str:
        """The verdict, and the bars met at the point estimates."""
        return f"{self.verdict.upper()} ({self.passed}/{self.total})"

    @property
    def obstacle(self) -> str:
        """What stops it, in words."""
        if self.stopped_by is not None:
            return self.stopped_by.text
        return "nothing: it meets every bar" if self.verdict == "pass" else "-"


class Unranked(msgspec.Struct, frozen=True, kw_only=True):
    """A submission that no row can show, and why: withdrawn, lost, never run or unscored."""

    submission: str
    method_class: str
    status: str
    why: str | None


class FrontierTable(msgspec.Struct, frozen=True, kw_only=True):
    """The classes of one task under one version of its bars.

    `not_tried` are the classes of which no submission was ever started.
    """

    task: Task
    bars: str
    rows: tuple[ClassRow, ...]
    unranked: tuple[Unranked, ...]
    not_tried: tuple[str, ...]

    @property
    def untried(self) -> list[str]:
        """A line that names the classes that were not tried, if there are any."""
        return [f"not tried: {', '.join(self.not_tried)}"] if self.not_tried else []

    @property
    def left_out(self) -> list[str]:
        """The unranked submissions, counted and named, a text for each kind."""
        kinds: dict[str, list[str]] = {}
        for each in self.unranked:
            why = "" if each.why is None else f": {each.why}"
            named = f"{each.submission} ({each.method_class}{why})"
            kinds.setdefault(_KINDS.get(each.status, each.status), []).append(named)
        return [f"{len(named):,} {kind}: {'; '.join(named)}" for kind, named in kinds.items()]

    @property
    def heading(self) -> str:
        """The task, and the bars."""
        return f"{self.task}, bars {self.bars}"

    def lines(self, most: int) -> list[str]:
        """Its heading, its first rows, and what no row shows."""
        said = [
            f"{row.method_class}: {row.submission} {row.method:.60} {row.shown}, stopped by"
            f" {row.obstacle}"
            for row in self.rows[:most]
        ]
        if len(self.rows) > most:
            said.append(f"and {len(self.rows) - most} more in {self.task}")
        said += self.untried
        if self.left_out:
            said.append("; ".join(self.left_out))
        return [self.heading, *said]


_KINDS = {
    "sealed": "never run",
    "started, no result": "started without a result",
    "finished": "without a verdict",
}


class Frontier(Result, frozen=True, kw_only=True):
    """For each class of method the best submission of a study, and the bar that stops it.

    Best is the better verdict (pass, unresolved, fail), then more bars shown to be met, then more
    met at the point estimates, then the smaller shortfall of the bar that stops it, then the id.
    `without` are the tasks that have no bars of the version that was asked for.
    """

    study: str
    benchmark: str
    digest: str
    tables: tuple[FrontierTable, ...]
    without: tuple[Task, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def title(self) -> str:
        """Study and benchmark."""
        where = f"{self.benchmark}@{short(self.digest)}"
        return f"{self.study} on {where}: the best submission of each class of method"

    @property
    def lacking(self) -> list[str]:
        """A line for each task that is not shown."""
        return [f"not shown: {task}, which has no bars of that version" for task in self.without]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each class that has a scored submission."""
        return [
            dict(zip(COLUMNS, _values(section, row), strict=True))
            for section in self.tables
            for row in section.rows
        ]

    def lines(self) -> list[str]:
        """Its heading, then for each task its first classes, and what no row shows."""
        most = _MOST_ROWS if len(self.tables) == 1 else _MOST_ROWS_OF_SEVERAL
        said = [line for section in self.tables for line in section.lines(most)]
        if self.unreadable:
            names = ", ".join(each.submission for each in self.unreadable)
            said.append(f"not shown, unreadable: {names}")
        return [self.title, *said, *self.lacking]


COLUMNS = (
    *("task", "bars", "method_class", "scored", "submission", "method", "witnessed", "verdict"),
    *("resolved", "met", "of", "stopped_by", *StoppedBy.__struct_fields__[1:]),
)
"""The columns of `to_rows`."""


def _values(section: FrontierTable, row: ClassRow) -> tuple[object, ...]:
    stop = row.stopped_by
    best = (row.method_class, row.scored, row.submission, row.method, row.witnessed, row.verdict)
    bars = (row.resolved, row.passed, row.total)
    figures = (None,) * len(StoppedBy.__struct_fields__)
    return section.task, section.bars, *best, *bars, *(figures if stop is None else astuple(stop))
