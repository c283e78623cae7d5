"""How good the predictions of a study are: coverage, reliability, and lessons in words.

Ranges that were stated at 80 % should hold four times in five. The ranges of one submission are
about the same run, so they are not independent, and the interval of a coverage is taken over
submissions. Outcome probabilities are read as a reliability curve: of all outcomes given about 30
%, three in ten should have happened.

A lesson about ranges needs evidence: a perfectly calibrated author gets a wrong lesson in one study
of twenty, however many levels are used (Bonferroni). The side of the misses is named only once the
ranges are shown to be too narrow. Of few misses most lie on one side by chance: of four it is three
or more in five cases of eight.

Submissions of one study may err together: by one shift that all share, from one to the next, or in
families of methods. One shared shift puts the misses on one side, so "too narrow" needs more misses
on *either* side than the level allows; if they are on one side, the lesson says that instead.
Ranges that hold do not rule out a shared error: it may have been small this time. So hits are also
taken to be somewhat correlated, and more for "wider than need be" than for "too narrow". The
resulting error rates are in docs/explanation/error-rates.md.
"""

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from assay.predicted.ranges import RangeGrade
from assay.result import Result
from assay.stats.proportions import ShareFit, accuracy
from assay.study.predictions.grade import Grade, OutcomeGrade, ranked_score
from assay.study.records import Unreadable
from assay.study.submissions.submission import Submission
from assay.wording import counted, percent

UNGRADED = "No prediction has been graded yet."
BINS = (0.0, 0.1, 0.3, 0.5, 0.7, 0.9, 1.0)
_LEVEL = 0.95
_TELLING = 3  # so many misses on one side, and no fewer, are worth a sentence
_LOPSIDED = 0.75
_BELIEVABLE = 5
_SHARED_IF_NARROW = 0.02  # correlation between the hits of any two submissions
_SHARED_IF_WIDE = 0.05


_Ranges = Sequence[tuple[str, RangeGrade]]


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How many of the ranges stated at one level hold; low and high are the 95 % interval."""

    level: float
    inside: int
    total: int
    submissions: int
    value: float
    low: float
    high: float


class Bin(msgspec.Struct, frozen=True, kw_only=True):
    """Outcomes with similar stated probabilities: their mean, and how many happened."""

    at_least: float
    below: float
    stated: float
    happened: int
    total: int
    value: float
    low: float
    high: float


class Counts(msgspec.Struct, frozen=True, kw_only=True):
    """One submission, counted as in the source system: ranges inside, band, directions."""

    submission: str
    no_idea: bool
    inside: int
    ranges: int
    outcome: str | None
    probability: float | None
    expected: bool | None
    directions_held: int
    directions: int


class Calibration(Result, frozen=True, kw_only=True):
    """The predictions of a study against the outcomes. Scores are means; lower is better.

    `interval_score` is of the ranges; `log_score` and `ranked_score` are of the outcomes, each
    beside the score of equal probabilities. `log_score` leaves out `impossible` outcomes: those
    that happened despite a stated probability of 0.
    """

    submissions: tuple[Counts, ...]
    coverage: tuple[Coverage, ...]
    reliability: tuple[Bin, ...]
    above: int
    below: int
    interval_score: float | None
    log_score: float | None
    log_score_of_no_idea: float | None
    impossible: int
    ranked_score: float | None
    ranked_score_of_no_idea: float | None
    lessons: tuple[str, ...]
    unreadable: tuple[Unreadable, ...] = ()

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each submission."""
        rows: list[dict[str, Any]] = msgspec.to_builtins(self.submissions)
        return rows

    def lines(self) -> list[str]:
        """The lessons, and how many ranges hold at each level."""
        if not self.submissions:
            return [UNGRADED]
        said = [
            f"{each.inside} of {each.total} ranges stated at {percent(each.level)} hold"
            f" [{each.low:.2f}, {each.high:.2f}]"
            for each in self.coverage[:4]
        ]
        graded = f"{counted(len(self.submissions), 'submission')} graded"
        return [*(self.lessons or (f"{graded}: no lesson is shown yet.",)), *said]


def calibrate(
    submissions: Sequence[Submission], *, unreadable: Sequence[Unreadable] = ()
) -> Calibration:
    """The calibration of every graded prediction."""
    grades = [each.grade for each in submissions if each.grade is not None]
    ranges = [
        (grade.submission, graded)
        for grade in grades
        for graded in grade.ranges
        if graded.where is not None
    ]
    outcomes = [
        (grade.submission, grade.outcome)
        for grade in grades
        if grade.outcome is not None and not grade.no_idea
    ]
    logs = [
        (outcome.log_score, math.log(len(outcome.probabilities)))
        for _, outcome in outcomes
        if outcome.log_score is not None
    ]
    made = Calibration(
        submissions=tuple(map(_counts, grades)),
        coverage=tuple(_coverage(ranges)),
        reliability=tuple(_reliability(outcomes)),
        above=sum(graded.where == "above" for _, graded in ranges),
        below=sum(graded.where == "below" for _, graded in ranges),
        interval_score=_mean([graded.score for _, graded in ranges if graded.score is not None]),
        log_score=_mean([mine for mine, _ in logs]),
        log_score_of_no_idea=_mean([even for _, even in logs]),
        impossible=len(outcomes) - len(logs),
        ranked_score=_mean([outcome.ranked_score for _, outcome in outcomes]),
        ranked_score_of_no_idea=_mean([_even_score(outcome) for _, outcome in outcomes]),
        lessons=(),
        unreadable=tuple(unreadable),
    )
    lessons = (*_range_lessons(made, ranges), *_other_lessons(made))
    return msgspec.structs.replace(made, lessons=lessons)


