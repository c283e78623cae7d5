"""A number with its interval or its error, as papers print them.

0.894 [0.830, 0.945]      0.894 (0.830-0.945)      86.5 % (95 % CI 79.6 to 93.2)
**0.894** [0.830; 0.945]  0.894, 95% CI 0.830-0.945  $0.894$ ($0.830$--$0.945$)
0.73 ± 0.02   0.73 (SE 0.02)   73.0 ± 2.0 %   (73 ± 2) %   $0.73 \\pm 0.02$   0.73 ± 0.04 (95 % CI)
"""

import re
from collections.abc import Iterator

import msgspec
from msgspec.structs import replace

from assay.tables.numbers.printed_numbers import PATTERN, UNITS, Printed, parse_printed

_NUMBER = re.sub(r"\?P<\w+>", "?:", PATTERN.pattern)
_SPACE = r"(?:\s|~|\\[,;: ]|\{\}){0,3}"
_MARK = r"(?:\*{1,3}|_{1,2}|\$){0,2}"
_NAME = r"(?:C\.?I\.?|CrI|HDI|(?:(?:confidence|credible)\s)?interval)"
_SURE = rf"[5-9]\d(?:\.\d{{1,2}})?{_SPACE}\\?%{_SPACE}{_NAME}"
_LABEL = rf"(?:{_SURE}|{_NAME}){_SPACE}[:,=]?{_SPACE}"
_LEVEL = re.compile(rf"([5-9]\d(?:\.\d{{1,2}})?){_SPACE}\\?%{_SPACE}{_NAME}")
_TO = rf"{_SPACE}(?:[,;]|--?-?|[\u2012-\u2015]|to\b){_SPACE}"
_ENDS = rf"{_MARK}(?P<low>{_NUMBER}){_MARK}{_TO}{_MARK}(?P<high>{_NUMBER}){_MARK}"
_VALUE = rf"(?P<value>{_NUMBER}){_MARK}"
_CLOSED = rf"{_SPACE},?{_SPACE}(?:{_LABEL})?[\[(]{_SPACE}(?:{_LABEL})?{_ENDS}{_SPACE}[\])]"
_OPEN = rf"{_SPACE}[,;]?{_SPACE}{_LABEL}{_ENDS}"
_PM = r"(?:\u00b1|\+/-|\\pm\b|&plusmn;)"
_SE = (
    r"(?:S\.?E\.?(?:M\.?)?|s\.e\.(?:m\.)?|stderr|[Ss]td\.?[\s_]err(?:or)?\.?"
    r"|[Ss]tandard[\s_]error)(?![A-Za-z])"
)
_ERROR = rf"{_MARK}(?P<error>{_NUMBER}){_MARK}"
_SD = rf"(?!{_SPACE}[\[(]?{_SPACE}(?:SD|s\.d\.|[Ss]td\b|[Ss]tandard\sdev|\u03c3|sigma))"
"""A standard deviation of single results is no error of the mean."""
_SAID = rf"(?:{_SPACE},?{_SPACE}[\[(]{_SPACE}(?:{_SURE}|{_SE}){_SPACE}[\])])?"
_PLUS_MINUS = rf"{_SPACE}{_MARK}{_SPACE}{_PM}{_SPACE}{_ERROR}{_SD}{_SAID}"
_PLUS_MINUS_CLOSED = rf"{_SPACE}\({_SPACE}{_MARK}{_PM}{_SPACE}{_ERROR}{_SPACE}\){_SD}"
_SE_CLOSED = rf"{_SPACE}[\[(]{_SPACE}{_SE}{_SPACE}(?:[=:]|of\b)?{_SPACE}{_ERROR}{_SPACE}[\])]"
_SE_OPEN = rf"{_SPACE},?{_SPACE}(?:with\s)?(?:an?\s)?{_SE}{_SPACE}(?:[=:]|of\b)?{_SPACE}{_ERROR}"
_BOTH_PERCENT = (
    rf"\({_SPACE}{_VALUE}{_SPACE}{_PM}{_SPACE}{_ERROR}{_SPACE}\){_SPACE}{_MARK}"
    r"(?P<percent>\\?[%\uff05]|per\s?cent\b)"
)
"""The form of the SI: (79.5 ± 3.1) %."""
_INTERVALS = tuple(re.compile(rf"{_VALUE}{rest}{_MARK}") for rest in (_CLOSED, _OPEN))
_ERRORS = (
    re.compile(_BOTH_PERCENT),
    *(
        re.compile(rf"{_VALUE}{rest}{_MARK}")
        for rest in (_PLUS_MINUS, _PLUS_MINUS_CLOSED, _SE_CLOSED, _SE_OPEN)
    ),
)
_LONGEST = 200


class PrintedSpread(msgspec.Struct, frozen=True, kw_only=True):
    """A number and the ends of its interval, or its error.

    `between` is the text around and between them, and `level` that of the interval, if it is said.
    """

    parts: tuple[Printed, ...]
    between: tuple[str, ...]
    level: float | None = None

    @property
    def is_interval(self) -> bool:
        """Whether it has two ends, not an error."""
        return len(self.parts) == 3

    def with_parts(self, *texts: str) -> str:
        """The same form with other numbers."""
        pairs = zip(self.between, (*texts, ""), strict=True)
        return "".join(part for pair in pairs for part in pair)


def parse_spread(text: object) -> PrintedSpread | None:
    """A number with its interval or its error, if a text prints these and nothing else."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        return None
    marked = re.match(_MARK, text.strip())
    start = len(text) - len(text.lstrip()) + (marked.end() if marked else 0)
    for form in (*_INTERVALS, *_ERRORS):
        found = form.fullmatch(text.rstrip(), start)
        made = None if found is None else _made(found, text)
        if made is not None:
            return made
    return None


def spread_spans(text: str, start: int, end: int, *, errors: bool) -> Iterator[tuple[int, int]]:
    """Where numbers stand with their intervals, or their `errors` too, in a part of a text."""
    for form in (*_INTERVALS, *(_ERRORS if errors else ())):
        for found in form.finditer(text, start, end):
            if _made(found, text) is not None:
                yield found.span()


def _made(found: re.Match[str], text: str) -> PrintedSpread | None:
    names = [name for name in ("value", "low", "high", "error") if name in found.re.groupindex]
    parts = [part for name in names if (part := parse_printed(found[name])) is not None]
    if len(parts) < len(names):
        return None
    if "percent" in found.re.groupindex:
        parts = [_in_percent(part) for part in parts]
    value, *others = parts
    if "error" in names and _factor(found["value"]) != _factor(found["error"]):
        return None  # 1.2 ± 0.1 million: of the error alone, or of both
    if value.percent or others[-1].percent:  # 86.5 % (79.6-93.2), 86.5 % (79.6-93.2 %)
        others = [_in_percent(part) for part in others]
        value = value if value.value <= 1 else _in_percent(value)  # 86.5 (79.6-93.2 %)
    places = [0, *(at for name in names for at in found.span(name)), len(text)]
    between = tuple(text[a:b] for a, b in zip(places[::2], places[1::2], strict=True))
    said = _LEVEL.search(" ".join(between[1:]))
    level = None if said is None else float(said[1]) / 100
    return PrintedSpread(parts=(value, *others), between=between, level=level)


def _factor(text: str) -> int:
    """What the unit of a number multiplies it by."""
    found = PATTERN.fullmatch(text.strip())
    return UNITS.get((found["unit"] or "").strip(), 1) if found else 1


def _in_percent(part: Printed) -> Printed:
    if part.percent:
        return part
    return replace(part, value=part.value / 100, last_place=part.last_place / 100, percent=True)
