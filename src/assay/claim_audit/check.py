"""One claim against the evidence, and its mutants against the same."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

import msgspec

from assay.claim_audit.agreement import OPERATORS, agrees, interval_of, number_of, value_of
from assay.claim_audit.checkers.checker import Checker, claimed_value
from assay.claim_audit.checkers.table import checker_named
from assay.claim_audit.claim import Claim, Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.claim_audit.mutants import mutants_of
from assay.claim_audit.result import ClaimEvidence, ClaimResult, ClaimVerdict, Mutants
from assay.claim_audit.texts.printed_intervals import parse_spread
from assay.claim_audit.texts.printed_tables import tables_agree, told_difference
from assay.claim_audit.texts.reading.units import other_unit
from assay.claim_audit.texts.written import is_multiplied, number_written
from assay.errors import AssayError
from assay.tables.numbers.printed_numbers import WrittenFloat, parse_printed
from assay.wording import counted

_MOST_SHOWN = 400


def check_claim(claim: Claim, evidence: EvidenceReader) -> ClaimResult:
    """The result of a claim; if it holds, its mutants are checked too."""
    verdict, found, observed = _judged(claim, evidence)
    mutants = Mutants(made=0, killed=0, survivors=())
    if verdict is ClaimVerdict.HOLDS and observed is not None:
        mutants = _mutants(claim, observed, evidence)
    return ClaimResult(
        id=claim.id,
        text=claim.text,
        checker=claim.checker,
        verdict=verdict,
        evidence=found,
        mutants=mutants,
        vacuous=verdict is ClaimVerdict.HOLDS and (bool(mutants.survivors) or not mutants.made),
        place=claim.place,
        predicted=claim.predicted,
        confidence=claim.confidence,
        control=claim.control,
        at=claim.at,
    )


def _judged(
    claim: Claim, evidence: EvidenceReader
) -> tuple[ClaimVerdict, ClaimEvidence, Observed | None]:
    expected: Any = claim.printed or (claim.expected if claim.states else None)
    if claim.refused is not None:
        return ClaimVerdict.UNVERIFIABLE, _unseen(None, claim.refused), None
    try:
        checker = checker_named(claim.checker)
        checker.check_args(claim)
        expected = claimed_value(checker, claim)
        observed = checker.observe(claim.args, evidence)
        holds = _agrees(claim, checker, observed)
    except NotThere as refusal:
        return ClaimVerdict.FAILS, _unseen(expected, refusal.what), None
    except Unverifiable as refusal:
        return ClaimVerdict.UNVERIFIABLE, _unseen(expected, refusal.why), None
    except AssayError as error:
        return ClaimVerdict.UNVERIFIABLE, _unseen(expected, error.message), None
    except (ArithmeticError, LookupError, OSError, RecursionError, TypeError, ValueError) as error:
        # evidence is other people's: what a checker did not foresee must not end the audit
        why = f"{type(error).__name__}: {error}"[:_MOST_SHOWN]
        return ClaimVerdict.UNVERIFIABLE, _unseen(expected, why), None
    got, where = observed.value, _where(claim, observed)
    if observed.spread is not None:
        got = shown_alike(expected, observed)
    if checker.compares == "table":
        got, expected, where = told_difference(expected, got, where)
    told = ClaimEvidence(got=_shown(got), expected=_shown(expected), where=where, observed=True)
    return (ClaimVerdict.HOLDS if holds else ClaimVerdict.FAILS), told, observed


def _where(claim: Claim, observed: Observed) -> str:
    """Where a value was found, and in what unit it is read."""
    unit = ", in per cent" if claim.args.get("percent") is True else ""
    scale = claim.args.get("scale", 1)
    return f"{observed.where}{unit}" + ("" if scale == 1 else f", times {scale!r:.40}")


def _unseen(expected: Any, why: str) -> ClaimEvidence:  # noqa: ANN401 - any JSON value
    return ClaimEvidence(got=None, expected=_shown(expected), where="", observed=False, why=why)


def _agrees(claim: Claim, checker: Checker, observed: Observed) -> bool:
    if checker.value is None:
        if claim.states and not isinstance(claim.expected, bool):
            raise Unverifiable(f"{checker.name} says yes or no: expected true or false")
        return bool(observed.value) is claim.affirms
    operator = claim.args.get("op", "==")
    if operator not in OPERATORS:
        raise Unverifiable(f"op: expected one of {' '.join(OPERATORS)}, got {operator!r:.20}")
    claimed, value = claimed_value(checker, claim), observed.value
    if checker.bare and claimed is None:
        return bool(operator == "==")
    denied = checker.value in claim.args and claim.expected is False
    if observed.exact:
        if operator not in ("==", "!="):
            raise Unverifiable(f"op: a version is compared by == or !=, got {operator}")
        same = str(claimed).removeprefix("v") == str(value).removeprefix("v")
        return (same is (operator == "==")) is not denied
    if checker.compares == "table":
        return tables_agree(claimed, value) is (operator == "==")
    found = compared(claim, claimed, observed)
    if isinstance(found, (list, tuple, Mapping)) and parse_printed(claimed) is not None:
        _refuse_whole(found)
    claimed = _readable(claimed, found)
    if claim.printed is None:
        _refuse_other_unit(claim, claimed_value(checker, claim))
    holds = agrees(claimed, found, operator)
    if not holds and is_multiplied(claimed) and agrees(claimed, value, operator):
        raise Unverifiable(
            f"{claimed!r:.40} agrees with what is there as it is, without"
            f" scale={claim.args.get('scale', 1)!r:.20}: words such as million multiply already"
        )
    return holds is not denied


def _refuse_other_unit(claim: Claim, claimed: object) -> None:
    """Refuse a number in another unit than the name of the value says, without a scale."""
    units = other_unit(claimed, "", claim.args) if isinstance(claimed, str) else None
    if units is not None:
        raise Unverifiable(
            f"the claim says {claimed!r:.40}, and the name of the value {units[1]}: say scale=...,"
            f" by which the file's value is multiplied to be in {units[0]}"
        )


def _refuse_whole(found: Any) -> None:  # noqa: ANN401 - any JSON value
    """Refuse to compare a number with a list or an object that holds none beside an interval."""
    if value_of(found) is None and interval_of(found) is None:
        what = "a list" if isinstance(found, (list, tuple)) else "an object"
        raise Unverifiable(
            f"{what} of {counted(len(found), 'entry')} stands there, and no number: say"
            " length=true to count them, or which of them is meant"
        )


def _readable(claimed: Any, found: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A claimed text as the number that it writes, where a number was found."""
    is_number = isinstance(found, (int, float, Decimal)) and not isinstance(found, bool)
    if not isinstance(claimed, str) or not is_number:
        return claimed
    spread = parse_spread(claimed)
    if spread is not None and spread.is_interval:
        return claimed
    number = number_written(claimed)
    if number is None and any(letter.isdecimal() for letter in claimed):
        raise Unverifiable(
            f"{claimed!r:.60} cannot be read as a number: write it alone, with its unit behind it;"
            ' bounds are said by op="<"'
        )
    return claimed if number is None else number


