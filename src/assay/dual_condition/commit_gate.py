"""Reasons to refuse a dual-condition result at a commit.

1. one condition without the other;
2. preconditions that are missing, or do not hold in a row that is not blocked;
3. a learning contribution that is not A - B;
4. evidence that is incomplete or contradicts itself, and checksums that do not match;
5. numbers that its own scores do not give, and unknown keys.

Results of every version are judged again. A version that judges differently gets a new format
number.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal, TypeGuard

import msgspec

from assay.differences import ABSENT, Difference, differences, is_close
from assay.dual_condition.evidence import DualEvidence
from assay.dual_condition.judge.preconditions import CHECKS
from assay.dual_condition.result import DualResult
from assay.dual_condition.result_file import (
    CONDITION,
    DIGEST,
    EARLIER,
    FORMAT,
    TAILS,
    checksum,
    evidence_of,
    result_digest,
    result_record,
)
from assay.errors import AssayError, DigestMismatch, IntegrityError

FaultKind = Literal[
    "one-sided", "preconditions", "difference", "checksum", "numbers", "matrix", "unreadable"
]
_UNJUDGED = frozenset({"assay", "made"})
_HEADS = {"a": "condition_a_production_", "b": "condition_b_architecture_only_"}


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Why a file is refused."""

    kind: FaultKind
    message: str

    @property
    def exit_code(self) -> int:
        """3 for a result that lacks something, 4 for one that was edited or cannot be read."""
        return 3 if self.kind in ("one-sided", "preconditions") else 4


