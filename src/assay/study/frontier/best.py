"""The best submission of each class of method, from records alone. It reads no files."""

from collections.abc import Iterator, Sequence

from assay.benchmark.benchmark import TASKS, Task
from assay.errors import SpecError
from assay.gauntlet.result import BarResult, Scorecard, Verdict
from assay.method.classes import METHOD_CLASSES
from assay.study.frontier.result import (
    UNCLASSIFIED,
    ClassRow,
    Frontier,
    FrontierTable,
    StoppedBy,
    Unranked,
)
from assay.study.records import Unreadable
from assay.study.submissions.submission import Status, Submission, Version
from assay.wording import did_you_mean

_ORDER = (Verdict.PASS, Verdict.UNRESOLVED, Verdict.FAIL)
_NEVER_STARTED = (Status.SEALED, Status.WITHDRAWN)


def frontier(
    study: str,
    benchmark: str,
    digest: str,
    submissions: Sequence[Submission],
    versions: Sequence[Version],
    *,
    bars: str | None = None,
    unreadable: Sequence[Unreadable] = (),
) -> Frontier:
    """The frontier of a study under the newest bars of each task, or under those named.

    A submission with unscored items has no verdict and no row: it could meet every bar by failing
    on the items that it would get wrong.
    """
    chosen, without = _chosen(versions, bars)
    return Frontier(
        study=study,
        benchmark=benchmark,
        digest=digest,
        tables=tuple(_table(task, version, submissions) for task, version in chosen),
        without=tuple(without),
        unreadable=tuple(unreadable),
    )


def _chosen(
    versions: Sequence[Version], bars: str | None
) -> tuple[list[tuple[Task, str]], list[Task]]:
    """The version for each task of the study, and the tasks that have none of that name."""
    by_task = {
        task: [version.version for version in versions if version.task == task] for task in TASKS
    }
    known = {task: mine for task, mine in by_task.items() if mine}
    asked = ((task, bars or mine[-1], mine) for task, mine in known.items())
    chosen = [(task, version) for task, version, mine in asked if version in mine]
    if bars is not None and not chosen:
        names = list(dict.fromkeys(name for mine in known.values() for name in mine))
        raise SpecError(
            f"the study has no bars {bars!r:.80}",
            hint=did_you_mean(bars, names) or f"It has: {', '.join(names)}.",
        )
    return chosen, [task for task in known if task not in dict(chosen)]


def _table(task: Task, version: str, submissions: Sequence[Submission]) -> FrontierTable:
    mine = [submission for submission in submissions if submission.task == task]
    scored: dict[str, list[tuple[Submission, Scorecard]]] = {}
    unranked = []
    for submission in mine:
        card = _scorecard(submission, version)
        if card is None:
            unranked.append(_unranked(submission, version))
        else:
            scored.setdefault(_class_of(submission), []).append((submission, card))
    started = {_class_of(each) for each in mine if each.status not in _NEVER_STARTED}
    return FrontierTable(
        task=task,
        bars=version,
        rows=tuple(
            _row(name, scored[name]) for name in (*METHOD_CLASSES, UNCLASSIFIED) if name in scored
        ),
        unranked=tuple(unranked),
        not_tried=tuple(name for name in METHOD_CLASSES if name not in started),
    )


def _class_of(submission: Submission) -> str:
    return submission.method_class or UNCLASSIFIED


def _scorecard(submission: Submission, version: str) -> Scorecard | None:
    """The scorecard of a submission; None if it has none, or if items are unscored."""
    judgement = submission.under(version)
    card = None if judgement is None else judgement.scorecard
    return None if card is None or card.unscored else card


def _unranked(submission: Submission, version: str) -> Unranked:
    why = submission.because
    if submission.status is Status.FINISHED:
        judgement = submission.under(version)
        why = f"not judged under {version}" if judgement is None else judgement.error
        if judgement is not None and judgement.scorecard is not None:
            why = judgement.scorecard.meaning
    return Unranked(
        submission=submission.id,
        method_class=_class_of(submission),
        status=submission.status.value,
        why=why,
    )


def _row(name: str, scored: Sequence[tuple[Submission, Scorecard]]) -> ClassRow:
    submission, card = min(scored, key=lambda each: _rank(*each))
    return ClassRow(
        method_class=name,
        scored=len(scored),
        submission=submission.id,
        method=submission.method,
        witnessed=submission.witness is not None,
        verdict=card.verdict.value,
        resolved=_resolved(card),
        passed=card.point.passed,
        total=card.point.total,
        stopped_by=max(_stops(card), key=_distance, default=None),
        caveats=tuple(caveat.code for caveat in card.caveats),
    )


def _rank(submission: Submission, card: Scorecard) -> tuple[int, int, int, float, str]:
    """Sort by verdict, bars met as resolved, bars met at the point, shortfall, id."""
    worst = max((stop.shortfall for stop in _stops(card)), default=None)
    if worst is None:
        worst = max((bar.threshold - bar.value for bar in card.bars), default=0.0)
    order = _ORDER.index(card.verdict)
    return order, -_resolved(card), -card.point.passed, worst, submission.id


def _resolved(card: Scorecard) -> int:
    return sum(bar.outcome is Verdict.PASS for bar in card.bars)


def _stops(card: Scorecard) -> Iterator[StoppedBy]:
    """The bars that are not shown to be met."""
    return (_stop(bar) for bar in card.bars if bar.outcome is not Verdict.PASS)


def _distance(stop: StoppedBy) -> tuple[float, float]:
    return stop.shortfall, stop.shortfall_at_bound


def _stop(bar: BarResult) -> StoppedBy:
    return StoppedBy(
        bar=bar.id,
        metric=bar.metric,
        partition=bar.partition,
        value=bar.value,
        low=bar.low,
        high=bar.high,
        lower_bound=bar.lower_bound,
        threshold=bar.threshold,
        shortfall=bar.threshold - bar.value,
        shortfall_at_bound=bar.threshold - bar.lower_bound,
    )
