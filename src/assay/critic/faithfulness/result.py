"""The result of a faithfulness audit: what the judge says of each claim, and whether it counts."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Literal

import msgspec

from assay.caveats import Caveat, caveat_lines
from assay.critic.faithfulness.spec import AuditThresholds, ControlKind
from assay.critic.result import AnswerScore, Calls
from assay.predicted.ranges import RangeGrade, RangeGrades
from assay.result import Result
from assay.stats.estimate import Estimate
from assay.wording import counted, interval

FORMAT = 1


class FaithfulnessVerdict(StrEnum):
    """What an audit, or a claim in it, comes to.

    FAITHFUL: the passage bears the claim out, in the words of a judge that finds every control.
    UNFAITHFUL: the same judge rejects a paraphrase. INSTRUMENT_FAILED: the judge accepts a control,
    so that nothing it says counts. UNDECIDED: bounds, abstentions or failed calls leave it open.
    """

    FAITHFUL = "faithful"
    UNFAITHFUL = "unfaithful"
    INSTRUMENT_FAILED = "instrument-failed"
    UNDECIDED = "undecided"

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self is FaithfulnessVerdict.FAITHFUL


class GateState(StrEnum):
    """Whether what a kill-gate names has come about, for any score within its bounds."""

    FIRED = "fired"
    NOT_FIRED = "not fired"
    UNDECIDED = "undecided"


class JudgeWord(StrEnum):
    """What the judge says of a claim: on which side of its threshold the whole score lies."""

    ACCEPTED = "accepted"
    REJECTED = "rejected"
    UNDECIDED = "undecided"


class FaithfulnessClaim(msgspec.Struct, frozen=True, kw_only=True):
    """One claim: what was expected of the judge, what it says, and what that is worth.

    `expected` is `accepted` for a paraphrase and `rejected` for a control. `verdict` is that of a
    paraphrase, and counts only if the instrument gate has not fired; a control has none. `score`
    is the probability of rejection within its bounds, as in a critique. `passage` is the digest of
    the passage.
    """

    id: str
    claim: str
    passage: str
    kind: ControlKind | None
    expected: JudgeWord
    said: JudgeWord
    verdict: FaithfulnessVerdict | None
    score: AnswerScore
    predicted: RangeGrade | None


class FaithfulnessGate(msgspec.Struct, frozen=True, kw_only=True):
    """A kill-gate with its threshold, its state, and the claims that fired it or leave it open."""

    name: Literal["paper", "instrument"]
    threshold: float
    state: GateState
    fired_by: tuple[str, ...]
    open: tuple[str, ...]


class ControlRate(msgspec.Struct, frozen=True, kw_only=True):
    """The controls of one kind: how many the judge rejects, accepts, and leaves open.

    `rate` is the share that it rejects. One that is left open was not found to be false.
    """

    kind: ControlKind
    n: int
    rejected: int
    accepted: int
    undecided: int
    rate: Estimate


class Saturation(msgspec.Struct, frozen=True, kw_only=True):
    """How many scores can be exactly 0 or 1, to three places.

    `unlisted` of them can because the server does not list the other word: its list was cut off.
    """

    scored: int
    at_ends: int
    unlisted: int
    share: float | None


class FaithfulnessAudit(Result, frozen=True, kw_only=True):
    """Whether claims say what their passages say, by a judge that false controls were shown to.

    Example:
        >>> import assay
        >>> audit = assay.faithfulness(
        ...     "paraphrases.toml", controls="controls.toml", model="local")  # doctest: +SKIP
        >>> [gate.name for gate in audit.gates]  # doctest: +SKIP
        ['paper', 'instrument']
        >>> "gates" in assay.FaithfulnessAudit.__struct_fields__
        True
    """

    format: int
    verdict: FaithfulnessVerdict
    because: str
    gates: tuple[FaithfulnessGate, ...]
    thresholds: AuditThresholds
    controls: tuple[ControlRate, ...]
    saturation: Saturation
    grades: RangeGrades | None
    model: str
    prompt: str
    wordings: Mapping[str, str]
    digest: str
    n: int
    abstained: int
    failed: int
    min_mass: float
    top: int
    cassette: Calls | None
    caveats: tuple[Caveat, ...]
    claims: tuple[FaithfulnessClaim, ...]

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self.verdict.favourable

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each claim."""
        return [
            {
                "id": each.id,
                "claim": each.claim,
                "kind": "paraphrase" if each.kind is None else each.kind.value,
                "said": each.said.value,
                "verdict": None if each.verdict is None else each.verdict.value,
                "p_no": each.score.p_no,
                "low": each.score.low,
                "high": each.score.high,
                "mass": each.score.mass,
                "spread": each.score.spread,
                "predicted": None if each.predicted is None else each.predicted.where,
            }
            for each in self.claims
        ]

    def lines(self) -> Sequence[str]:
        """The verdict, both gates, the controls, and what to know."""
        return [
            f"{self.verdict.upper()}: {self.because}",
            *(gate_line(gate) for gate in self.gates),
            *(rate_line(rate) for rate in self.controls),
            saturation_line(self.saturation),
            *([] if self.grades is None else [str(self.grades)]),
            *caveat_lines(self.caveats),
            f"{counted(self.n, 'claim')}, by {self.model:.80} · prompt {self.prompt[:19]}"
            f" · {self.digest[:19]}",
        ]


_RULES = {
    "paper": "a paraphrase is rejected, p_no over",
    "instrument": "a control is accepted, p_no under",
}


def gate_line(gate: FaithfulnessGate) -> str:
    """A kill-gate in a sentence."""
    named = gate.fired_by if gate.state is GateState.FIRED else gate.open
    by = f" by {', '.join(f'{each:.40}' for each in named[:4])}" if named else ""
    by += f" and {len(named) - 4} more" if len(named) > 4 else ""
    return f"{gate.name} gate ({_RULES[gate.name]} {gate.threshold:g}): {gate.state}{by}"


def rate_line(rate: ControlRate) -> str:
    """The controls of a kind in a sentence."""
    shown = interval(rate.rate.low, rate.rate.high)
    return f"{rate.kind}: {rate.rejected} of {rate.n} controls rejected, 95 % interval {shown}"


def saturation_line(found: Saturation) -> str:
    """How far the scores are saturated, in a sentence."""
    return (
        f"saturation: {found.at_ends} of {counted(found.scored, 'score')} can be 0 or 1,"
        f" {found.unlisted} of them since a word is not listed"
    )