def is_result(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object is, or claims to be, a dual-condition result."""
    known = record.get("format") in (FORMAT, *EARLIER)
    return known or any(_is_condition(key) for key in record)


def _is_condition(key: str) -> bool:
    return CONDITION.fullmatch(key) is not None and not key.endswith(TAILS)


def sides(record: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The values of conditions A and B that a result has, each by key."""
    values: dict[str, dict[str, Any]] = {"a": {}, "b": {}}
    for key, value in record.items():
        match = CONDITION.fullmatch(key)
        if match is not None and _is_condition(key):
            values[match[1] or match[2]][key] = value
    return values


def one_sided(record: Mapping[str, Any]) -> str | None:
    """Which side is missing, if one is: no key, or a null under it."""
    values = sides(record)
    present = {
        side: [key for key, value in by_key.items() if value is not None]
        for side, by_key in values.items()
    }
    if bool(present["a"]) != bool(present["b"]):
        got, lost = ("a", "b") if present["a"] else ("b", "a")
        return f"it has {present[got][0]} and nothing of condition {lost.upper()}"
    if bool(values["a"]) != bool(values["b"]):
        lost = "b" if values["a"] else "a"
        return f"it has no key for condition {lost.upper()}"
    metrics = {
        side: {key.removeprefix(head) for key in present[side] if key.startswith(head)}
        for side, head in _HEADS.items()
    }
    for metric in sorted(metrics["a"] ^ metrics["b"]):
        got, lost = ("a", "b") if metric in metrics["a"] else ("b", "a")
        return f"it has {_HEADS[got]}{metric} and no {_HEADS[lost]}{metric}"
    return None


def out_of_date(record: Mapping[str, Any]) -> str | None:
    """Why a result of an earlier format is not judged again, where it is one."""
    if record.get("format") not in tuple(EARLIER):
        return None
    return (
        f"it has the format {record['format']}, {EARLIER[record['format']]}; make it again:"
        " assay dual SPEC.toml, then remove this file (the new one has its B in its history)"
    )


def undecided_split(record: Mapping[str, Any]) -> str | None:
    """Why memorisation and transfer cannot be separated, if a result says so."""
    split = record.get("split")
    if not isinstance(split, dict) or split.get("holds") is not False:
        return None
    return f"memorisation and transfer cannot be separated: {split.get('evidence')}"


def blocked_row(record: Mapping[str, Any]) -> str | None:
    """Why a result has no numbers, where its row is blocked."""
    if record.get("row") != "blocked":
        return None
    reasons = record.get("reasons")
    first = f": {reasons[0]!s:.400}" if isinstance(reasons, list) and reasons else ""
    return f"its row is blocked, so it has no numbers{first}"


def check_result(record: Mapping[str, Any], *, where: str) -> list[Fault]:
    """Every reason to refuse a result, the most serious first."""
    old = out_of_date(record)
    if old is not None:
        return [Fault(kind="unreadable", message=old)]
    lone = one_sided(record)
    if lone is None and not sides(record)["a"]:
        lone = "it has neither condition A nor B"
    messages: dict[FaultKind, str | None] = {
        "one-sided": lone,
        "preconditions": _preconditions(record),
        "difference": _difference(record),
    }
    faults = [Fault(kind=kind, message=text) for kind, text in messages.items() if text is not None]
    return faults or _recompute(record, where)


def _preconditions(record: Mapping[str, Any]) -> str | None:
    checked = record.get("preconditions_checked")
    if not isinstance(checked, dict) or not checked:
        return "it does not say which preconditions were checked (preconditions_checked)"
    missing = [name for name in CHECKS if name not in checked]
    if missing:
        return f"preconditions_checked has no {', '.join(missing[:4])}"
    broken = [
        name
        for name, check in checked.items()
        if not isinstance(check, dict) or check.get("holds") is not True
    ]
    if broken and record.get("row") != "blocked":
        return f"{broken[0]} does not hold, but the row is not blocked"
    return None


def _difference(record: Mapping[str, Any]) -> str | None:
    a, b = (next(iter(values.values()), None) for values in sides(record).values())
    claim = record.get("learning_contribution")
    if a is None or b is None:
        return None
    if not (_is_number(a) and _is_number(b) and _is_number(claim)):
        return "learning_contribution, or a condition, is not a number"
    gap = float(a) - float(b)
    if not math.isclose(gap, float(claim), abs_tol=1e-6):
        return f"learning_contribution is {float(claim):.6g}, but A - B is {gap:.6g}"
    return None


def _recompute(record: Mapping[str, Any], where: str) -> list[Fault]:
    """Judge again from the scores that the result holds."""
    try:
        evidence = held_evidence(record, where=where)
        mark = str(record["reproducibility_checksum"])
        again = result_record(evidence, judge_again(evidence, where=where), made="", mark=mark)
    except AssayError as error:
        return [Fault(kind="checksum", message=error.message.removeprefix(f"{where}: "))]
    unjudged = {name: record[name] for name in (*_UNJUDGED, DIGEST)}
    first = next(differences(again | unjudged, record, same=_same), None)
    return [] if first is None else [Fault(kind="numbers", message=_in_words(first))]


def held_evidence(record: Mapping[str, Any], *, where: str) -> DualEvidence:
    """The evidence in a result, after checking its checksums."""
    for name in ("reproducibility_checksum", DIGEST, *_UNJUDGED):
        if not isinstance(record.get(name), str):
            raise IntegrityError(f"{where}: it has no {name}")
    evidence = evidence_of(record, where=where)
    hint = "It was edited. Restore it, or make it again: assay dual."
    if checksum(evidence) != record["reproducibility_checksum"]:
        message = "its reproducibility_checksum does not match its inputs, state, code and scores"
        raise DigestMismatch(f"{where}: {message}", hint=hint)
    if result_digest(record) != record[DIGEST]:
        raise DigestMismatch(f"{where}: its {DIGEST} does not match its contents", hint=hint)
    if any(past.made >= record["made"] for past in evidence.history):
        raise IntegrityError(f"{where}: its history has a result that was made after it")
    return evidence


def judge_again(evidence: DualEvidence, *, where: str) -> DualResult:
    """Judge evidence that was read from a file."""
    from assay.dual_condition.judge.judge import judge_dual  # with numpy; results are listed first

    try:
        return judge_dual(evidence)
    except (ArithmeticError, LookupError, TypeError, ValueError) as error:
        raise IntegrityError(f"{where}: it cannot be judged again: {error}") from None


def _in_words(difference: Difference) -> str:
    """A difference between a result and what its own scores give, in words."""
    ours, theirs = difference.left, difference.right
    if ours is ABSENT:
        return f"{difference.path:.80} is not a key of a result"
    if theirs is ABSENT:
        return f"{difference.path:.80} is missing"
    return f"{difference.path:.80} is {theirs!r:.60}, but its own scores give {ours!r:.60}"


def _same(ours: object, theirs: object) -> bool:
    """Whether two JSON values are equal up to rounding; 1 and true are not."""
    if _is_number(ours) and _is_number(theirs):
        return is_close(ours, theirs)
    return ours == theirs and isinstance(ours, bool) == isinstance(theirs, bool)


def _is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a number that a float can hold."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value.bit_length() < 1024
    return isinstance(value, float)
