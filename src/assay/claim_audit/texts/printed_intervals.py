"""A number with its interval, as papers print it.

0.894 [0.830, 0.945]      0.894 (0.830-0.945)      86.5 % (95 % CI 79.6 to 93.2)
**0.894** [0.830; 0.945]  0.894, 95% CI 0.830-0.945  $0.894$ ($0.830$--$0.945$)
"""

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from assay.claim_audit.texts.printed_numbers import PATTERN, Printed, parse_printed

_NUMBER = re.sub(r"\?P<\w+>", "?:", PATTERN.pattern)
_SPACE = r"(?:\s|~|\\[,;: ]|\{\}){0,3}"
_MARK = r"(?:\*{1,3}|_{1,2}|\$){0,2}"
_NAME = r"(?:C\.?I\.?|CrI|HDI|(?:(?:confidence|credible)\s)?interval)"
_LABEL = rf"(?:[5-9]\d(?:\.\d{{1,2}})?{_SPACE}\\?%{_SPACE}{_NAME}|{_NAME}){_SPACE}[:,=]?{_SPACE}"
_TO = rf"{_SPACE}(?:[,;]|--?-?|[\u2012-\u2015]|to\b){_SPACE}"
_ENDS = rf"{_MARK}(?P<low>{_NUMBER}){_MARK}{_TO}{_MARK}(?P<high>{_NUMBER}){_MARK}"
_VALUE = rf"(?P<value>{_NUMBER}){_MARK}"
_CLOSED = rf"{_SPACE},?{_SPACE}(?:{_LABEL})?[\[(]{_SPACE}(?:{_LABEL})?{_ENDS}{_SPACE}[\])]"
_OPEN = rf"{_SPACE}[,;]?{_SPACE}{_LABEL}{_ENDS}"
_FORMS = tuple(re.compile(rf"{_VALUE}{rest}{_MARK}") for rest in (_CLOSED, _OPEN))
_LONGEST = 200


class PrintedInterval(msgspec.Struct, frozen=True, kw_only=True):
    """A number and the ends of its interval; `between` is the text around and between the three."""

    value: Printed
    low: Printed
    high: Printed
    between: tuple[str, str, str, str]

    @property
    def parts(self) -> tuple[Printed, Printed, Printed]:
        """The number, the lower and the upper end."""
        return self.value, self.low, self.high

    def with_parts(self, *texts: str) -> str:
        """The same form with other numbers."""
        pairs = zip(self.between, (*texts, ""), strict=True)
        return "".join(part for pair in pairs for part in pair)


def parse_interval(text: object) -> PrintedInterval | None:
    """A number with its interval, if a text prints these and nothing else."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        return None
    marked = re.match(_MARK, text.strip())
    start = len(text) - len(text.lstrip()) + (marked.end() if marked else 0)
    for form in _FORMS:
        found = form.fullmatch(text.rstrip(), start)
        made = None if found is None else _made(found, text)
        if made is not None:
            return made
    return None


def interval_spans(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Where numbers stand with their intervals between two places of a text."""
    for form in _FORMS:
        for found in form.finditer(text, start, end):
            if _made(found, text) is not None:
                yield found.span()


def _made(found: re.Match[str], text: str) -> PrintedInterval | None:
    parts = [parse_printed(found[name]) for name in ("value", "low", "high")]
    value, low, high = parts
    if value is None or low is None or high is None:
        return None
    if value.percent or high.percent:  # 86.5 % (79.6-93.2), 86.5 % (79.6-93.2 %)
        low, high = _in_percent(low), _in_percent(high)
        value = value if value.value <= 1 else _in_percent(value)  # 86.5 (79.6-93.2 %)
    places = [0, *(at for name in ("value", "low", "high") for at in found.span(name)), len(text)]
    first, second, third, fourth = (
        text[a:b] for a, b in zip(places[::2], places[1::2], strict=True)
    )
    return PrintedInterval(value=value, low=low, high=high, between=(first, second, third, fourth))


def _in_percent(part: Printed) -> Printed:
    if part.percent:
        return part
    return replace(part, value=part.value / 100, last_place=part.last_place / 100, percent=True)
