"""Ways in which a column may reveal the label: its values, their parts, their order.

Identifiers and side columns are made by people and scripts that knew the labels. Each reading turns
a column into categories or into an order; another module checks whether that predicts the label.
The simplest reading comes first.
"""

import math
import re
from collections.abc import Callable, Iterator, Sequence, Sized
from dataclasses import dataclass

import numpy as np

from assay.stats.arrays import Codes, Floats, coded

_PART = re.compile(r"[^\W_]+")
_ENDING = re.compile(r"(\d+|[^\W\d_]+)$")
_DIGITS = re.compile(r"\d+")
_NO_DIGITS = str.maketrans("", "", "0123456789")
_LONGEST_READ, _LONGEST_ENDING = 80, 20
_ALMOST_ALL = 0.95
_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth")


@dataclass(frozen=True, kw_only=True, eq=False)
class Reading:
    """One reading of a column: `what` completes "... of the field", `names` are the categories."""

    what: str
    codes: Codes
    names: Sequence[str]


class Column:
    """The values of a column as text; a missing value is empty text."""

    def __init__(self, values: Sequence[object]) -> None:
        texts = [_text(value) for value in values]
        self._are_texts = any(isinstance(value, str) for value in values)
        self.codes = coded(texts)
        self.distinct = list(dict.fromkeys(texts))
        self._numbers = np.array([_number(text) for text in self.distinct])

    @property
    def numeric(self) -> bool:
        """Whether nearly all existing values are numbers."""
        filled = np.array([bool(text) for text in self.distinct])[self.codes]
        known = ~np.isnan(self._numbers)[self.codes]
        return bool(filled.any()) and float(known.sum()) >= _ALMOST_ALL * float(filled.sum())

    def readings(self) -> Iterator[Reading]:
        """The column as categories: values, presence, and parts of texts."""
        yield Reading(what="value", codes=self.codes, names=self.distinct)
        yield self._read("presence", lambda text: "filled" if text else "empty")
        if not self._are_texts:
            return
        yield self._read("wording", lambda text: text.translate(_NO_DIGITS))
        parts = [_PART.findall(_ends(text)) for text in self.distinct]
        yield self._part("last part", parts, -1)
        for i in range(min(max(map(len, parts)), len(_ORDINALS))):
            yield self._part(f"{_ORDINALS[i]} part", parts, i)
        yield self._part("last part but one", parts, -2)
        yield self._read("ending", _ending)

    def order(self) -> Floats:
        """A number for each record: the value, or its rank in natural sort order.

        "item-9" comes before "item-10". A missing value is NaN.
        """
        if self.numeric:
            return np.asarray(self._numbers[self.codes])
        keys = [
            _DIGITS.sub(lambda digits: digits[0].zfill(20), text[:_LONGEST_READ])
            for text in self.distinct
        ]
        place = {key: float(i) for i, key in enumerate(sorted(set(keys)))}
        ranks = np.array([place[key] for key in keys])
        ranks[[not text for text in self.distinct]] = math.nan
        return np.asarray(ranks[self.codes])

    def _part(self, what: str, parts: Sequence[Sequence[str]], i: int) -> Reading:
        values = [part[i] if -len(part) <= i < len(part) else "" for part in parts]
        return self._reading(what, values)

    def _read(self, what: str, read: Callable[[str], str]) -> Reading:
        return self._reading(what, [read(text) for text in self.distinct])

    def _reading(self, what: str, values: Sequence[str]) -> Reading:
        return Reading(
            what=what, codes=coded(values)[self.codes], names=list(dict.fromkeys(values))
        )


def _ends(text: str) -> str:
    """A text, or the two ends of a long one."""
    if len(text) <= _LONGEST_READ:
        return text
    return f"{text[: _LONGEST_READ // 2]} {text[-_LONGEST_READ // 2 :]}"


def _ending(text: str) -> str:
    """The digits, or the letters, at the end of a text."""
    ending = _ENDING.search(text[-_LONGEST_ENDING:])
    return ending[0] if ending else ""


def _text(value: object) -> str:
    """A value as text; empty for a missing value."""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, Sized) and not len(value):
        return ""
    try:
        return repr(value)
    except (RecursionError, ValueError):  # nested too deep, or a number with too many digits
        return type(value).__name__


def _number(text: str) -> float:
    if "_" in text:  # Python ignores underscores, but 1_0125 is an id
        return math.nan
    try:
        return float(text)
    except ValueError:
        return {"True": 1.0, "False": 0.0}.get(text, math.nan)
