"""A claim audit: the verdict on each claim, and whether its check can fail."""

from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any

import msgspec

from assay.result import Result


class ClaimVerdict(StrEnum):
    """HOLDS: the evidence is as claimed. FAILS: it is not. UNVERIFIABLE: it cannot be read."""

    HOLDS = "holds"
    FAILS = "fails"
    UNVERIFIABLE = "unverifiable"


class AuditVerdict(StrEnum):
    """HOLDS: every claim holds, no check is vacuous, every control fails, no gate is hit."""

    HOLDS = "holds"
    FAILS = "fails"

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self is AuditVerdict.HOLDS


class ClaimEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, what was expected, and where; `why` where nothing was found."""

    got: Any
    expected: Any
    where: str
    why: str | None = None


class Mutants(msgspec.Struct, frozen=True, kw_only=True):
    """How many altered claims were checked, how many failed (as they must), and which did not."""

    made: int
    killed: int
    survivors: tuple[str, ...]


class ClaimResult(msgspec.Struct, frozen=True, kw_only=True):
    """One claim. It is vacuous, and does not hold, if it also holds when altered to be false."""

    id: str
    text: str
    checker: str
    verdict: ClaimVerdict
    evidence: ClaimEvidence
    mutants: Mutants
    vacuous: bool
    place: str
    predicted: str | None = None
    confidence: float | None = None
    control: bool = False

    @property
    def stands(self) -> bool:
        """Whether the claim holds, and its check can fail."""
        return self.verdict is ClaimVerdict.HOLDS and not self.vacuous


class Controls(msgspec.Struct, frozen=True, kw_only=True):
    """The claims that are false on purpose: how many, and which of them did not fail."""

    declared: int
    failed: int
    missed: tuple[str, ...]


class KillGate(msgspec.Struct, frozen=True, kw_only=True):
    """A condition stated in advance that fails the whole audit, and whether it is met."""

    name: str
    limit: int
    count: int
    hit: bool


class Grades(msgspec.Struct, frozen=True, kw_only=True):
    """How good the predictions of the verdicts were: hits, Brier score, log score."""

    predicted: int
    hits: int
    brier: float | None
    log_score: float | None


class ClaimCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """How many numbers of the texts have a claim."""

    numbers: int
    covered: int

    @property
    def share(self) -> float | None:
        """The share that is covered; None if there are no numbers."""
        return self.covered / self.numbers if self.numbers else None


class ClaimAudit(Result, frozen=True, kw_only=True):
    """Checked claims, and whether each check is able to fail.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> _ = Path("rows.csv").write_text("id\\n1\\n2\\n")
        >>> comment = '<!-- claim: aggregate_equals path="rows.csv" statistic="count" -->'
        >>> _ = Path("README.md").write_text(f"There are three {comment} rows.")
        >>> audit = assay.claims("README.md")
        >>> audit.verdict.value, audit.claims[0].evidence.got
        ('fails', 2)

    """

    verdict: AuditVerdict
    because: str
    claims: tuple[ClaimResult, ...]
    controls: Controls
    kill_gates: tuple[KillGate, ...]
    grades: Grades | None
    coverage: ClaimCoverage | None
    signature: str

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self.verdict.favourable

    def to_rows(self) -> list[dict[str, Any]]:
        """One row a claim."""
        return [
            {
                "id": one.id,
                "text": one.text,
                "checker": one.checker,
                "verdict": str(one.verdict),
                "vacuous": one.vacuous,
                "got": one.evidence.got,
                "expected": one.evidence.expected,
                "where": one.evidence.where,
                "mutants": one.mutants.made,
                "killed": one.mutants.killed,
                "place": one.place,
            }
            for one in self.claims
        ]

    def lines(self) -> Sequence[str]:
        """The verdict, the claims that do not hold, and the signature."""
        wrong = [one for one in self.claims if not one.stands and not one.control]
        named = [f"{one.id}: {told_of(one)}" for one in wrong[:5]]
        more = [f"and {len(wrong) - 5} more"] if len(wrong) > 5 else []
        return (f"{self.verdict.upper()}: {self.because}", *named, *more, self.signature)


def told_of(one: ClaimResult) -> str:
    """The result of a claim, in a few words."""
    evidence = one.evidence
    if one.verdict is ClaimVerdict.UNVERIFIABLE:
        return f"unverifiable: {evidence.why}"
    if one.verdict is ClaimVerdict.FAILS:
        found = evidence.why or f"got {evidence.got!r:.60}, expected {evidence.expected!r:.60}"
        return f"fails: {found} ({evidence.where})" if evidence.where else f"fails: {found}"
    if one.vacuous:
        return f"vacuous: it still holds if {one.mutants.survivors[0]}"
    return "holds"


def counted_verdicts(claims: Sequence[ClaimResult]) -> Mapping[str, int]:
    """How many claims hold, fail, are vacuous and are unverifiable."""
    counts = dict.fromkeys(("holds", "fails", "vacuous", "unverifiable"), 0)
    for one in claims:
        counts["vacuous" if one.vacuous and one.verdict is ClaimVerdict.HOLDS else one.verdict] += 1
    return counts
