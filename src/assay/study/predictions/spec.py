"""A prediction of a run, in a form that can turn out wrong.

Written as TOML before the run and sealed with it:

    level = 0.8                      how often the ranges should hold what they are about
    directions = ["D2 > D1"]         comparisons of metrics, numbers and earlier submissions
    notes = "why"

    [ranges]
    D1 = [0.70, 0.85]                a bar by its id, or on one partition: "D3.folklore"
    D3 = { range = [0.0, 0.1], level = 0.9 }

    [outcomes]                       how probable each outcome is: fail, unresolved and pass,
    pass = 0.1                       or how many bars are met: "0/4" to "4/4"

`no_idea = true` is a prediction too. It commits to nothing, and is graded as such.
"""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from assay.digests import is_name
from assay.errors import SpecError
from assay.predicted.ranges import LEVEL, Range, check_level, check_range
from assay.tables.faults import Faults, noted
from assay.toml import key_hint, read_toml

VERDICTS = ("fail", "unresolved", "pass")
_HINT = "Such as: ranges.D1 = [0.70, 0.85], outcomes.pass = 0.9, or no_idea = true."
_COMPARISON = re.compile(r"\s*(\S+)\s*(<=|>=|<|>)\s*(\S+)\s*")
_MOST_SIGNS = 32
_CLOSE = 1e-6


class Term(msgspec.Struct, frozen=True, kw_only=True):
    """One side of a direction: a number, or a metric, perhaps of an earlier submission."""

    number: float | None = None
    metric: str | None = None
    submission: str | None = None


class Direction(msgspec.Struct, frozen=True, kw_only=True):
    """A comparison that should hold."""

    text: str
    left: Term
    sign: str
    right: Term


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """The commitments. `outcomes` are all on one scale, in order, and sum to 1."""

    no_idea: bool
    ranges: tuple[Range, ...] = ()
    outcomes: Mapping[str, float] = {}
    directions: tuple[Direction, ...] = ()
    notes: str = ""


