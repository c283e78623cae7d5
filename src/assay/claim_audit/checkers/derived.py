"""Values that follow from others: "7.3 points" is checked from its two ends."""

import math
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal

from assay.claim_audit.agreement import number_of
from assay.claim_audit.checkers.checker import COMMON, Args, Checker, text_arg
from assay.claim_audit.claim import Claim, Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere

_OF_TWO: Mapping[str, Callable[[Decimal, Decimal], Decimal]] = {
    "difference": lambda first, second: first - second,
    "points": lambda first, second: 100 * (first - second),
    "ratio": lambda first, second: first / second,
    "percent": lambda first, second: 100 * first / second,
    "change": lambda first, second: (first - second) / second,
}
_OF_MANY: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "sum": lambda values: sum(values, Decimal(0)),
    "mean": lambda values: sum(values, Decimal(0)) / len(values),
    "product": lambda values: math.prod(values, start=Decimal(1)),
}
_MOST_PARTS = 100
_FORM = 'of=[{checker="json_path_equals", args={path="r.json", key_path="a"}}, ...]'


def derived_checker(checker_named: Callable[[str], Checker]) -> Checker:
    """The checker of a value that is computed from what other checkers find."""

    def observe(args: Args, evidence: EvidenceReader) -> Observed:
        operation, sources = text_arg(args, "operation"), _sources(args)
        if operation not in {*_OF_TWO, *_OF_MANY}:
            raise Unverifiable(f"operation: expected one of {', '.join((*_OF_TWO, *_OF_MANY))}")
        if operation in _OF_TWO and len(sources) != 2:
            raise Unverifiable(f"of: {operation} takes two values, got {len(sources)}")
        found = [_part(source, evidence, checker_named) for source in sources]
        numbers = [_number(one) for one in found]
        try:
            value = float(
                _OF_TWO[operation](*numbers)
                if operation in _OF_TWO
                else _OF_MANY[operation](numbers)
            )
        except ArithmeticError:
            value = math.nan
        if not math.isfinite(value):
            raise NotThere(f"{operation}: the values give no number")
        unmet = next((one.unmet for one in found if one.unmet is not None), None)
        where = " and ".join(one.where for one in found)[:400]
        return Observed(value=value, where=where, unmet=unmet)

    return Checker(
        name="derived_equals",
        about="a difference, ratio or percentage of other values",
        observe=observe,
        required=("operation", "of"),
        value="value",
    )


def _sources(args: Args) -> Sequence[object]:
    sources = args.get("of")
    if not isinstance(sources, (list, tuple)) or not 2 <= len(sources) <= _MOST_PARTS:
        raise Unverifiable(f"of: expected two values or more: {_FORM}")
    if not any(isinstance(source, Mapping) for source in sources):
        raise Unverifiable(f"of: numbers alone prove nothing; expected {_FORM}")
    return sources


def _part(
    source: object, evidence: EvidenceReader, checker_named: Callable[[str], Checker]
) -> Observed:
    """What one of the others finds: `{checker, args}`, or a number as it stands."""
    if isinstance(source, (int, float)) and not isinstance(source, bool):
        return Observed(value=source, where=str(source))
    if not isinstance(source, Mapping) or not set(source) <= {"checker", "args"}:
        raise Unverifiable(f"of: expected {_FORM}, got {source!r:.60}")
    name, args = source.get("checker"), source.get("args", {})
    if not isinstance(name, str) or not isinstance(args, Mapping):
        raise Unverifiable(f"of: expected {_FORM}, got {source!r:.60}")
    checker = checker_named(name)
    if checker.value is None or checker.name == "derived_equals":
        raise Unverifiable(f"of: {checker.name} finds no value of its own")
    stray = [one for one in (*COMMON, checker.value) if one in args]
    if stray:
        raise Unverifiable(
            f"of: a part only finds a value, so that {stray[0]!r} has no place in it: {_FORM}"
        )
    checker.check_args(Claim(id="part", checker=checker.name, args=args, expected=None))
    return checker.observe(args, evidence)


def _number(found: Observed) -> Decimal:
    """The number that a part finds; a word such as `none` is no number here."""
    value = found.value
    is_word = isinstance(value, str) and not any(letter.isdecimal() for letter in value)
    number = None if is_word else number_of(value)
    if number is None:
        raise NotThere(f"{found.where} holds {value!r:.40}, which is no number")
    return number
