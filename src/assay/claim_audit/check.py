"""Check one claim and its mutants against the evidence."""

from assay.claim_audit.agreement import OPERATORS, agrees, number_of
from assay.claim_audit.checkers.checker import Checker, claimed_value
from assay.claim_audit.checkers.table import checker_named
from assay.claim_audit.claim import Claim, Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.claim_audit.mutants import mutants_of
from assay.claim_audit.result import ClaimEvidence, ClaimResult, ClaimVerdict, Mutants

_MOST_SHOWN = 400


def check_claim(claim: Claim, evidence: EvidenceReader) -> ClaimResult:
    """The result of a claim; its mutants are checked if it holds."""
    verdict, found = _judged(claim, evidence)
    mutants = Mutants(made=0, killed=0, survivors=())
    if verdict is ClaimVerdict.HOLDS:
        mutants = _mutants(claim, evidence)
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        checker=claim.checker,
        verdict=verdict,
        evidence=found,
        mutants=mutants,
        vacuous=bool(mutants.survivors) or (verdict is ClaimVerdict.HOLDS and not mutants.made),
        place=claim.place,
        predicted=claim.predicted,
        confidence=claim.confidence,
        control=claim.control,
    )


def _judged(claim: Claim, evidence: EvidenceReader) -> tuple[ClaimVerdict, ClaimEvidence]:
    expected = claim.expected if claim.printed is None else claim.printed
    try:
        checker = checker_named(claim.checker)
        checker.check_args(claim)
        expected = claimed_value(checker, claim)
        observed = checker.observe(claim.args, evidence)
        holds = _agrees(claim, checker, observed)
    except Unverifiable as refusal:
        told = ClaimEvidence(got=None, expected=expected, where="", why=refusal.why)
        return ClaimVerdict.UNVERIFIABLE, told
    except NotThere as refusal:
        told = ClaimEvidence(got=None, expected=expected, where="", why=refusal.what)
        return ClaimVerdict.FAILS, told
    told = ClaimEvidence(got=_shown(observed.value), expected=expected, where=observed.where)
    return (ClaimVerdict.HOLDS if holds else ClaimVerdict.FAILS), told


def _agrees(claim: Claim, checker: Checker, observed: Observed) -> bool:
    if checker.value is None:
        if not isinstance(claim.expected, bool):
            raise Unverifiable(
                f"{checker.name} is a yes/no check: `expected` must be true or false"
            )
        return bool(observed.value) is claim.expected
    operator = claim.args.get("op", "==")
    if operator not in OPERATORS:
        raise Unverifiable(f"op: expected one of {' '.join(OPERATORS)}, got {operator!r:.20}")
    value = observed.value
    if checker.bare and claimed_value(checker, claim) is None:
        return bool(operator == "==")
    if claim.args.get("percent") is True:
        number = number_of(value)
        value = value if number is None else number / 100
    return agrees(claimed_value(checker, claim), value, operator)


def _mutants(claim: Claim, evidence: EvidenceReader) -> Mutants:
    made = mutants_of(claim, checker_named(claim.checker))
    survivors = tuple(
        what for what, mutant in made if _judged(mutant, evidence)[0] is ClaimVerdict.HOLDS
    )
    return Mutants(made=len(made), killed=len(made) - len(survivors), survivors=survivors)


def _shown(value: object) -> object:
    """A value as evidence: long texts are cut."""
    return value[:_MOST_SHOWN] if isinstance(value, str) else value
