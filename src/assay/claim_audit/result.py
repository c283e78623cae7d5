"""A claim audit: what each claim comes to, and whether its check could have said otherwise."""

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
    """HOLDS: every claim holds, no check is vacuous, every control fails, no kill-gate is hit.

    UNDECIDED: nothing of that is broken, but a claim is unverifiable, or there is no claim.
    """

    HOLDS = "holds"
    FAILS = "fails"
    UNDECIDED = "undecided"

    @property
    def favourable(self) -> bool:
        """Whether the command exits with 0."""
        return self is AuditVerdict.HOLDS


class ClaimEvidence(msgspec.Struct, frozen=True, kw_only=True):
    """What was found, what was expected, and where.

    If nothing was `observed`, `why` says what is missing or cannot be read.
    """

    got: Any
    expected: Any
    where: str
    observed: bool = True
    why: str | None = None


class Mutants(msgspec.Struct, frozen=True, kw_only=True):
    """How many altered claims were checked, how many failed as they must, and which did not."""

    made: int
    killed: int
    survivors: tuple[str, ...]


class ClaimResult(msgspec.Struct, frozen=True, kw_only=True):
    """One claim. A vacuous check holds of an altered claim too, so that its claim does not hold.

    `at` is the place in `text` behind which a claim of a text stands.
    """

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
    at: int | None = None

    @property
    def stands(self) -> bool:
        """Whether the claim holds by a check that could have failed."""
        return self.verdict is ClaimVerdict.HOLDS and not self.vacuous


class Controls(msgspec.Struct, frozen=True, kw_only=True):
    """The claims that are false on purpose: how many there are, and which were not seen failing."""

    declared: int
    failed: int
    missed: tuple[str, ...]


class KillGate(msgspec.Struct, frozen=True, kw_only=True):
    """A condition stated beforehand that falsifies the whole, and whether it came about."""

    name: str
    limit: int
    count: int
    hit: bool


class Grades(msgspec.Struct, frozen=True, kw_only=True):
    """How good the predictions of the verdicts were: hits, Brier score, log score.

    Only claims that hold or fail are graded; `ungraded` are vacuous or unverifiable.
    """

    predicted: int
    ungraded: int = 0
    hits: int
    brier: float | None
    log_score: float | None


class ClaimCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """How many numbers of the texts some claim covers."""

    numbers: int
    covered: int

    @property
    def share(self) -> float | None:
        """The share that is covered; None if there is no number."""
        return self.covered / self.numbers if self.numbers else None

    def reaches(self, least: float | None) -> bool:
        """Whether enough is covered; a text without numbers leaves nothing uncovered."""
        return least is None or self.share is None or self.share >= least

    def __str__(self) -> str:
        share = "" if self.share is None else f" ({self.share:.0%})"
        return f"{self.covered} of {self.numbers} numbers have a claim{share}"


class ClaimAudit(Result, frozen=True, kw_only=True):
    """Claims that were checked, by checks that were shown able to fail.

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
                "got": _flat(one.evidence.got),
                "expected": _flat(one.evidence.expected),
                "where": one.evidence.where,
                "mutants": one.mutants.made,
                "killed": one.mutants.killed,
                "place": one.place,
            }
            for one in self.claims
        ]

    def lines(self) -> Sequence[str]:
        """The verdict, what does not stand, and the signature."""
        wrong = [one for one in self.claims if not one.stands and not one.control]
        named = [f"{one.id}: {told_of(one)}" for one in wrong[:5]]
        more = [f"and {len(wrong) - 5} more"] if len(wrong) > 5 else []
        covered = [] if self.coverage is None else [f"coverage: {self.coverage}"]
        first = f"{self.verdict.upper()}: {self.because}"
        return (first, *named, *more, *covered, self.signature)


def _flat(value: object) -> object:
    """A value as a cell of a row."""
    return str(value) if isinstance(value, (list, tuple, Mapping)) else value


def told_of(one: ClaimResult) -> str:
    """What became of a claim, in a few words."""
    evidence = one.evidence
    if one.verdict is ClaimVerdict.UNVERIFIABLE:
        return f"unverifiable: {evidence.why}"
    if one.verdict is ClaimVerdict.FAILS:
        if evidence.why is not None:
            return f"fails: {evidence.why}"
        claimed = f"the claim says {_said(evidence.expected)}"
        return f"fails: {claimed}, {evidence.where} gives {_said(evidence.got)}"
    if one.vacuous and one.mutants.survivors:
        return f"vacuous: it also holds when {one.mutants.survivors[0]}"
    if one.vacuous:
        return "vacuous: no altered claim could be checked"
    return "holds"


def _said(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.10g}"
    return f"{value:.60}" if isinstance(value, str) else f"{value!r:.60}"


def counted_verdicts(claims: Sequence[ClaimResult]) -> Mapping[str, int]:
    """How many claims hold, fail, are vacuous and are unverifiable."""
    counts = dict.fromkeys(("holds", "fails", "vacuous", "unverifiable"), 0)
    for one in claims:
        counts["vacuous" if one.vacuous and one.verdict is ClaimVerdict.HOLDS else one.verdict] += 1
    return counts


def counted_verb(count: int, verdict: str) -> str:
    """A verdict as the verb of so many claims."""
    one, several = _VERBS[verdict]
    return one if count == 1 else several


_VERBS = {
    "holds": ("holds", "hold"),
    "fails": ("fails", "fail"),
    "vacuous": ("is vacuous", "are vacuous"),
    "unverifiable": ("is unverifiable", "are unverifiable"),
}
