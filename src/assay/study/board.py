"""The leaderboard: every sealed submission under every version of the bars. It reads no files."""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from assay.benchmark.benchmark import TASKS, Task
from assay.digests import short
from assay.result import Result
from assay.study.records import Unreadable
from assay.study.submissions.submission import Status, Submission, Version

_MOST_SAID = 4


class Cell(msgspec.Struct, frozen=True, kw_only=True):
    """A submission under one version: its verdict, and the bars met at the point estimates.

    `original` marks the version that was sealed with the submission. `why` explains a missing
    verdict: the method failed, or it has not been judged.
    """

    version: str
    original: bool
    verdict: str | None
    passed: int | None
    total: int | None
    values: dict[str, float]
    why: str | None


class BoardRow(msgspec.Struct, frozen=True, kw_only=True):
    """One submission; `because` is the reason of its withdrawal."""

    id: str
    method: str
    status: Status
    witnessed: bool
    cells: tuple[Cell, ...]
    caveats: tuple[str, ...]
    entry: int
    because: str | None = None


class BoardTable(msgspec.Struct, frozen=True, kw_only=True):
    """The submissions of one task, best first under the newest bars."""

    task: Task
    versions: tuple[str, ...]
    rows: tuple[BoardRow, ...]


class Board(Result, frozen=True, kw_only=True):
    """All tables, and how often the benchmark was used: each run reveals a little of it."""

    study: str
    benchmark: str
    digest: str
    sealed: int
    withdrawn: int
    started: int
    finished: int
    tables: tuple[BoardTable, ...]
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def title(self) -> str:
        """Study and benchmark, and how many submissions were sealed, run and left."""
        abandoned = self.started - self.finished
        left = f", {abandoned} started without a result" if abandoned else ""
        left += f", {self.withdrawn} withdrawn" if self.withdrawn else ""
        left += f", {len(self.unreadable)} unreadable" if self.unreadable else ""
        return (
            f"{self.study} on {self.benchmark}@{short(self.digest)}: {self.sealed} sealed,"
            f" {self.finished} run{left}"
        )

    def cells(self) -> "Iterator[tuple[Task, BoardRow, Cell]]":
        """Every submission under every version."""
        for section in self.tables:
            for row in section.rows:
                for cell in row.cells:
                    yield section.task, row, cell

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each submission and version of the bars, every bar's value in a column."""
        return [
            {
                "task": task,
                "submission": row.id,
                "method": row.method,
                "status": row.status.value,
                "witnessed": row.witnessed,
                "bars": cell.version,
                "original": cell.original,
                "verdict": cell.verdict,
                "met": cell.passed,
                "of": cell.total,
                "why": cell.why,
                **cell.values,
            }
            for task, row, cell in self.cells()
        ]

    def lines(self) -> list[str]:
        """Its heading, and the first rows of each task under its newest bars."""
        said = [self.title]
        for section in self.tables:
            for row in section.rows[:_MOST_SAID]:
                cell = row.cells[-1]
                met = "" if cell.passed is None else f" ({cell.passed}/{cell.total})"
                state = f"{(cell.verdict or row.status.value).upper()}{met}"
                said.append(f"{row.id} {row.method:.60}: {state} under {cell.version}")
            more = len(section.rows) - _MOST_SAID
            said += [f"and {more} more in {section.task}"] if more > 0 else []
        return said


def board(
    study: str,
    benchmark: str,
    digest: str,
    submissions: Sequence[Submission],
    versions: Sequence[Version],
    *,
    unreadable: Sequence[Unreadable] = (),
) -> Board:
    """The board of a study; unreadable submissions have no row and are named."""
    tables = []
    for task in TASKS:
        mine = [version.version for version in versions if version.task == task]
        rows = [_row(submission, mine) for submission in submissions if submission.task == task]
        if mine:
            tables.append(
                BoardTable(task=task, versions=tuple(mine), rows=tuple(sorted(rows, key=_rank)))
            )
    return Board(
        study=study,
        benchmark=benchmark,
        digest=digest,
        sealed=len(submissions) + len(unreadable),
        withdrawn=sum(submission.status is Status.WITHDRAWN for submission in submissions),
        started=sum(submission.started_by is not None for submission in submissions),
        finished=sum(submission.status is Status.FINISHED for submission in submissions),
        tables=tuple(tables),
        unreadable=tuple(unreadable),
    )


def _row(submission: Submission, versions: Sequence[str]) -> BoardRow:
    newest = submission.judgements[-1].scorecard if submission.judgements else None
    return BoardRow(
        id=submission.id,
        method=submission.method,
        status=submission.status,
        witnessed=submission.witness is not None,
        cells=tuple(_cell(submission, version) for version in versions),
        caveats=() if newest is None else tuple(caveat.code for caveat in newest.caveats),
        entry=submission.sealed_by,
        because=submission.because,
    )


def _cell(submission: Submission, version: str) -> Cell:
    judgement = submission.under(version)
    card = None if judgement is None else judgement.scorecard
    why = None
    if card is None:
        why = "not judged" if submission.status is Status.FINISHED else submission.status.value
        why = why if judgement is None else judgement.error
    return Cell(
        version=version,
        original=version == submission.original,
        verdict=None if card is None else card.verdict.value,
        passed=None if card is None else card.point.passed,
        total=None if card is None else card.point.total,
        values={} if card is None else {bar.id: bar.value for bar in card.bars},
        why=why,
    )


_ORDER = {"pass": 0, "unresolved": 1, "fail": 2}


def _rank(row: BoardRow) -> tuple[float, ...]:
    """Sort by verdict under the newest bars, bars met, and the first bar's value; then by seal."""
    cell = row.cells[-1]
    if cell.verdict is None:
        return (3, 0, 0.0, row.entry)
    first = next(iter(cell.values.values()), 0.0)
    return (_ORDER[cell.verdict], -(cell.passed or 0), -first, row.entry)
