"""What keeps a dual-condition result from being committed.

1. one condition without the other;
2. preconditions that are missing, or do not hold in a row that claims to be one;
3. a difference that is not the difference;
4. a checksum that does not recompute;
5. numbers that its own scores do not give.
"""

import math
from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from assay._version import __version__
from assay.errors import AssayError
from assay.judges.dual.artifact import (
    CONDITION,
    FORMAT,
    checksum,
    evidence_of,
    headline_keys,
    result_keys,
)
from assay.judges.dual.judge import judge_dual
from assay.judges.dual.preconditions import CHECKS

Kind = Literal["one-sided", "preconditions", "difference", "checksum", "numbers", "matrix"]
_CLOSE = 1e-9
_TAILS = ("_interval", "_per_seed", "_t_interval")


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """Why a file is refused."""

    kind: Kind
    message: str


def is_result(record: Mapping[str, Any]) -> bool:
    """Whether a JSON object is, or claims to be, a dual-condition result."""
    return record.get("format") == FORMAT or any(_is_condition(key) for key in record)


def _is_condition(key: str) -> bool:
    found = CONDITION.fullmatch(key)
    return found is not None and found[1] in "ab" and not key.endswith(_TAILS)


def sides(record: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """The values of conditions A and B that a result has, each by key."""
    found: dict[str, dict[str, Any]] = {"a": {}, "b": {}}
    for key, value in record.items():
        match = CONDITION.fullmatch(key)
        if match is not None and _is_condition(key):
            found[match[1]][key] = value
    return found


def one_sided(record: Mapping[str, Any]) -> str | None:
    """Which side is missing, where one is: no key, or nothing under it."""
    found = sides(record)
    there = {
        side: [key for key, value in given.items() if value is not None]
        for side, given in found.items()
    }
    if bool(there["a"]) != bool(there["b"]):
        got, lost = ("a", "b") if there["a"] else ("b", "a")
        return f"it has {there[got][0]} and nothing of condition {lost.upper()}"
    if bool(found["a"]) != bool(found["b"]):
        lost = "b" if found["a"] else "a"
        return f"it has no key for condition {lost.upper()}"
    return None


def check_result(record: Mapping[str, Any], *, where: str) -> list[Fault]:
    """Every reason to refuse a result, the first the gravest."""
    faults = []
    lone = one_sided(record)
    if lone is not None:
        faults.append(Fault(kind="one-sided", message=lone))
    elif not sides(record)["a"]:
        faults.append(Fault(kind="one-sided", message="it has neither condition A nor B"))
    faults += _preconditions(record)
    faults += _difference(record)
    return faults or _recompute(record, where)


def _preconditions(record: Mapping[str, Any]) -> list[Fault]:
    checked = record.get("preconditions_checked")
    if not isinstance(checked, dict) or not checked:
        said = "it does not say which preconditions were checked (preconditions_checked)"
        return [Fault(kind="preconditions", message=said)]
    missing = [name for name in CHECKS if name not in checked]
    if missing:
        said = f"preconditions_checked has no {', '.join(missing[:4])}"
        return [Fault(kind="preconditions", message=said)]
    broken = [
        name
        for name, one in checked.items()
        if not isinstance(one, dict) or one.get("holds") is not True
    ]
    if broken and record.get("row") != "blocked":
        said = f"{broken[0]} does not hold, and the row is not blocked"
        return [Fault(kind="preconditions", message=said)]
    return []


def _difference(record: Mapping[str, Any]) -> list[Fault]:
    found = sides(record)
    values = [next(iter(found[side].values()), None) for side in "ab"]
    claimed = record.get("learning_contribution")
    if values[0] is None or values[1] is None:
        return []
    if not all(_is_number(value) for value in (*values, claimed)):
        said = "learning_contribution, or a condition, is no number"
        return [Fault(kind="difference", message=said)]
    difference = float(values[0]) - float(values[1])
    if not math.isclose(difference, float(claimed), abs_tol=1e-6):  # type: ignore[arg-type]
        said = f"learning_contribution is {claimed:.6g}, and A - B is {difference:.6g}"
        return [Fault(kind="difference", message=said)]
    return []


def _recompute(record: Mapping[str, Any], where: str) -> list[Fault]:
    """Judge again from the scores that the result holds."""
    if not isinstance(record.get("reproducibility_checksum"), str):
        return [Fault(kind="checksum", message="it has no reproducibility_checksum")]
    try:
        evidence = evidence_of(record, where=where)
        if checksum(evidence) != record["reproducibility_checksum"]:
            said = "its reproducibility_checksum is not that of its inputs, state, code and scores"
            return [Fault(kind="checksum", message=said)]
        again = result_keys(evidence.metric, judge_dual(evidence))
    except (AssayError, ValueError, KeyError, IndexError, TypeError) as error:
        return [Fault(kind="checksum", message=f"it cannot be judged again: {error}")]
    certain = {"row", "preconditions_checked"}
    for key in headline_keys(evidence.metric).values():
        certain |= {key, f"{key}_per_seed"}
    for key, value in again.items():
        if key not in certain and record.get("assay") != __version__:
            continue
        place = _differs(value, record.get(key), key)
        if place is not None:
            return [Fault(kind="numbers", message=f"{place}, by its own scores")]
    return []


def _differs(ours: object, theirs: object, where: str) -> str | None:
    """Where two values of JSON first differ, beyond rounding; None where they do not."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        for key in {**ours, **theirs}:
            found = _differs(ours.get(key), theirs.get(key), f"{where}.{key}")
            if found is not None:
                return found
        return None
    if isinstance(ours, list) and isinstance(theirs, list) and len(ours) == len(theirs):
        for place, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            found = _differs(one, other, f"{where}[{place}]")
            if found is not None:
                return found
        return None
    if _is_number(ours) and _is_number(theirs):
        close = math.isclose(ours, theirs, rel_tol=_CLOSE, abs_tol=_CLOSE)  # type: ignore[arg-type]
        return None if close else f"{where} is {theirs!r:.40} and should be {ours!r:.40}"
    return None if ours == theirs else f"{where} is {theirs!r:.60} and should be {ours!r:.60}"


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)