class _RangeTable(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    range: tuple[float, float]
    level: float


class _PredictionFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A prediction as it is written."""

    no_idea: bool = False
    level: float = LEVEL
    directions: tuple[str, ...] = ()
    notes: str = ""
    ranges: dict[str, Any] = {}
    outcomes: dict[str, Any] = {}


class Predictable(msgspec.Struct, frozen=True, kw_only=True):
    """What can be predicted: metrics with their least values, bars, earlier submissions."""

    metrics: Mapping[str, float]
    bars: int
    submissions: Sequence[str] = ()

    @property
    def counts(self) -> tuple[str, ...]:
        """How many bars may be met, as outcomes."""
        return tuple(f"{met}/{self.bars}" for met in range(self.bars + 1))


def parse_prediction(data: bytes, about: Predictable, *, where: str) -> Prediction:
    """Parse a prediction file, and check every part against what can be predicted.

    All its faults are refused together.
    """
    try:
        written = msgspec.convert(read_toml(data, where=where, hint=_HINT), _PredictionFile)
    except msgspec.ValidationError as error:
        hint = key_hint(error, _PredictionFile, _HINT)
        raise SpecError(f"{where}: {error}", hint=hint) from None
    committed = bool(written.ranges or written.outcomes or written.directions)
    if written.no_idea and committed:
        raise SpecError(
            f"{where}: no_idea = true, but the file also holds a prediction",
            hint="Remove one of them.",
        )
    if not written.no_idea and not committed:
        raise SpecError(
            f"{where} commits to nothing",
            hint="Write at least one range, outcome or direction, or no_idea = true.",
        )
    faults = Faults(where)
    level = LEVEL
    with noted(faults):
        check_level(written.level, f"{where}: level")
        level = written.level
    ranges, directions = [], []
    for metric, value in written.ranges.items():
        with noted(faults):
            ranges.append(_range(metric, value, level, about, f"{where}, ranges"))
    for text in written.directions:
        with noted(faults):
            directions.append(_direction(text, about, f"{where}, directions"))
    with noted(faults):
        _check_once(directions, f"{where}, directions")
    outcomes = _outcomes(written.outcomes, about, f"{where}, outcomes", faults)
    faults.refuse()
    return Prediction(
        no_idea=written.no_idea,
        ranges=tuple(ranges),
        outcomes=outcomes,
        directions=tuple(directions),
        notes=written.notes,
    )


def _check_once(directions: Sequence[Direction], where: str) -> None:
    known: set[Direction] = set()
    for each in directions:
        if each in known:
            raise SpecError(f"{where}: {each.text!r:.80} occurs twice")
        known.add(each)


def _range(metric: str, value: object, level: float, about: Predictable, where: str) -> Range:
    _check_metric(metric, about, where)
    try:
        if isinstance(value, dict):
            table = msgspec.convert({"level": level, **value}, _RangeTable)
            (low, high), level = table.range, table.level
        else:
            low, high = msgspec.convert(value, tuple[float, float])
    except msgspec.ValidationError as error:
        raise SpecError(
            f"{where}: {metric}: {error}",
            hint=f"Write {metric} = [0.70, 0.85], or {{ range = [0.70, 0.85], level = 0.9 }}.",
        ) from None
    stated = Range(metric=metric, low=low, high=high, level=level)
    return check_range(stated, least=about.metrics[metric], where=where)


def _outcomes(
    shares: Mapping[str, Any], about: Predictable, where: str, faults: Faults
) -> dict[str, float]:
    """All outcomes of the chosen scale, in order; those left out have probability 0."""
    if not shares:
        return {}
    scale = next((s for s in (VERDICTS, about.counts) if set(shares) <= set(s)), None)
    if scale is None:
        wrong = next((key for key in shares if key not in VERDICTS + about.counts), None)
        fault = "two scales mixed" if wrong is None else f"no outcome {wrong!r:.60}"
        faults.add(
            SpecError(
                f"{where}: {fault}; they are {', '.join(VERDICTS)}, or how many bars are met:"
                f" {', '.join(map(repr, about.counts))}"
            )
        )
    written: dict[str, float] = {}
    for name, share in shares.items():
        with noted(faults):
            written[name] = _probability(share, f"{where}: {name}")
    if scale is None or len(written) < len(shares):
        return {}
    total = math.fsum(written.values())
    if abs(total - 1.0) > _CLOSE:
        off = f"{1.0 - total:.6g} is missing" if total < 1.0 else f"{total - 1.0:.6g} too much"
        message = f"{where}: the probabilities sum to {total:.6g}, expected 1: {off}"
        faults.add(SpecError(message))
        return {}
    return {name: written.get(name, 0.0) / total for name in scale}


def _probability(value: object, where: str) -> float:
    try:
        share = msgspec.convert(value, float)
    except msgspec.ValidationError as error:
        raise SpecError(f"{where}: {error}", hint=_HINT) from None
    if not 0.0 <= share <= 1.0:
        raise SpecError(f"{where} = {share}, expected a probability from 0 to 1")
    return share


def _direction(text: str, about: Predictable, where: str) -> Direction:
    signs = text.count("<") + text.count(">")  # each is tried, with all that follows
    match = _COMPARISON.fullmatch(text) if signs <= _MOST_SIGNS else None
    if match is None:
        raise SpecError(
            f"{where}: {text!r:.80} is not a comparison",
            hint='Write two metrics or numbers and a sign: "D2 > D1", "D1 >= 0.7", "D1 > 007:D1".',
        )
    left, sign, right = match.groups()
    terms = _term(left, about, where), _term(right, about, where)
    if terms[0].number is not None and terms[1].number is not None:
        raise SpecError(f"{where}: {text!r:.80} compares two numbers, so it predicts nothing")
    if terms[0] == terms[1]:
        raise SpecError(
            f"{where}: {text!r:.80} compares {left} with itself, so it predicts nothing"
        )
    if not any(term.metric is not None and term.submission is None for term in terms):
        raise SpecError(f"{where}: {text!r:.80} compares earlier results, so it predicts nothing")
    for term, other in (terms, terms[::-1]):
        least = about.metrics.get(str(other.metric), 0.0)
        if term.number is not None and not least <= term.number <= 1.0:
            raise SpecError(
                f"{where}: {text!r:.80}, but {other.metric} can only be from {least:g} to 1"
            )
    return Direction(text=" ".join((left, sign, right)), left=terms[0], sign=sign, right=terms[1])


def _term(text: str, about: Predictable, where: str) -> Term:
    try:
        number = float(text)
    except ValueError:
        pass
    else:
        if not math.isfinite(number):
            raise SpecError(f"{where}: {text} is not a valid number")
        return Term(number=number)
    submission, colon, metric = text.rpartition(":")
    if colon and submission not in about.submissions:
        if not is_name(submission):
            raise SpecError(f"{where}: {text!r:.80} does not name a submission")
        raise SpecError(f"{where}: {submission} has no result yet")
    _check_metric(metric, about, where)
    return Term(metric=metric, submission=submission or None)


def _check_metric(metric: str, about: Predictable, where: str) -> None:
    if metric not in about.metrics:
        raise SpecError(
            f"{where}: no metric {metric!r:.60}; the metrics are {', '.join(about.metrics)}"
        )
