"""What checked claims come to as a whole: controls, kill-gates, and grades of the predictions."""

import math
from collections.abc import Mapping, Sequence

from assay._version import __version__
from assay.claim_audit.result import (
    AuditVerdict,
    ClaimAudit,
    ClaimCoverage,
    ClaimResult,
    ClaimVerdict,
    Controls,
    Grades,
    KillGate,
    counted_verb,
    counted_verdicts,
)
from assay.digests import short
from assay.wording import counted

GATES = ("failures", "controls", "vacuous", "unverifiable")
"""What a kill-gate may count: real failures, false controls that hold, and the others."""
_SURE = 1e-6


def judge_claims(
    results: Sequence[ClaimResult],
    *,
    gates: Mapping[str, int] | None = None,
    coverage: ClaimCoverage | None = None,
    least_coverage: float | None = None,
    digest: str,
) -> ClaimAudit:
    """The audit of claims that were checked."""
    real = [one for one in results if not one.control]
    controls = _controls(results)
    hit = tuple(_gate(name, limit, real, controls) for name, limit in (gates or {}).items())
    broken = _broken(real, controls, hit, coverage, least_coverage)
    open_ones = _undecided(real)
    verdict = AuditVerdict.UNDECIDED if open_ones else AuditVerdict.HOLDS
    return ClaimAudit(
        verdict=AuditVerdict.FAILS if broken else verdict,
        because=", ".join([*broken, *open_ones]) or _all_hold(real, controls),
        claims=tuple(results),
        controls=controls,
        kill_gates=hit,
        grades=_grades(real),
        coverage=coverage,
        signature=f"{counted(len(results), 'claim')} · {short(digest)} · assay {__version__}",
    )


def _controls(results: Sequence[ClaimResult]) -> Controls:
    """The false controls; one that fails because its file is missing has shown nothing."""
    own = [one for one in results if one.control]
    missed = tuple(
        one.id for one in own if one.verdict is not ClaimVerdict.FAILS or not one.evidence.observed
    )
    return Controls(declared=len(own), failed=len(own) - len(missed), missed=missed)


def _gate(name: str, limit: int, real: Sequence[ClaimResult], controls: Controls) -> KillGate:
    counts = counted_verdicts(real)
    count = {
        "failures": counts["fails"],
        "controls": len(controls.missed),
        "vacuous": counts["vacuous"],
        "unverifiable": counts["unverifiable"],
    }[name]
    return KillGate(name=name, limit=limit, count=count, hit=count >= limit)


def _broken(
    real: Sequence[ClaimResult],
    controls: Controls,
    gates: Sequence[KillGate],
    coverage: ClaimCoverage | None,
    least: float | None,
) -> list[str]:
    """What makes the whole fail, in words."""
    counts = counted_verdicts(real)
    parts = [
        f"{counts[name]} of {len(real)} {counted_verb(counts[name], name)}"
        for name in ("fails", "vacuous")
        if counts[name]
    ]
    if controls.missed:
        parts.append(f"{counted(len(controls.missed), 'false control')} did not fail")
    parts += [f"kill-gate {gate.name} ({gate.limit}) is hit" for gate in gates if gate.hit]
    if coverage is not None and not coverage.reaches(least):
        parts.append(f"{coverage}, {least:.0%} required (`assay claims scan` lists the others)")
    return parts


def _undecided(real: Sequence[ClaimResult]) -> list[str]:
    """What leaves the whole open, in words."""
    count = counted_verdicts(real)["unverifiable"]
    if not real:
        return ["no claim but controls"]
    return [f"{count} of {len(real)} {counted_verb(count, 'unverifiable')}"] if count else []


def _all_hold(real: Sequence[ClaimResult], controls: Controls) -> str:
    mutants = sum(one.mutants.made for one in real)
    own = f" and {counted(controls.declared, 'false control')}" if controls.declared else ""
    held = f"all {len(real)} claims hold" if len(real) > 1 else "the claim holds"
    return f"{held}; {counted(mutants, 'altered claim')}{own} failed, as they must"


def _grades(real: Sequence[ClaimResult]) -> Grades | None:
    """Hits and proper scores of the verdicts that were predicted."""
    predicted = [one for one in real if one.predicted is not None]
    if not predicted:
        return None
    told = [one for one in predicted if one.stands or one.verdict is ClaimVerdict.FAILS]
    outcomes = [one.stands is (one.predicted == "holds") for one in told]
    sure = [(one.confidence, right) for one, right in zip(told, outcomes, strict=True)]
    scored = [(chance, right) for chance, right in sure if chance is not None]
    brier = [(chance - right) ** 2 for chance, right in scored]
    logs = [-math.log(max(chance if right else 1.0 - chance, _SURE)) for chance, right in scored]
    return Grades(
        predicted=len(predicted),
        ungraded=len(predicted) - len(told),
        hits=sum(outcomes),
        brier=math.fsum(brier) / len(brier) if brier else None,
        log_score=math.fsum(logs) / len(logs) if logs else None,
    )
