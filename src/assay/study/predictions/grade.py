"""Grade a prediction: which commitments held, with proper scores.

Ranges are graded by `assay.predicted.ranges`. Outcome probabilities are graded by the log score
(minus the logarithm of the probability of what happened) and by the ranked probability score
(Epstein 1969), divided by the number of steps between outcomes: outcomes are ordered, and a near
miss costs less. For all scores lower is better, and honest probabilities have the best expected
score.

A prediction of "no idea" is graded as equal probabilities for fail, unresolved and pass.
"""

import math
import operator
from collections.abc import Mapping
from itertools import accumulate

import msgspec

from assay.errors import IntegrityError
from assay.gauntlet.result import Judgement, Scorecard
from assay.gauntlet.spec import BarSet
from assay.predicted.ranges import RangeGrade, grade_range
from assay.study.predictions.spec import VERDICTS, Direction, Prediction, Term
from assay.wording import counted

_Values = Mapping[str | None, Mapping[str, float]]
_SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


class OutcomeGrade(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome, its stated probability, and the scores.

    `log_score` is None if the outcome had probability 0: no number is large enough. `expected` is
    the outcome with the highest probability; None if several share it.
    """

    probabilities: Mapping[str, float]
    happened: str
    probability: float
    expected: str | None
    log_score: float | None
    ranked_score: float


class DirectionGrade(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison, its two actual values, and whether it held; None if a value is missing."""

    text: str
    left: float | None
    right: float | None
    held: bool | None


class Grade(msgspec.Struct, frozen=True, kw_only=True):
    """A prediction against the outcome, under the bars that were sealed with it."""

    submission: str
    bars: str
    no_idea: bool
    ranges: tuple[RangeGrade, ...]
    outcome: OutcomeGrade | None
    directions: tuple[DirectionGrade, ...]

    @property
    def commitments(self) -> int:
        """How many commitments could be graded."""
        graded = [graded.where is not None for graded in self.ranges]
        graded += [direction.held is not None for direction in self.directions]
        outcome = self.outcome is not None and self.outcome.expected is not None
        return sum(graded) + (outcome and not self.no_idea)

    @property
    def held(self) -> int:
        """How many of them held; the outcome did if the likeliest one happened."""
        count = sum(graded.where == "inside" for graded in self.ranges)
        count += sum(direction.held is True for direction in self.directions)
        outcome = self.outcome
        expected = outcome is not None and not self.no_idea and outcome.happened == outcome.expected
        return count + expected

    @property
    def summary(self) -> str:
        """How many commitments held."""
        if self.no_idea:
            return "The prediction was: no idea."
        if not (self.ranges or self.outcome or self.directions):
            return "Nothing of the prediction could be graded."
        return f"{self.held} of {counted(self.commitments, 'commitment')} held"


def grade(
    submission: str,
    prediction: Prediction,
    judgement: Judgement,
    bars: BarSet,
    earlier: Mapping[str, Judgement],
) -> Grade:
    """Grade a prediction under the bars that were sealed with it."""
    values: dict[str | None, dict[str, float]] = {None: values_of(judgement, bars)}
    values |= {name: values_of(other, bars) for name, other in earlier.items()}
    return Grade(
        submission=submission,
        bars=judgement.bars,
        no_idea=prediction.no_idea,
        ranges=tuple(
            grade_range(each, values[None].get(each.metric)) for each in prediction.ranges
        ),
        outcome=_outcome(prediction, judgement.scorecard),
        directions=tuple(_direction(each, values) for each in prediction.directions),
    )


def values_of(judgement: Judgement, bars: BarSet) -> dict[str, float]:
    """The metrics of a judgement by the names that predictions use."""
    if judgement.scorecard is None:
        return {}
    partitions = {bar.id: bar.partitions for bar in bars.bars}
    values: dict[str, float] = {}
    for result in judgement.scorecard.bars:
        values[result.id] = result.value
        names = partitions.get(result.id, ())
        if len(names) > 1 and len(names) == len(result.parts):
            for name, part in zip(names, result.parts, strict=True):
                values[f"{result.id}.{name}"] = part.value
    return values


def ranked_score(probabilities: Mapping[str, float], happened: str) -> float:
    """The ranked probability score over ordered outcomes, from 0 (best) to 1."""
    names = list(probabilities)
    stated = list(accumulate(probabilities.values()))[:-1]
    came = [float(names.index(happened) <= step) for step in range(len(names) - 1)]
    return sum((s - c) ** 2 for s, c in zip(stated, came, strict=True)) / len(stated)


def _outcome(prediction: Prediction, card: Scorecard | None) -> OutcomeGrade | None:
    probabilities = prediction.outcomes
    if prediction.no_idea:
        probabilities = dict.fromkeys(VERDICTS, 1.0 / len(VERDICTS))
    if card is None or not probabilities:
        return None
    verdicts = set(probabilities) == set(VERDICTS)
    happened = card.verdict.value if verdicts else f"{card.point.passed}/{card.point.total}"
    if happened not in probabilities:
        possible = ", ".join(probabilities)
        raise IntegrityError(f"the outcome is {happened:.40}, expected one of {possible:.200}")
    probability = probabilities[happened]
    most = max(probabilities.values())
    likeliest = [name for name in probabilities if probabilities[name] == most]
    return OutcomeGrade(
        probabilities=probabilities,
        happened=happened,
        probability=probability,
        expected=likeliest[0] if len(likeliest) == 1 else None,
        log_score=-math.log(probability) if probability > 0.0 else None,
        ranked_score=ranked_score(probabilities, happened),
    )


def _direction(stated: Direction, values: _Values) -> DirectionGrade:
    left, right = _side(stated.left, values), _side(stated.right, values)
    holds = None if left is None or right is None else bool(_SIGNS[stated.sign](left, right))
    return DirectionGrade(text=stated.text, left=left, right=right, held=holds)


def _side(term: Term, values: _Values) -> float | None:
    if term.number is not None:
        return term.number
    return values.get(term.submission, {}).get(str(term.metric))
