"""Values computed from others: "7.3 points" is checked from its two ends."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal, DivisionByZero, InvalidOperation

from assay.claim_audit.agreement import number_of
from assay.claim_audit.checkers.checker import Args, Checker, text_arg
from assay.claim_audit.claim import Claim, Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere

_OPERATIONS: Mapping[str, Callable[[Sequence[Decimal]], Decimal]] = {
    "difference": lambda values: values[0] - values[1],
    "points": lambda values: 100 * (values[0] - values[1]),
    "ratio": lambda values: values[0] / values[1],
    "percent": lambda values: 100 * values[0] / values[1],
    "change": lambda values: (values[0] - values[1]) / values[1],
    "sum": lambda values: sum(values, Decimal(0)),
    "mean": lambda values: sum(values, Decimal(0)) / len(values),
    "product": lambda values: values[0] * values[1],
}


def derived_checker(checker_named: Callable[[str], Checker]) -> Checker:
    """The checker of a value computed from the results of other checkers."""

    def observe(args: Args, evidence: EvidenceReader) -> Observed:
        operation, sources = text_arg(args, "operation"), args.get("of")
        if operation not in _OPERATIONS:
            raise Unverifiable(f"operation: expected one of {', '.join(_OPERATIONS)}")
        if not isinstance(sources, Sequence) or isinstance(sources, str) or len(sources) < 2:
            raise Unverifiable("of: expected the checkers of two values or more")
        found = [_part(source, evidence, checker_named) for source in sources]
        numbers = [_number(one) for one in found]
        try:
            value = _OPERATIONS[operation](numbers)
        except (DivisionByZero, InvalidOperation):
            raise NotThere(f"{operation}: the result is not a number") from None
        return Observed(value=float(value), where=" and ".join(one.where for one in found))

    return Checker(
        name="derived_equals",
        about="a difference, ratio or percentage of other values",
        observe=observe,
        required=("operation", "of"),
        value="value",
    )


def _part(
    source: object, evidence: EvidenceReader, checker_named: Callable[[str], Checker]
) -> Observed:
    """The value of one source: `{checker, args}`, or a plain number."""
    if isinstance(source, (int, float)) and not isinstance(source, bool):
        return Observed(value=source, where=str(source))
    if not isinstance(source, Mapping) or not isinstance(source.get("checker"), str):
        raise Unverifiable(f"of: expected {{checker, args}}, got {source!r:.60}")
    checker, args = checker_named(source["checker"]), source.get("args", {})
    if checker.value is None or checker.name == "derived_equals":
        raise Unverifiable(f"of: {checker.name} does not return a value")
    checker.check_args(Claim(id="part", checker=checker.name, args=args, expected=None))
    return checker.observe(args, evidence)


def _number(found: Observed) -> Decimal:
    number = number_of(found.value)
    if number is None:
        raise NotThere(f"{found.where} holds {found.value!r:.40}, which is not a number")
    return number