def _coverage(ranges: _Ranges) -> Iterator[Coverage]:
    for level in sorted({graded.level for _, graded in ranges}):
        fit = _held(ranges, level)
        estimate = fit.estimate(level=_LEVEL)
        yield Coverage(
            level=level,
            inside=fit.hits,
            total=fit.counted,
            submissions=len({name for name, graded in ranges if graded.level == level}),
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
        )


def _held(ranges: _Ranges, level: float) -> ShareFit:
    """How many of the ranges of a level hold, clustered by submission."""
    chosen = [(name, graded) for name, graded in ranges if graded.level == level]
    hits = [graded.where == "inside" for _, graded in chosen]
    return accuracy(hits, groups=[name for name, _ in chosen])


def _reliability(outcomes: Sequence[tuple[str, OutcomeGrade]]) -> Iterator[Bin]:
    stated = [
        (name, share, outcome == graded.happened)
        for name, graded in outcomes
        for outcome, share in graded.probabilities.items()
    ]
    for at_least, below in pairwise(BINS):
        last = below == BINS[-1]
        chosen = [row for row in stated if at_least <= row[1] < below or (last and row[1] == below)]
        if not chosen:
            continue
        hits = [hit for _, _, hit in chosen]
        estimate = accuracy(hits, groups=[name for name, _, _ in chosen]).estimate(level=_LEVEL)
        yield Bin(
            at_least=at_least,
            below=below,
            stated=sum(share for _, share, _ in chosen) / len(chosen),
            happened=sum(hits),
            total=len(hits),
            value=estimate.value,
            low=estimate.low,
            high=estimate.high,
        )


def _counts(grade: Grade) -> Counts:
    wheres = [graded.where for graded in grade.ranges if graded.where is not None]
    directions = [direction.held for direction in grade.directions if direction.held is not None]
    outcome = grade.outcome
    return Counts(
        submission=grade.submission,
        no_idea=grade.no_idea,
        inside=wheres.count("inside"),
        ranges=len(wheres),
        outcome=None if outcome is None else outcome.happened,
        probability=None if outcome is None else outcome.probability,
        expected=None
        if outcome is None or outcome.expected is None
        else outcome.happened == outcome.expected,
        directions_held=sum(directions),
        directions=len(directions),
    )


def _even_score(outcome: OutcomeGrade) -> float:
    """The ranked score of equal probabilities."""
    names = list(outcome.probabilities)
    return ranked_score(dict.fromkeys(names, 1.0 / len(names)), outcome.happened)


def _range_lessons(made: Calibration, ranges: _Ranges) -> Iterator[str]:
    """What the data show about ranges at corrected levels, with 95 % intervals."""
    judged = [coverage for coverage in made.coverage if coverage.submissions >= _BELIEVABLE]
    sure = 1.0 - (1.0 - _LEVEL) / max(len(judged), 1)
    narrow = False
    for shown in judged:
        fit = _held(ranges, shown.level)
        hold = f"{shown.inside} of {shown.total} ranges stated at {percent(shown.level)} hold"
        hold += f" ({percent(shown.low)} to {percent(shown.high)})"
        if fit.sharing(_SHARED_IF_NARROW).interval(level=sure)[1] < shown.level:
            wheres = [graded.where for _, graded in ranges if graded.level == shown.level]
            above, below = wheres.count("above"), wheres.count("below")
            allowed = shown.total * (1.0 - shown.level) / 2.0
            if min(above, below) > allowed + 1e-9:
                narrow = True
                yield f"Ranges too narrow: {hold}."
            else:
                side = "above" if above > below else "below"
                yield (
                    f"Misses on one side: {hold}, and {max(above, below)} of {above + below} misses"
                    f" are {side}. One error that all submissions share would do that."
                )
        elif fit.sharing(_SHARED_IF_WIDE).interval(level=sure)[0] > shown.level:
            yield f"Ranges wider than need be: {hold}."
    misses = made.above + made.below
    for side, count, end in (("above", made.above, "upper"), ("below", made.below, "lower")):
        if narrow and count >= _TELLING and count >= _LOPSIDED * misses:
            yield f"Ranges too narrow on the {end} side: {count} of {misses} misses are {side}."
    most = max((coverage.submissions for coverage in made.coverage), default=0)
    if 0 < most < _BELIEVABLE:
        yield (
            f"Too few submissions to judge the ranges by: {most}, and {_BELIEVABLE} say little yet."
        )


def _other_lessons(made: Calibration) -> Iterator[str]:
    if made.impossible:
        times = "once" if made.impossible == 1 else f"{made.impossible} times"
        yield f"What had been called impossible happened {times}: leave room for it."
    mine, theirs = made.ranked_score, made.ranked_score_of_no_idea
    outcomes = sum(row.outcome is not None and not row.no_idea for row in made.submissions)
    if outcomes >= _BELIEVABLE and mine is not None and theirs is not None and mine > theirs:
        yield (
            "Outcome probabilities did worse than having no idea"
            f" (ranked score {mine:.3f} against {theirs:.3f}; less is better)."
        )
    held = sum(row.directions_held for row in made.submissions)
    directions = sum(row.directions for row in made.submissions)
    if directions >= _TELLING and held < directions / 2:
        yield f"Directions are the weak point: {held} of {directions} held."


def _mean(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
