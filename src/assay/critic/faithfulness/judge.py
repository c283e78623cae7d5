"""From the judgements of claims and controls to gates, rates and a verdict.

A score counts for one side of its threshold only if all of its bounds lie there.
"""

from collections.abc import Sequence

import msgspec
import numpy as np

from assay.caveats import Caveats, Codes
from assay.critic.faithfulness.result import (
    FORMAT,
    ControlRate,
    FaithfulnessAudit,
    FaithfulnessClaim,
    FaithfulnessGate,
    FaithfulnessVerdict,
    GateState,
    JudgeWord,
    Saturation,
)
from assay.critic.faithfulness.spec import (
    AuditPlan,
    AuditThresholds,
    ControlKind,
    SourcedClaim,
    claims_digest,
    kinds_missing,
)
from assay.critic.judge import JudgedAnswer, answer_score
from assay.critic.result import AnswerScore, Calls
from assay.digests import digest, listing_digest
from assay.predicted.ranges import Range, RangeGrade, grade_range, range_grades, side
from assay.stats import proportions
from assay.wording import counted

CODES: Codes = {
    "same-author-model": "The judge helped to write the claims.",
    "toy-model": "The model inside the package is too small to judge facts.",
    "easy-controls": "Some kinds of false claim were not tried; semi-fabrications are harder.",
    "few-controls": "With so few controls a judge that misses many false claims can pass.",
    "abstained": "The model did not answer YES or NO to some claims, which have no score.",
    "failed-calls": "Some calls failed, and their claims have no score.",
    "saturated": "Nearly all scores can be 0 or 1, where they do not tell close calls apart.",
    "one-wording": "One wording was asked, so nothing shows how much it decides.",
    "unsealed": "The predictions were not sealed before the model was asked.",
    "asked-before": "Replies of a sealed audit were recorded before this grading of it.",
    "replayed": "The replies come from a recording; the model was not asked.",
}
_TO_THREE_PLACES = 0.0005
_MOSTLY = 0.9
_MISSES = 0.75
"""Controls are few where a judge that finds no more than this share of them could find all."""


class HowAsked(msgspec.Struct, frozen=True, kw_only=True):
    """How a plan was asked: from where replies came, whether the judge is an author, and so on."""

    cassette: Calls | None = None
    author: str | None = None
    toy: bool = False
    sealed: bool = False


def audit_faithfulness(
    plan: AuditPlan, judged: Sequence[JudgedAnswer], asked: HowAsked
) -> FaithfulnessAudit:
    """The audit of a plan's claims, each with its judgements, in one order."""
    claims = plan.claims
    scores = [answer_score(each, plan.wordings) for each in judged]
    said = [
        _said(score, claim.kind is not None, plan.thresholds)
        for claim, score in zip(claims, scores, strict=True)
    ]
    gates = _gates(claims, said, plan.thresholds)
    verdict, because = _verdict(gates, claims)
    results = tuple(
        _result(claim, score, word, gates[1].state)
        for claim, score, word in zip(claims, scores, said, strict=True)
    )
    made = FaithfulnessAudit(
        format=FORMAT,
        verdict=verdict,
        because=because,
        gates=gates,
        thresholds=plan.thresholds,
        controls=tuple(_rates(results)),
        saturation=_saturation(judged, scores),
        grades=range_grades([each.predicted for each in results if each.predicted is not None]),
        model=plan.model,
        prompt=listing_digest("wordings", (each.digest for each in plan.wordings)),
        wordings={each.name: each.digest for each in plan.wordings},
        digest=claims_digest(claims),
        n=len(claims),
        abstained=sum(score.abstained for score in scores),
        failed=sum(score.error is not None for score in scores),
        min_mass=plan.min_mass,
        top=plan.top,
        cassette=asked.cassette,
        caveats=(),
        claims=results,
    )
    return msgspec.structs.replace(made, caveats=_caveats(made, asked).by_weight())