def compared(claim: Claim, claimed: object, observed: Observed) -> Any:  # noqa: ANN401 - any JSON value
    """What a claimed value is compared with, in the unit of the claim."""
    found = shown_alike(claimed, observed)
    if observed.spread is not None and isinstance(found, list):
        return [in_unit(claim, part) for part in found]
    return in_unit(claim, found)


def shown_alike(claimed: object, observed: Observed) -> Any:  # noqa: ANN401 - any JSON value
    """An observed value; with its interval or its error, if that is what is claimed."""
    spread = None if observed.spread is None else parse_spread(claimed)
    if observed.spread is None or spread is None:
        return observed.value
    return observed.spread.parts(interval=spread.is_interval, level=spread.level)


def in_unit(claim: Claim, value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """An observed value in the unit of the claim: times `scale`, or as a share of `percent`."""
    percent, scale = claim.args.get("percent", False), claim.args.get("scale", 1)
    if not isinstance(percent, bool):
        raise Unverifiable(f"percent: expected true or false, got {percent!r:.40}")
    if isinstance(scale, bool) or not isinstance(scale, (int, float)) or not scale:
        raise Unverifiable(f"scale: expected a number other than 0, got {scale!r:.40}")
    if (length := claim.args.get("length", False)) is not False:
        if length is not True or not isinstance(value, (list, tuple, Mapping)):
            raise Unverifiable(f"length: expected true, of a list or an object, got {value!r:.40}")
        value = len(value)
    factor = Decimal(repr(scale)) / (100 if percent else 1)
    numbers = interval_of(value) if isinstance(value, Mapping) else None
    if factor == 1:
        return value
    if numbers is not None:
        return [number * factor for number in numbers]
    number = number_of(value)
    return value if number is None else number * factor


def _mutants(claim: Claim, observed: Observed, evidence: EvidenceReader) -> Mutants:
    """Check altered claims; a check that gives no verdict on one has shown nothing.

    At least one must fail by what was observed: a file that is not there fails by itself.
    """
    made, survivors, seen = 0, [], 0
    checker = checker_named(claim.checker)
    value = compared(claim, claimed_value(checker, claim), observed)
    for what, mutant in mutants_of(claim, checker, value):
        verdict, found, _ = _judged(mutant, evidence)
        if verdict is ClaimVerdict.UNVERIFIABLE:
            continue
        made += 1
        seen += found.observed
        if verdict is ClaimVerdict.HOLDS:
            survivors.append(what)
    if not seen:
        return Mutants(made=0, killed=0, survivors=())
    return Mutants(made=made, killed=made - len(survivors), survivors=tuple(survivors))


def _shown(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    """A value as evidence: long ones are cut, and a float of a claim file has its digits."""
    if value is msgspec.UNSET:
        return None
    if isinstance(value, WrittenFloat):
        return value.text
    if isinstance(value, str):
        return value[:_MOST_SHOWN]
    if isinstance(value, (list, tuple, dict)):
        told = repr(value)
        return value if len(told) <= _MOST_SHOWN and "." not in told else told[:_MOST_SHOWN]
    return value
