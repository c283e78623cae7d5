"""Judgements, grades and submissions with made-up figures, for what is drawn from records."""

from assay.caveats import Caveat
from assay.gauntlet.result import BarResult, Judgement, PartResult, PointVerdict, Scorecard, Verdict
from assay.predicted.ranges import RangeGrade
from assay.study.predictions.grade import DirectionGrade, Grade, OutcomeGrade
from assay.study.submissions.submission import Status, Submission, Version


def bar(name, value, *parts, bound=None, threshold=0.5):
    """A bar's result; with `parts` one value a partition, and the bar's is the least of them.

    With a `bound` it is met where the bound reaches the threshold, and else unresolved.
    """
    values = parts or (value,)
    met, missed = Verdict.PASS, Verdict.FAIL if bound is None else Verdict.UNRESOLVED
    bound = value if bound is None else bound
    return BarResult(
        id=name,
        metric="auc",
        partition="all",
        value=value,
        low=bound,
        high=value,
        lower_bound=bound,
        upper_bound=value,
        threshold=threshold,
        point=value >= threshold,
        outcome=met if bound >= threshold else missed,
        parts=tuple(
            PartResult(
                partition=f"class == {index}",
                value=part,
                low=part,
                high=part,
                lower_bound=part,
                upper_bound=part,
                n=100,
                control=None,
                how="made up",
            )
            for index, part in enumerate(values)
        ),
    )


def judged(verdict, *bars, version="v1", passed=None, caveats=(), unscored=0):
    """A judgement with a scorecard."""
    met = sum(one.point for one in bars) if passed is None else passed
    return Judgement(
        bars=version,
        error=None,
        scorecard=Scorecard(
            verdict=Verdict(verdict),
            point=PointVerdict(passed=met, total=len(bars), verdict=Verdict.FAIL),
            bars=bars,
            items=100,
            unscored=unscored,
            records_needed=None,
            sealed=True,
            isolation="process",
            caveats=tuple(Caveat(code=code, message="so") for code in caveats),
            method="m",
            task="detection",
            benchmark="darkcore",
            bars_version=version,
            digests={},
            signature="signed",
        ),
    )


def unjudged(error, *, version="v1"):
    """A judgement without a scorecard."""
    return Judgement(bars=version, scorecard=None, error=error)


def range_grade(where, *, level=0.8, metric="D1"):
    """A range from 0.4 to 0.6, and a value inside it, above it, below it, or none."""
    value = {"inside": 0.5, "above": 0.75, "below": 0.25, None: None}[where]
    score = None if where is None else 0.2 + 2 / (1 - level) * (0 if where == "inside" else 0.15)
    return RangeGrade(
        metric=metric, low=0.4, high=0.6, level=level, value=value, where=where, score=score
    )


def outcome_grade(happened, *, ranked=0.0, log=0.0, expected=None, **probabilities):
    """An outcome that was given these probabilities."""
    return OutcomeGrade(
        probabilities=probabilities,
        happened=happened,
        probability=probabilities[happened],
        expected=expected,
        log_score=log,
        ranked_score=ranked,
    )


def direction_grade(text, held, *, left=0.5, right=0.6):
    """A direction that held, did not, or could not be graded."""
    return DirectionGrade(text=text, left=left, right=right, held=held)


def graded(name, *ranges, outcome=None, directions=(), no_idea=False):
    """A grade."""
    return Grade(
        submission=name,
        bars="v1",
        no_idea=no_idea,
        ranges=tuple(ranges),
        outcome=outcome,
        directions=tuple(directions),
    )


def submission(
    name,
    *judgements,
    grade=None,
    status=Status.FINISHED,
    original="v1",
    sealed_by=1,
    task="detection",
    witness="c0ffee",
    method="m.py:f",
    method_class=None,
    because=None,
):
    """A submission whose entries in the ledger follow its seal."""
    started = status not in (Status.SEALED, Status.WITHDRAWN)
    finished = status is Status.FINISHED
    return Submission(
        id=name,
        method=method,
        task=task,
        status=status,
        seal="sha256:0",
        witness=witness,
        original=original,
        sealed_by=sealed_by,
        started_by=sealed_by + 1 if started else None,
        finished_by=sealed_by + 2 if finished else None,
        graded_by=None if grade is None else sealed_by + 4,
        judgements=judgements,
        grade=grade,
        method_class=method_class,
        because=because,
    )


def version(name, *, task="detection", entry=0, after=None, cheat=None, supersedes=None):
    """A version of the bars."""
    return Version(
        task=task,
        version=name,
        digest="sha256:1",
        entry=entry,
        because=f"{name} because",
        after=after,
        supersedes=supersedes,
        cheat=cheat,
        bars=("D1",),
    )
