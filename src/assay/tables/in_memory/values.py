"""Convert values of a frame to JSON: a missing value is null, a number is a number.

Values of numpy, pandas and others are recognised by their methods; none is imported.
"""

import json
import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from enum import Enum
from pathlib import PurePath
from typing import Any
from uuid import UUID

from assay.bounds import MAX_DEPTH

AS_IS = frozenset({str, int, bool, type(None)})
"""Types of values that JSON has: nearly all values."""
_MISSING = ("NAType", "NaTType")
"""The types of pandas.NA and of a missing time."""


class Unwritable(Exception):
    """A value that JSON cannot hold."""


def plain(value: object, depth: int = 0) -> object:
    """A value in its JSON form."""
    if depth > MAX_DEPTH:
        raise Unwritable(f"nested deeper than {MAX_DEPTH} levels")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, Enum):
        return plain(value.value, depth + 1)
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, (float, Decimal)):
        return _number(value)
    if isinstance(value, Mapping):
        return {_key(name): plain(inner, depth + 1) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(inner, depth + 1) for inner in value]
    return _foreign(value, depth)


def _number(value: float | Decimal) -> float | None:
    number = float(value)
    if math.isinf(number):
        raise Unwritable(f"{value} is not a finite number")
    return None if math.isnan(number) else number


def _key(name: object) -> str:
    if not isinstance(name, str):
        raise Unwritable(f"a key is {name!r:.60} ({type(name).__name__}), expected text")
    return str(name)


def _foreign(value: Any, depth: int) -> object:  # noqa: ANN401 - theirs
    """A scalar or an array of numpy, a time, an id; anything else is refused."""
    if type(value).__name__ in _MISSING:
        return None
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    if kind in ("M", "m") and getattr(value, "shape", None) == ():
        return None if str(value) == "NaT" else str(value)
    for convert in ("tolist", "isoformat"):  # numpy's scalars have a list of their own: themselves
        if callable(getattr(value, convert, None)):
            made = getattr(value, convert)()
            if type(made) is not type(value):
                return plain(made, depth + 1)
    if isinstance(value, (UUID, PurePath)):
        return str(value)
    raise Unwritable(f"a value of type {type(value).__name__}, which JSON does not have")


def label_texts(labels: Sequence[object]) -> tuple[str, ...]:
    """The labels of an index, each as the JSON of its value.

    3 and "3" are two labels, 3 and 3.0 are one, and a label of several levels is a list.
    """
    return tuple(map(_label_text, labels))


def _label_text(label: object) -> str:
    if type(label) is int:
        return str(label)
    try:
        value = plain(label)
    except Unwritable:  # an interval, a period
        value = str(label)
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False)
