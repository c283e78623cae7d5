"""The verdict on all checked claims: controls, kill-gates, and grades of the predictions."""

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
    counted_verdicts,
)
from assay.digests import short

GATES = ("failures", "controls", "vacuous", "unverifiable")
"""What a kill-gate may count: real failures, controls that hold, and others."""
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
    because = _because(real, controls, hit, coverage, least_coverage)
    fine = "" if because else _all_hold(real, controls)
    return ClaimAudit(
        verdict=AuditVerdict.FAILS if because else AuditVerdict.HOLDS,
        because=because or fine,
        claims=tuple(results),
        controls=controls,
        kill_gates=hit,
        grades=_grades(real),
        coverage=coverage,
        signature=f"{len(results)} claims · {short(digest)} · assay {__version__}",
    )


def _controls(results: Sequence[ClaimResult]) -> Controls:
    own = [one for one in results if one.control]
    missed = tuple(one.id for one in own if one.verdict is not ClaimVerdict.FAILS)
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


def _because(
    real: Sequence[ClaimResult],
    controls: Controls,
    gates: Sequence[KillGate],
    coverage: ClaimCoverage | None,
    least: float | None,
) -> str:
    """The reasons why the audit fails; empty if there are none."""
    counts = counted_verdicts(real)
    parts = [f"{count} of {len(real)} {_VERBS[name]}"
             for name, count in counts.items() if count and name != "holds"]  # fmt: skip
    if controls.missed:
        parts.append(f"{len(controls.missed)} controls did not fail")
    parts += [f"kill-gate {gate.name} ({gate.limit}) is hit" for gate in gates if gate.hit]
    share = None if coverage is None else coverage.share
    if least is not None and share is not None and share < least:
        parts.append(f"{share:.0%} of the numbers have a claim, required are {least:.0%}")
    return ", ".join(parts)


_VERBS = {"fails": "fail", "vacuous": "are vacuous", "unverifiable": "are unverifiable"}


def _all_hold(real: Sequence[ClaimResult], controls: Controls) -> str:
    mutants = sum(one.mutants.made for one in real)
    own = f" and {controls.declared} declared controls" if controls.declared else ""
    return f"all {len(real)} claims hold; {mutants} claims altered to be false{own} failed"


def _grades(real: Sequence[ClaimResult]) -> Grades | None:
    """Hits and proper scores of the verdicts that were predicted."""
    told = [one for one in real if one.predicted is not None]
    if not told:
        return None
    outcomes = [one.stands is (one.predicted == "holds") for one in told]
    sure = [(one.confidence, right) for one, right in zip(told, outcomes, strict=True)]
    scored = [(chance, right) for chance, right in sure if chance is not None]
    brier = [(chance - right) ** 2 for chance, right in scored]
    logs = [-math.log(max(chance if right else 1.0 - chance, _SURE)) for chance, right in scored]
    return Grades(
        predicted=len(told),
        hits=sum(outcomes),
        brier=math.fsum(brier) / len(brier) if brier else None,
        log_score=math.fsum(logs) / len(logs) if logs else None,
    )
