"""Whether a claimed value and an observed one agree.

Numbers are compared at the precision they are printed with. A percentage is a share: 86.4 % agrees
with .864. A number with its interval (`0.864 [0.796, 0.932]`) agrees if all three do.
"""

import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from assay.claim_audit.printed_numbers import Printed, parse_printed

OPERATORS = ("==", "!=", "<", "<=", ">", ">=")
_WITH_INTERVAL = re.compile(r"\s*([^\[\]]+?)\s*\[\s*([^,;\]]+)[,;]\s*([^\]]+)\]\s*")
_VALUES = ("value", "auc", "delta", "estimate", "mean")
"""The keys of the value in a record with `low` and `high`."""


def agrees(claimed: Any, observed: Any, operator: str = "==") -> bool:  # noqa: ANN401 - any JSON value
    """Whether an observed value agrees with the claimed one."""
    if operator == "!=":
        return not agrees(claimed, observed)
    if operator != "==":
        return _ordered(claimed, observed, operator)
    printed_interval = with_interval(claimed)
    if printed_interval is not None:
        numbers = interval_of(observed)
        return numbers is not None and all(
            part.admits(number) for part, number in zip(printed_interval, numbers, strict=True)
        )
    if isinstance(observed, bool) or isinstance(claimed, bool) or claimed is None:
        return type(claimed) is type(observed) and claimed == observed
    if isinstance(claimed, list) and isinstance(observed, (list, tuple)):
        return len(claimed) == len(observed) and all(map(agrees, claimed, observed))
    if isinstance(claimed, Mapping) and isinstance(observed, Mapping):
        return claimed.keys() == observed.keys() and all(
            agrees(value, observed[key]) for key, value in claimed.items()
        )
    if isinstance(claimed, str) and isinstance(observed, str) and claimed == observed:
        return True
    whole = interval_of(observed) if isinstance(observed, Mapping) else None
    printed, number = parse_printed(claimed), whole[0] if whole else number_of(observed)
    return printed is not None and number is not None and printed.admits(number)


def number_of(observed: object) -> Decimal | None:
    """The number in a value; None if it is not a number."""
    if isinstance(observed, Decimal):
        return observed
    found = parse_printed(observed)
    return None if found is None else found.value


def with_interval(text: object) -> tuple[Printed, Printed, Printed] | None:
    """A value with its lower and upper end, if a text prints all three."""
    found = _WITH_INTERVAL.fullmatch(text) if isinstance(text, str) else None
    parts = [parse_printed(part) for part in found.groups()] if found else []
    first, low, high = parts if len(parts) == 3 else (None, None, None)
    return None if first is None or low is None or high is None else (first, low, high)


def interval_of(observed: object) -> tuple[Decimal, Decimal, Decimal] | None:
    """The value and the ends of an interval, from a record that has them or a list of three."""
    values: list[object] = []
    if isinstance(observed, Mapping):
        for name in _VALUES:
            if not values and all(part in observed for part in (name, "low", "high")):
                values = [observed[name], observed["low"], observed["high"]]
        ends = observed.get("interval")
        if not values and "value" in observed and isinstance(ends, (list, tuple)):
            values = [observed["value"], *ends]
    elif isinstance(observed, (list, tuple)):
        values = list(observed)
    numbers = [number_of(value) for value in values]
    first, low, high = numbers if len(numbers) == 3 else (None, None, None)
    return None if first is None or low is None or high is None else (first, low, high)


def _ordered(claimed: object, observed: object, operator: str) -> bool:
    """Whether an observed number lies on the claimed side of a bound."""
    printed, number = parse_printed(claimed), number_of(observed)
    if printed is None or number is None:
        return False
    bound = printed.value
    return {
        "<": number < bound,
        "<=": number <= bound,
        ">": number > bound,
        ">=": number >= bound,
    }[operator]
