"""Numbers as a text prints them: digits, percentages, powers of ten, and words for counts.

A number in digits states a range: `0.86` means anything that rounds to it. It is compared at the
precision it is printed with, so that `0.860` is a stronger statement than `0.86`. A count in words
is exact.
"""

import math
import re
from collections.abc import Mapping
from decimal import Decimal, InvalidOperation
from typing import Literal

import msgspec

_DIGITS = 40
"""A longer text is not a number that anyone prints."""
SPACES = "\u00a0\u2002-\u200a\u202f "
SEPARATOR = re.compile(rf"[,{SPACES}]|\{{,\}}|\\,")
"""What may stand between thousands, in LaTeX too."""
DASHES = "\\-\u2010-\u2013\u2212\ufe63\uff0d"
"""Every sign that looks like a minus: hyphens, figure and en dashes, minus signs, wide ones."""
_NUMBER = rf"(?:(?!0)\d{{1,3}}(?:(?:{SEPARATOR.pattern})\d{{3}}){{1,12}}(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_POINTS = r"\s?(?:%|per\s?cent)[\s-]?points?\b"
_PERCENT = r"(?:\\,|[\s~]){0,2}(?:\\?[%\uff05\ufe6a\u066a\u2030]|per\s?cent\b|pct\b)"
_LARGE_UNITS = {
    "hundred": 10**2, "thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12
}  # fmt: skip
_SHORT_UNITS = {"k": 10**3, "K": 10**3, "M": 10**6, "MM": 10**6, "mn": 10**6, "Mio": 10**6,
                "B": 10**9, "bn": 10**9}  # fmt: skip
_TIMES = r"\s?\u00d7(?!\s?[\d(])|x(?![A-Za-z\d])"
CURRENCIES = "$\u20ac\u00a3\u00a5"
_CURRENCY = r"\s?[\u20ac\u00a3\u00a5](?!\d)|\s(?:USD|EUR|GBP|JPY|CHF|dollars?|euros?)\b"
MEASURES = (
    r"(?:(?:[mnu\u00b5\u03bc]|(?<![1-9]0))s|min|h|[kKMGT]i?B|[kMG]?Hz|px|dB|pp|pts|tok/s)"
    r"(?![A-Za-z\d])"
)
"""Units that may be glued to a number, which is compared without them; `90s` is a decade."""
_SIGN = rf"(?:(?<![\w.)\]])[+{DASHES}](?=[\d.{CURRENCIES}])|\b(?:[Mm]inus|[Nn]egative)\s)?"
PATTERN = re.compile(
    rf"(?P<sign>{_SIGN})(?P<currency>[{CURRENCIES}]?)(?P<digits>{_NUMBER})"
    rf"(?:[eE](?P<power>[+{DASHES}]?\d{{1,3}})(?!\d))?"
    rf"(?P<unit>{_POINTS}|{_PERCENT}|\s?[kM](?![A-Za-z\d])|[KB](?![A-Za-z\d])"
    rf"|\s?(?:MM|mn|Mio|bn)\b|{_TIMES}|{_CURRENCY}"
    rf"|\s(?:{'|'.join(_LARGE_UNITS)})\b|{MEASURES})?"
)
"""A dash behind a digit or a word is a range or a hyphen, not a sign."""
_RAISED = str.maketrans("\u207a\u207b\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079",
                        "+-0123456789")  # fmt: skip
_RAISED_DIGITS = "\u2070\u00b9\u00b2\u00b3\u2074-\u2079"
POWER = re.compile(
    rf"(?P<sign>{_SIGN})(?:(?<!\d)(?P<digits>{_NUMBER})\s?(?:[\u00d7\u00b7\u22c5*]|x(?=\s?10\b))\s?)?"
    rf"(?<!\d)10(?:\s?\^\s?(?P<power>[+{DASHES}]?\d{{1,3}})(?!\d)"
    rf"|(?P<raised>[\u207a\u207b]?[{_RAISED_DIGITS}]{{1,3}}))"
)
"""A power of ten, alone or behind its factor: 10^4, 3 x 10^-5, 8.7 x 10 with a raised exponent."""
_MINUS = re.compile(rf"[{DASHES}]|minus|negative", re.IGNORECASE)
UNITS: Mapping[str, int] = {**_LARGE_UNITS, **_SHORT_UNITS}
"""Units that multiply the number before them."""
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = {word: number for number, word in enumerate(_ONES)}
_SMALL |= {word: 10 * number for number, word in enumerate(_TENS, 2)}
_OTHERS = {
    "dozen": 12, "no": 0, "none": 0, "nothing": 0, "never": 0, "once": 1, "single": 1, "twice": 2,
    "both": 2, "pair": 2, "couple": 2, "thrice": 3,
}  # fmt: skip
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth"
).split()
_PARTS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6, "seventh": 7,
          "eighth": 8, "ninth": 9, "tenth": 10}  # fmt: skip
