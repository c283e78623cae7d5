"""Predictions that did not hold, and the revisions that followed.

Bars are a prediction too: that only deserving methods meet them. A revision names the method that
disproved it.
"""

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from assay.result import Result
from assay.study.predictions.grade import Grade
from assay.study.submissions.submission import Submission, Version
from assay.wording import counted, percent


class Revised(msgspec.Struct, frozen=True, kw_only=True):
    """A version of the bars that a submission led to, and its entry."""

    version: str
    because: str
    entry: int


class Falsified(Result, frozen=True, kw_only=True):
    """One commitment that did not hold: the prediction, the outcome, and the revision."""

    number: int
    submission: str
    kind: str
    predicted: str
    came: str
    graded_by: int | None
    revised: tuple[Revised, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """One row."""
        row = self.to_dict()
        return [row | {"revised": ", ".join(version.version for version in self.revised) or None}]

    def lines(self) -> list[str]:
        """The prediction, the outcome, and the revision."""
        revised = ", ".join(f"{each.version} (entry {each.entry})" for each in self.revised)
        said = f"{self.submission}, {self.kind}: {self.predicted}; came: {self.came}"
        return [said, *([f"revised: {revised}"] if revised else [])]


NOTHING_FALSIFIED = "Nothing that was predicted has turned out otherwise yet."


class AllFalsified(Result, frozen=True, kw_only=True):
    """Every commitment of a study that did not hold."""

    entries: tuple[Falsified, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each commitment."""
        return [row for entry in self.entries for row in entry.to_rows()]

    def lines(self) -> list[str]:
        """How many did not hold, and the first of them."""
        if not self.entries:
            return [NOTHING_FALSIFIED]
        return [
            f"{counted(len(self.entries), 'commitment')} did not hold",
            *(entry.lines()[0] for entry in self.entries[:_MOST_SAID]),
        ]


_MOST_SAID = 6


def falsified(
    submissions: Sequence[Submission], versions: Sequence[Version]
) -> tuple[Falsified, ...]:
    """Every commitment that did not hold, in the order in which it was sealed."""
    misses: list[Falsified] = []
    for submission in sorted(submissions, key=lambda submission: submission.sealed_by):
        if submission.grade is None:
            continue
        revised = tuple(
            _revised(version)
            for version in versions
            if version.after == submission.id and version.task == submission.task
        )
        for kind, predicted, came in _missed(submission.grade):
            misses.append(
                Falsified(
                    number=len(misses) + 1,
                    submission=submission.id,
                    kind=kind,
                    predicted=predicted,
                    came=came,
                    graded_by=submission.graded_by,
                    revised=revised,
                )
            )
    for version in versions:
        if version.cheat is not None:
            misses.append(
                Falsified(
                    number=len(misses) + 1,
                    submission=version.after or "-",
                    kind="bars",
                    predicted=f"{version.task} bars {version.supersedes} are enough",
                    came=f"{version.cheat} meets them all",
                    graded_by=None,
                    revised=(_revised(version),),
                )
            )
    return tuple(misses)


def _revised(version: Version) -> Revised:
    return Revised(version=version.version, because=version.because, entry=version.entry)


def _missed(grade: Grade) -> Iterator[tuple[str, str, str]]:
    for graded in grade.ranges:
        if graded.where in ("above", "below") and graded.value is not None:
            interval = f"{graded.low:.3f} to {graded.high:.3f} ({percent(graded.level)})"
            came = f"{graded.value:.3f}, {graded.where}"
            yield "range", f"{graded.metric} from {interval}", came
    outcome = grade.outcome
    expected = None if outcome is None or grade.no_idea else outcome.expected
    if outcome is not None and expected is not None and outcome.happened != expected:
        predicted = f"{expected} likeliest ({outcome.probabilities[expected] * 100.0:.3g} %)"
        yield "outcome", predicted, f"{outcome.happened}, given {percent(outcome.probability)}"
    for direction in grade.directions:
        if direction.held is False:
            sides = f"{direction.left:.3f} and {direction.right:.3f}"
            yield "direction", direction.text, sides