def _said(score: AnswerScore, control: bool, at: AuditThresholds) -> JudgeWord:
    """A paraphrase at its threshold is accepted, and a control at its own is rejected."""
    if score.p_no is None or score.low is None or score.high is None:
        return JudgeWord.UNDECIDED
    if control:
        if score.low >= at.control_at_least:
            return JudgeWord.REJECTED
        return JudgeWord.ACCEPTED if score.high < at.control_at_least else JudgeWord.UNDECIDED
    if score.high <= at.paraphrase_at_most:
        return JudgeWord.ACCEPTED
    return JudgeWord.REJECTED if score.low > at.paraphrase_at_most else JudgeWord.UNDECIDED


def _gates(
    claims: Sequence[SourcedClaim], said: Sequence[JudgeWord], at: AuditThresholds
) -> tuple[FaithfulnessGate, FaithfulnessGate]:
    def gate(threshold: float, fires: JudgeWord, *, control: bool) -> FaithfulnessGate:
        ours = [
            (claim.id, word)
            for claim, word in zip(claims, said, strict=True)
            if (claim.kind is not None) is control
        ]
        fired = tuple(name for name, word in ours if word is fires)
        unclear = tuple(name for name, word in ours if word is JudgeWord.UNDECIDED)
        state = GateState.UNDECIDED if unclear else GateState.NOT_FIRED
        return FaithfulnessGate(
            name="instrument" if control else "paper",
            threshold=threshold,
            state=GateState.FIRED if fired else state,
            fired_by=fired,
            open=unclear,
        )

    return (
        gate(at.paraphrase_at_most, JudgeWord.REJECTED, control=False),
        gate(at.control_at_least, JudgeWord.ACCEPTED, control=True),
    )


def _verdict(
    gates: tuple[FaithfulnessGate, FaithfulnessGate], claims: Sequence[SourcedClaim]
) -> tuple[FaithfulnessVerdict, str]:
    """The instrument gate comes first: what fails it can say nothing of the paraphrases."""
    paper, instrument = gates
    controls = sum(claim.kind is not None for claim in claims)
    if instrument.state is GateState.FIRED:
        missed = counted(len(instrument.fired_by), "false control")
        return (
            FaithfulnessVerdict.INSTRUMENT_FAILED,
            f"the judge accepts {missed} of {controls}, so nothing it says counts",
        )
    if instrument.state is GateState.UNDECIDED:
        unclear = counted(len(instrument.open), "control")
        return (
            FaithfulnessVerdict.UNDECIDED,
            f"{unclear} of {controls} cannot be told, so the judge is not shown to find them all",
        )
    found = f"the judge rejects all {counted(controls, 'control')}"
    paraphrases = len(claims) - controls
    if paper.state is GateState.FIRED:
        rejected = counted(len(paper.fired_by), "paraphrase")
        return (
            FaithfulnessVerdict.UNFAITHFUL,
            f"{found}, and {rejected} of {paraphrases}: the text says what its source does not,"
            " or the judge fails on such texts",
        )
    if paper.state is GateState.UNDECIDED:
        unclear = counted(len(paper.open), "paraphrase")
        return FaithfulnessVerdict.UNDECIDED, f"{unclear} of {paraphrases} cannot be told"
    return FaithfulnessVerdict.FAITHFUL, f"{found} and accepts all {paraphrases} paraphrases"


_COUNTS = {
    JudgeWord.ACCEPTED: FaithfulnessVerdict.FAITHFUL,
    JudgeWord.REJECTED: FaithfulnessVerdict.UNFAITHFUL,
    JudgeWord.UNDECIDED: FaithfulnessVerdict.UNDECIDED,
}


