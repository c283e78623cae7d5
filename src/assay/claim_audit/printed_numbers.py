"""Numbers as a text prints them: digits, percentages, powers of ten, and words for counts.

A printed number stands for a range: `0.86` is any number that rounds to it. Numbers are compared at
their printed precision, so `0.860` is a stronger statement than `0.86`.
"""

import math
import re
from decimal import Decimal, InvalidOperation

import msgspec

_DIGITS = 40
"""A longer text is not taken as a number."""
_NUMBER = r"(?:\d{1,3}(?:[,\u00a0\u202f ]\d{3})+|\d+)(?:\.\d+)?|\.\d+"
PATTERN = re.compile(
    rf"(?P<sign>[+\-\u2212\u2013]?)(?P<digits>{_NUMBER})"
    r"(?:[eE](?P<power>[+\-\u2212]?\d{1,3}))?(?P<unit>\s?%|\s?[kM](?![A-Za-z])|x(?![A-Za-z]))?"
)
_UNITS = {"k": Decimal(1000), "M": Decimal(1_000_000), "x": Decimal(1)}
_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SMALL = {word: number for number, word in enumerate(_ONES)}
_SMALL |= {word: 10 * number for number, word in enumerate(_TENS, 2)}
_LARGE = {"hundred": 100, "thousand": 1_000, "million": 1_000_000}
_OTHERS = {"dozen": 12, "no": 0, "none": 0, "once": 1, "twice": 2, "both": 2, "half": 0.5}
WORDS = frozenset(_SMALL) | frozenset(_LARGE) | {"dozen"}
"""Count words, recognised if they stand alone in a text."""


class Printed(msgspec.Struct, frozen=True, kw_only=True):
    """A number as it stands in a text: its value, and one unit of its last printed place.

    A percentage has the value of the share: 86.4 % is .864, and its last place .001.
    """

    text: str
    value: Decimal
    last_place: Decimal
    percent: bool = False

    def admits(self, observed: float | int | Decimal) -> bool:
        """Whether a number prints like this one; a half may be rounded either way."""
        try:
            exact = observed if isinstance(observed, Decimal) else Decimal(repr(observed))
        except InvalidOperation:
            return False
        if not exact.is_finite():
            return False
        return abs(exact - self.value) <= self.last_place / 2 * (1 + Decimal("1e-9"))

    def moved(self, steps: int) -> str:
        """The number some units of its last place away, printed in the same form."""
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
        text = repr(text)
    if not isinstance(text, str) or len(text) > _DIGITS:
        return None
    words = text.strip()
    found = PATTERN.fullmatch(words)
    if found is None:
        count = parse_count(words)
        return None if count is None else Printed(
            text=words, value=Decimal(str(count)), last_place=Decimal(1)
        )  # fmt: skip
    return _from_match(found)


def _from_match(found: re.Match[str]) -> Printed:
    digits = re.sub(r"[,\u00a0\u202f ]", "", found["digits"])
    value = Decimal(digits)
    last = Decimal(1).scaleb(int(value.as_tuple().exponent))
    if found["power"]:
        power = int(found["power"].replace("\u2212", "-"))
        value, last = value.scaleb(power), last.scaleb(power)
    unit = (found["unit"] or "").strip()
    if unit == "%":
        value, last = value / 100, last / 100
    elif unit:
        value, last = value * _UNITS[unit], last * _UNITS[unit]
    if found["sign"] in ("-", "\u2212"):
        value = -value
    return Printed(text=found[0].strip(), value=value, last_place=last, percent=unit == "%")


def parse_count(text: str) -> int | float | None:
    """The value of number words: thirteen, twenty-five, one hundred and five, a dozen."""
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
        elif word in _LARGE:
            total, part = total + (part or 1) * _LARGE[word], 0
        elif word == "dozen":
            part = (part or 1) * 12
        else:
            return None
        seen = True
    return total + part if seen else None


def spelled(number: int, like: str) -> str | None:
    """A count in words, capitalised like the other; None for a hundred and more."""
    if not 0 <= number < 100:
        return None
    if number < len(_ONES):
        word = _ONES[number]
    else:
        tens, ones = divmod(number, 10)
        word = _TENS[tens - 2] + (f"-{_ONES[ones]}" if ones else "")
    return word.capitalize() if like[:1].isupper() else word
