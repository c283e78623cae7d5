"""Numbers as a text prints them: digits, percentages, powers of ten, and words for counts.

A number in digits states a range: `0.86` means anything that rounds to it. It is compared at the
precision it is printed with, so that `0.860` is a stronger statement than `0.86`. A count in words
is exact.
"""

import math
import re
from decimal import Decimal, InvalidOperation

import msgspec

_DIGITS = 40
"""A longer text is not a number that anyone prints."""
SEPARATOR = re.compile(r"[,\u00a0\u202f ]|\{,\}|\\,")
"""What may stand between thousands, in LaTeX too."""
_NUMBER = rf"(?:\d{{1,3}}(?:(?:{SEPARATOR.pattern})\d{{3}})+(?!\d)|\d+)(?:\.\d+)?|\.\d+"
_PERCENT = r"(?:\\,|[\s~])?(?:\\?%|per\s?cent\b)"
_LARGE_UNITS = {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}
MEASURES = (
    r"(?:(?:[mnu\u00b5\u03bc]|(?<![1-9]0))s|min|h|[kKMGT]i?B|[kMG]?Hz|px|dB|pp|pts|tok/s)"
    r"(?![A-Za-z\d])"
)
"""Units that may be glued to a number, which is compared without them; `90s` is a decade."""
PATTERN = re.compile(
    rf"(?P<sign>(?:(?<![\w.)\]])[+\-\u2212\u2013])?)(?P<digits>{_NUMBER})"
    r"(?:[eE](?P<power>[+\-\u2212]?\d{1,3}))?"
    rf"(?P<unit>{_PERCENT}|\s?[kM](?![A-Za-z])|x(?![A-Za-z])"
    rf"|\s(?:{'|'.join(_LARGE_UNITS)})\b|{MEASURES})?"
)
"""A dash behind a digit or a word is a range or a hyphen, not a sign."""
_MINUS = ("-", "\u2212", "\u2013")
_UNITS = {"k": 1_000, "M": 1_000_000, "x": 1, **_LARGE_UNITS}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = {word: number for number, word in enumerate(_ONES)}
_SMALL |= {word: 10 * number for number, word in enumerate(_TENS, 2)}
_OTHERS = {"dozen": 12, "no": 0, "none": 0, "once": 1, "twice": 2, "both": 2}
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
    found = PATTERN.fullmatch(words)
    if found is not None:
        return _from_match(found)
    if words.lower() == "half":
        return Printed(text=words, value=Decimal("0.5"), last_place=Decimal("0.1"))
    count = parse_count(words)
    if count is None:
        return None
    return Printed(text=words, value=Decimal(count), last_place=Decimal(1), exact=True)


def _from_match(found: re.Match[str]) -> Printed:
    digits = SEPARATOR.sub("", found["digits"])
    value = Decimal(digits)
    last = Decimal(1).scaleb(int(value.as_tuple().exponent))
    if found["power"]:
        power = int(found["power"].replace("\u2212", "-"))
        value, last = value.scaleb(power), last.scaleb(power)
    unit = (found["unit"] or "").strip()
    percent = unit.endswith(("%", "cent"))
    if percent:
        value, last = value / 100, last / 100
    elif unit:
        value, last = value * _UNITS.get(unit, 1), last * _UNITS.get(unit, 1)
    if found["sign"] in _MINUS:
        value = -value
    return Printed(text=found[0].strip(), value=value, last_place=last, percent=percent)


def parse_count(text: str) -> int | None:
    """What words for a number come to: thirteen, twenty-five, one hundred and five, a dozen."""
    words = [word for word in re.split(r"[\s-]+", text.strip().lower()) if word != "and"]
    words = words[1:] if len(words) > 1 and words[0] in ("a", "an") else words
    if not words or len(words) > 12:
        return None
    if len(words) == 1 and words[0] in _OTHERS:
        return _OTHERS[words[0]]
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