_FRACTION = re.compile(
    rf"(?:(?P<above>{'|'.join([*_ONES[1:10], 'a', 'an'])})[\s-])?"
    rf"(?P<below>{'|'.join(_PARTS)}|halve|quarter)s?",
    re.IGNORECASE,
)
SAID_ONLY = frozenset(
    [*_ORDINALS, *_PARTS, "nothing", "never", "single", "pair", "couple", "thrice"]
)
"""Words that count only where a claim says that they do: `says="first"`."""
_ORDINAL = re.compile(r"(\d{1,6})(?:st|nd|rd|th)", re.IGNORECASE)
WORDS = frozenset(_SMALL) | frozenset(_LARGE_UNITS) | {"dozen"}
"""Words that count, where they stand alone in a text."""


class WrittenFloat(float):
    """A float of a claim file, with its digits: 0.90 is a stronger statement than 0.9."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> "WrittenFloat":
        """From the text of the number."""
        made = super().__new__(cls, text)
        made.text = text
        return made


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """A number as it stands in a text: its value, and one unit of its last printed place.

    A percentage has the value of the share: 86.4 % is .864, and its last place .001. An `exact` one
    admits no rounding.
    """

    text: str
    value: Decimal
    last_place: Decimal
    percent: bool = False
    exact: bool = False

    def admits(self, observed: float | int | Decimal) -> bool:
        """Whether a number prints as this one; at a half, rounding up and down both do."""
        try:
            number = observed if isinstance(observed, Decimal) else Decimal(repr(observed))
        except InvalidOperation:
            return False
        if not number.is_finite():
            return False
        slack = Decimal(0) if self.exact else self.last_place / 2 * (1 + Decimal("1e-9"))
        return abs(number - self.value) <= slack

    def moved(self, steps: int) -> str:
        """The same number so many units of its last place further, printed alike."""
        value, unit = self.value + steps * self.last_place, ""
        if self.percent:
            value, unit = value * 100, "%"
        return f"{value:f}{unit}"


def parse_printed(text: object) -> Printed | None:
    """A text or a number as a printed number; None if it is not one."""
    if isinstance(text, bool) or text is None:
        return None
    if isinstance(text, int):
        return Printed(text=str(text), value=Decimal(text), last_place=Decimal(1))
    if isinstance(text, float):
        if not math.isfinite(text):
            return None
        text = text.text if isinstance(text, WrittenFloat) else repr(text)
    if not isinstance(text, str) or len(text) > _DIGITS:
        return None
    words = text.strip()
    digits = _in_digits(words)
    if digits is not None:
        return digits
    part = parse_fraction(words)
    if part is not None:
        return Printed(text=words, value=part, last_place=Decimal("0.1"))
    count = parse_count(words)
    if count is None:
        return None
    return Printed(text=words, value=Decimal(count), last_place=Decimal(1), exact=True)


def bare_number(text: str) -> Decimal | None:
    """The value of a text that is a number in digits alone; a percentage is a share.

    None behind a currency and before a unit, since $5 is not 5 seconds.
    """
    words = text.strip()
    if len(words) > _DIGITS:
        return None
    found = PATTERN.fullmatch(words)
    if found is not None:
        unit = found["unit"] or ""
        if found["currency"] or (unit and unit_kind(unit) == "other"):
            return None
    number = _in_digits(words)
    return None if number is None else number.value


def _in_digits(words: str) -> Printed | None:
    """A number or a power of ten in digits, with its unit."""
    found = PATTERN.fullmatch(words)
    if found is not None:
        return _from_match(found)
    power = POWER.fullmatch(words)
    return None if power is None else _from_power(power)


def is_minus(sign: str | None) -> bool:
    """Whether a sign, in any of its spellings, is a minus."""
    return bool(sign) and _MINUS.match(str(sign)) is not None


def _exponent(text: str) -> int:
    return int(re.sub(f"[{DASHES}]", "-", text))


def _from_power(found: re.Match[str]) -> Printed:
    """The number of a power of ten; without a factor it is exact."""
    power = _exponent(found["power"] or found["raised"].translate(_RAISED))
    value = Decimal(SEPARATOR.sub("", found["digits"] or "1"))
    last = Decimal(1).scaleb(int(value.as_tuple().exponent) + power)
    value = (-value if is_minus(found["sign"]) else value).scaleb(power)
    exact = found["digits"] is None
    return Printed(text=found[0].strip(), value=value, last_place=last, exact=exact)


def unit_kind(unit: str) -> Literal["percent", "permille", "other"]:
    """Whether what stands behind a number makes it a share of a hundred, or of a thousand."""
    unit = unit.strip()
    if unit.endswith("\u2030"):
        return "permille"
    is_percent = unit.endswith(("%", "cent", "pct", "\uff05", "\ufe6a", "\u066a"))
    return "percent" if is_percent else "other"


def _from_match(found: re.Match[str]) -> Printed:
    digits = SEPARATOR.sub("", found["digits"])
    value = Decimal(digits)
    last = Decimal(1).scaleb(int(value.as_tuple().exponent))
    if found["power"]:
        power = _exponent(found["power"])
        value, last = value.scaleb(power), last.scaleb(power)
    unit = (found["unit"] or "").strip()
    kind = unit_kind(unit)
    factor = {"percent": Decimal("0.01"), "permille": Decimal("0.001")}.get(
        kind, Decimal(UNITS.get(unit, 1))
    )
    value, last = value * factor, last * factor
    if is_minus(found["sign"]):
        value = -value
    return Printed(text=found[0].strip(), value=value, last_place=last, percent=kind == "percent")


def parse_fraction(text: str) -> Decimal | None:
    """What words for a fraction come to: half, a third, two thirds, three-quarters.

    A `third` alone is a place: it is read as a fraction behind `a`, `one`, and other counts.
    """
    found = _FRACTION.fullmatch(text.strip())
    if found is None:
        return None
    below = found["below"].lower()
    above = (found["above"] or "").lower()
    if not above and below not in ("half", "quarter"):
        return None
    count = 1 if above in ("", "a", "an") else _ONES.index(above)
    return Decimal(count) / (2 if below == "halve" else _PARTS[below])


def parse_count(text: str) -> int | None:
    """What words for a number come to: thirteen, twenty-five, one hundred and five, a dozen."""
    words = [word for word in re.split(r"[\s-]+", text.strip().lower()) if word != "and"]
    words = words[1:] if len(words) > 1 and words[0] in ("a", "an") else words
    if not words or len(words) > 12:
        return None
    if len(words) == 1 and words[0] in _OTHERS:
        return _OTHERS[words[0]]
    if len(words) == 1 and words[0] in _ORDINALS:
        return _ORDINALS.index(words[0])
    if len(words) == 1 and (place := _ORDINAL.fullmatch(words[0])):
        return int(place[1])
    total, part, seen = 0, 0, False
    for word in words:
        if word in _SMALL:
            part += _SMALL[word]
        elif word == "hundred":
            part = (part or 1) * 100
        elif word in _LARGE_UNITS:
            total, part = total + (part or 1) * _LARGE_UNITS[word], 0
        elif word == "dozen":
            part = (part or 1) * 12
        else:
            return None
        seen = True
    return total + part if seen else None


def spelled(number: int, like: str) -> str | None:
    """A count in words, with a capital where the other has one; None from a hundred on."""
    if not 0 <= number < 100:
        return None
    if number < len(_ONES):
        word = _ONES[number]
    else:
        tens, ones = divmod(number, 10)
        word = _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    return word.capitalize() if like[:1].isupper() else word
