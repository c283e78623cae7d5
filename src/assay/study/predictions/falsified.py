"""What was predicted and turned out otherwise, and what was revised because of it.

Bars are a prediction too: that only what deserves it meets them. A revision says which method
showed otherwise.
"""

from collections.abc import Iterator, Sequence

import msgspec

from assay.study.predictions.grade import Grade
from assay.study.submission import Submission, Version
from assay.wording import percent


class Revised(msgspec.Struct, frozen=True, kw_only=True):
    """A version of the bars that came of a submission, and the entry that brought it."""

    version: str
    because: str
    entry: int


class Falsified(msgspec.Struct, frozen=True, kw_only=True):
    """One commitment that did not hold: what was said, what came, and what was revised."""

    number: int
    submission: str
    kind: str
    predicted: str
    came: str
    graded_by: int | None
    revised: tuple[Revised, ...]


def falsified(
    submissions: Sequence[Submission], versions: Sequence[Version]
) -> tuple[Falsified, ...]:
    """Every commitment that did not hold, in the order in which it was sealed."""
    misses: list[Falsified] = []
    for one in sorted(submissions, key=lambda one: one.sealed_by):
        if one.grade is None:
            continue
        revised = tuple(
            Revised(version=version.version, because=version.because, entry=version.entry)
            for version in versions
            if version.after == one.id and version.task == one.task
        )
        for kind, predicted, came in _missed(one.grade):
            misses.append(
                Falsified(
                    number=len(misses) + 1,
                    submission=one.id,
                    kind=kind,
                    predicted=predicted,
                    came=came,
                    graded_by=one.graded_by,
                    revised=revised,
                )
            )
    for version in versions:
        if version.cheat is not None:
            misses.append(_bars(version, len(misses) + 1))
    return tuple(misses)


def _bars(version: Version, number: int) -> Falsified:
    made = Revised(version=version.version, because=version.because, entry=version.entry)
    return Falsified(
        number=number,
        submission=version.after or "-",
        kind="bars",
        predicted=f"{version.task} bars {version.supersedes} are enough",
        came=f"{version.cheat} meets them all",
        graded_by=None,
        revised=(made,),
    )


def _missed(grade: Grade) -> Iterator[tuple[str, str, str]]:
    for one in grade.ranges:
        if one.where in ("above", "below") and one.value is not None:
            predicted = f"{one.metric} from {one.low:.3f} to {one.high:.3f} ({percent(one.level)})"
            yield "range", predicted, f"{one.value:.3f}, {one.where}"
    outcome = grade.outcome
    expected = None if outcome is None or grade.no_idea else outcome.expected
    if outcome is not None and expected is not None and outcome.happened != expected:
        predicted = f"{expected} likeliest ({outcome.probabilities[expected] * 100.0:.3g} %)"
        yield "outcome", predicted, f"{outcome.happened}, given {percent(outcome.probability)}"
    for direction in grade.directions:
        if direction.held is False:
            sides = f"{direction.left:.3f} and {direction.right:.3f}"
            yield "direction", direction.text, sides
