"""Other forms of a printed number: in per cent as a file holds it, or with two digits exchanged."""

from collections.abc import Iterator, Mapping
from decimal import Decimal
from itertools import combinations
from typing import Any

from msgspec.structs import replace

from assay.tables.numbers.printed_numbers import Printed

_FEWEST_DIGITS = 3
_MOST_DIGITS = 9
"""Digits from which two that are exchanged are hardly a coincidence."""


def scaled_forms(printed: Printed) -> Iterator[tuple[Printed, Mapping[str, Any]]]:
    """The number as a file may hold it, and what a claim then has to say."""
    if printed.percent:
        value, last = printed.value * 100, printed.last_place * 100
        yield replace(printed, value=value, last_place=last), {"percent": True}


def exchanged_forms(printed: Printed) -> Iterator[Printed]:
    """The number with two digits exchanged, as typing errors have it."""
    sign, digits, exponent = printed.value.as_tuple()
    places = int(printed.last_place.adjusted())
    if (
        printed.exact
        or not _FEWEST_DIGITS <= len(digits) <= _MOST_DIGITS
        or not isinstance(exponent, int)
    ):
        return
    if exponent > places:  # 1,840 printed to the last place
        digits, exponent = (*digits, *([0] * (exponent - places))), places
    for first, second in combinations(range(len(digits)), 2):
        if digits[first] != digits[second] and not (first == 0 and digits[second] == 0):
            other = list(digits)
            other[first], other[second] = digits[second], digits[first]
            yield replace(printed, value=Decimal((sign, tuple(other), exponent)))
