"""Whether a claimed value and an observed one agree.

Numbers are compared at the precision they are printed with. A percentage is a share: 86.4 % agrees
with .864. A number with its interval (`0.864 [0.796, 0.932]`) agrees if all three do. Two texts are
compared as numbers only if both write one: `007` is a name.
"""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from assay.claim_audit.texts.printed_intervals import parse_spread
from assay.tables.numbers.printed_numbers import SAID_ONLY, Printed, parse_printed

OPERATORS = ("==", "!=", "<", "<=", ">", ">=")
_VALUES = ("value", "auc", "delta", "estimate", "mean", "point")
"""What a record with an interval may call the value inside it."""
_ENDS = (("low", "high"), ("lower", "upper"), ("ci_low", "ci_high"), ("ci_lower", "ci_upper"))
_PAIRS = ("interval", "ci", "ci95", "confidence_interval")
"""What it may call the ends, each alone or both as a list of two."""
_WRITTEN: Mapping[bool | None, tuple[str, ...]] = {
    True: ("true",), False: ("false",), None: ("null", "none")
}  # fmt: skip
"""How a claim writes what is no number and no text."""


def agrees(claimed: Any, observed: Any, operator: str = "==") -> bool:  # noqa: ANN401 - any JSON value
    """Whether an observed value is as claimed."""
    if operator == "!=":
        return not agrees(claimed, observed)
    if operator != "==":
        return _ordered(claimed, observed, operator)
    spread = parse_spread(claimed)
    if spread is not None:
        numbers = parts_of(observed, len(spread.parts))
        return claimed == observed or (
            numbers is not None and all(map(Printed.admits, spread.parts, numbers))
        )
    if isinstance(claimed, str) and (observed is None or isinstance(observed, bool)):
        return claimed.strip().lower() in _WRITTEN[observed]
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
    printed, number = parse_printed(claimed), value_of(observed)
    return printed is not None and number is not None and printed.admits(number)


def number_of(observed: object) -> Decimal | None:
    """The number that a value is or writes; None if it is none, or a name in digits (`007`)."""
    if isinstance(observed, Decimal):
        return observed
    if isinstance(observed, str) and (
        re.match(r"\s*[+-]?0\d", observed) or SAID_ONLY & set(re.split(r"[\W_]+", observed.lower()))
    ):
        return None
    found = parse_printed(observed)
    return None if found is None else found.value


def value_of(observed: object) -> Decimal | None:
    """The number that a value is or writes, or that its record has beside an interval."""
    whole = interval_of(observed) if isinstance(observed, Mapping) else None
    return number_of(observed) if whole is None else whole[0]


def interval_of(observed: object) -> tuple[Decimal, Decimal, Decimal] | None:
    """The value and the ends of an interval, from a record that has them or a list of three."""
    values: list[object] = []
    if isinstance(observed, Mapping):
        ends: list[Sequence[object]] = [
            [observed[low], observed[high]] for low, high in _ENDS if {low, high} <= set(observed)
        ]
        ends += [pair for name in _PAIRS if isinstance(pair := observed.get(name), (list, tuple))]
        inside = [observed[name] for name in _VALUES if name in observed]
        values = [inside[0], *ends[0]] if inside and ends else []
    elif isinstance(observed, (list, tuple)):
        values = list(observed)
    numbers = [number_of(value) for value in values]
    first, low, high = numbers if len(numbers) == 3 else (None, None, None)
    return None if first is None or low is None or high is None else (first, low, high)


def parts_of(observed: object, count: int) -> tuple[Decimal, ...] | None:
    """The three numbers of a value with its interval, or the two of a value with its error."""
    if count == 3:
        return interval_of(observed)
    values = observed if isinstance(observed, (list, tuple)) else []
    numbers = [number for value in values if (number := number_of(value)) is not None]
    return tuple(numbers) if len(numbers) == len(values) == count else None


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