def _result(
    claim: SourcedClaim, score: AnswerScore, said: JudgeWord, instrument: GateState
) -> FaithfulnessClaim:
    control = claim.kind is not None
    verdict = _COUNTS[said]
    if instrument is not GateState.NOT_FIRED:
        verdict = (
            FaithfulnessVerdict.INSTRUMENT_FAILED
            if instrument is GateState.FIRED
            else FaithfulnessVerdict.UNDECIDED
        )
    return FaithfulnessClaim(
        id=claim.id,
        claim=claim.claim,
        passage=digest(claim.passage.encode()),
        kind=claim.kind,
        expected=JudgeWord.REJECTED if control else JudgeWord.ACCEPTED,
        said=said,
        verdict=None if control else verdict,
        score=score,
        predicted=None if claim.predicted is None else _graded(claim.predicted, score),
    )


def _graded(stated: Range, score: AnswerScore) -> RangeGrade:
    """A range against a score; bounds that reach beyond one of its ends leave it ungraded."""
    if score.p_no is None or score.low is None or score.high is None:
        return grade_range(stated, None)
    sides = {side(stated, value) for value in (score.low, score.p_no, score.high)}
    return grade_range(stated, score.p_no if len(sides) == 1 else None)


def _rates(results: Sequence[FaithfulnessClaim]) -> list[ControlRate]:
    rates = []
    for kind in ControlKind:
        said = [each.said for each in results if each.kind is kind]
        if said:
            rejected = [word is JudgeWord.REJECTED for word in said]
            rates.append(
                ControlRate(
                    kind=kind,
                    n=len(said),
                    rejected=sum(rejected),
                    accepted=said.count(JudgeWord.ACCEPTED),
                    undecided=said.count(JudgeWord.UNDECIDED),
                    rate=proportions.accuracy(np.array(rejected)).estimate(),
                )
            )
    return rates


def _saturation(judged: Sequence[JudgedAnswer], scores: Sequence[AnswerScore]) -> Saturation:
    scored = at_ends = unlisted = 0
    for answer, score in zip(judged, scores, strict=True):
        if score.p_no is None or score.low is None or score.high is None:
            continue
        scored += 1
        lowest, highest = score.low < _TO_THREE_PLACES, score.high > 1.0 - _TO_THREE_PLACES
        at_ends += lowest or highest
        unlisted += any(
            each.unseen > 0.0 and ((lowest and each.low == 0.0) or (highest and each.high == 1.0))
            for each in answer.judgements
        )
    return Saturation(
        scored=scored,
        at_ends=at_ends,
        unlisted=unlisted,
        share=at_ends / scored if scored else None,
    )


def _caveats(made: FaithfulnessAudit, asked: HowAsked) -> Caveats:
    noted = Caveats(CODES)
    if asked.author is not None:
        noted.add("same-author-model", f"{asked.author!r:.80} is named as an author.")
    if asked.toy:
        noted.add("toy-model")
    missing = kinds_missing([each.kind for each in made.claims])
    if missing:
        noted.add("easy-controls", f"Not tried: {missing}.")
    every = [each.said is JudgeWord.REJECTED for each in made.claims if each.kind is not None]
    found = proportions.accuracy(np.ones(len(every), dtype=bool)).estimate()
    if found.low < _MISSES:
        noted.add(
            "few-controls",
            f"A judge that finds {found.low:.0%} of them passes {len(every):,} in one of 40 tries.",
        )
    if made.abstained:
        noted.add("abstained", f"{made.abstained:,} of {made.n:,}.")
    if made.failed:
        noted.add("failed-calls", f"{made.failed:,} of {made.n:,}.")
    if made.saturation.share is not None and made.saturation.share >= _MOSTLY:
        noted.add(
            "saturated",
            f"{made.saturation.at_ends:,} of {made.saturation.scored:,};"
            f" {made.saturation.unlisted:,} since a word is not listed.",
        )
    if len(made.wordings) == 1:
        noted.add("one-wording")
    if made.grades is not None and not asked.sealed:
        noted.add("unsealed")
    if asked.cassette is not None and asked.cassette.replayed:
        code = "asked-before" if asked.sealed else "replayed"
        noted.add(code, f"{asked.cassette.replayed:,} calls.")
    return noted
