"""A value in the form of a printed one: its decimals, separators, sign, power, unit or words."""

import re
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

from assay.claim_audit.agreement import agrees, interval_of, number_of, parts_of
from assay.claim_audit.texts.printed_intervals import PrintedSpread, parse_spread
from assay.tables.numbers.printed_numbers import (
    DASHES,
    PATTERN,
    SEPARATOR,
    UNITS,
    WORDS,
    is_minus,
    parse_printed,
    spelled,
    unit_kind,
)

_SHARES = {"percent": Decimal(100), "permille": Decimal(1000)}
_MINUS = ("-", "\u2212")
_COUNTS = WORDS - {"dozen"} | {"and"}
"""Words that another count can take the place of; `half` and `a dozen` are not."""
_LONGEST_TEXT = 80
_MOST_POWERS = 9
_LEAST_DIGITS = 2
"""Significant digits from which two numbers that differ by a power of ten are hardly unrelated."""


def other_power(old: str, observed: object) -> int:
    """The power of ten by which what is there differs from a printed number; 0 if by no power."""
    printed, number = parse_printed(old), _number(observed)
    if printed is None or number is None or not printed.value:
        return 0
    if len(printed.value.normalize().as_tuple().digits) < _LEAST_DIGITS:
        return 0
    powers = [power for power in range(-_MOST_POWERS, _MOST_POWERS + 1) if power]
    return next((power for power in powers if printed.admits(number.scaleb(-power))), 0)


def other_sign(old: str, observed: object) -> bool:
    """Whether what is there has the other sign than a printed number."""
    printed, number = parse_printed(old), _number(observed)
    return printed is not None and number is not None and printed.value * number < 0


def reprinted(old: str, observed: object) -> str | None:
    """An observed value in the form of the old one; None where that form cannot state it.

    The new text is read again, and must say what was observed.
    """
    spread = parse_spread(old)
    if spread is not None:
        new = _with_spread(spread, observed)
    elif parse_printed(old) is None:
        return observed if isinstance(observed, str) and _fits_a_line(observed) else None
    else:
        number = _number(observed)
        new = None if number is None else _printed_as(old, number)
    return new if new is not None and agrees(new, observed) else None


def _fits_a_line(text: str) -> bool:
    return 0 < len(text) <= _LONGEST_TEXT and text.isprintable() and "--" not in text


def _number(observed: object) -> Decimal | None:
    """The number of a value, or of a record with its interval; a word is none."""
    if isinstance(observed, str) and not any(letter.isdecimal() for letter in observed):
        return None
    whole = interval_of(observed) if isinstance(observed, Mapping) else None
    return whole[0] if whole else number_of(observed)


def _with_spread(old: PrintedSpread, observed: object) -> str | None:
    """A value with its interval or its error, between the same brackets and marks."""
    numbers = parts_of(observed, len(old.parts))
    if numbers is None:
        return None
    made: list[str] = []
    for part, number in zip(old.parts, numbers, strict=True):
        in_percent = part.percent and not part.text.endswith(("%", "cent"))
        new = _printed_as(part.text, number * 100 if in_percent else number)
        if new is None:
            return None
        made.append(new)
    return old.with_parts(*made)


def _printed_as(old: str, number: Decimal) -> str | None:
    found = PATTERN.fullmatch(old.strip())
    if found is None:
        return _spelled_as(old.strip(), number)
    unit = found["unit"] or ""
    try:
        shown = number * _SHARES.get(unit_kind(unit), 1 / Decimal(UNITS.get(unit.strip(), 1)))
        if found["power"]:
            value, power = _powered(found, shown)
        else:
            value, power = _rounded(shown, _places(found["digits"])), ""
    except InvalidOperation:  # more digits than are computed with
        return None
    sign = _sign(found["sign"], value)
    return (
        None
        if sign is None
        else f"{sign}{found['currency']}{_body(found['digits'], value)}{power}{unit}"
    )


def _spelled_as(old: str, number: Decimal) -> str | None:
    """A count in words; None where one of the two is none."""
    words = re.split(r"[\s-]+", old.lower())
    if not set(words) <= _COUNTS or number != number.to_integral_value():
        return None
    new = spelled(int(number), old)
    return new.upper() if new is not None and old.isupper() else new


def _places(digits: str) -> int:
    return len(digits.partition(".")[2])


def _rounded(value: Decimal, places: int) -> Decimal:
    return value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)


def _body(digits: str, value: Decimal) -> str:
    """The digits of a number, with the separator and the leading zero of others."""
    mark = SEPARATOR.search(digits)
    text = f"{abs(value):f}" if mark is None else f"{abs(value):,f}".replace(",", mark[0])
    return text[1:] if digits.startswith(".") and text.startswith("0.") else text


def _sign(old: str, value: Decimal) -> str | None:
    """The sign of a value, by the mark that the old one has; a dash may be a range's."""
    if value < 0:
        return None if old == "\u2013" else old if is_minus(old) else "-"
    return "" if is_minus(old) else old


def _powered(found: re.Match[str], shown: Decimal) -> tuple[Decimal, str]:
    """The factor and the power of ten of a number, with as many digits before the point."""
    digits, old = found["digits"], found["power"]
    places = _places(digits)
    before = len(digits.partition(".")[0]) - 1
    power = int(re.sub(f"[{DASHES}]", "-", old)) if shown == 0 else shown.adjusted() - before
    value = _rounded(shown.scaleb(-power), places)
    if value and value.adjusted() > before:  # 9.96 became 10.0
        power += 1
        value = _rounded(shown.scaleb(-power), places)
    mark = next(letter for letter in found[0] if letter in "eE")
    minus = next((one for one in _MINUS if one in (old[0], found["sign"])), "-")
    sign = minus if power < 0 else "+" if old[0] == "+" else ""
    width = len(old.lstrip("+-\u2212")) if re.match(r"[+\-\u2212]?0", old) else 1
    return value, f"{mark}{sign}{abs(power):0{width}d}"
