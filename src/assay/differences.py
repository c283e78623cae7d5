"""Where two JSON-like records differ; numbers may differ in their last digits between machines."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

_CLOSE = 1e-9
_LIST = (list, tuple)
ABSENT = object()
"""Marks a key that a record does not have."""


@dataclass(frozen=True)
class Difference:
    """Where two records differ, such as `bars[2].value`, and what each has there."""

    path: str
    left: object
    right: object


def is_close(left: float, right: float) -> bool:
    """Whether two numbers are equal up to rounding."""
    return math.isclose(left, right, rel_tol=_CLOSE, abs_tol=_CLOSE)


def same_figure(left: object, right: object) -> bool:
    """Whether two values are equal; floats up to rounding."""
    if isinstance(left, float) and isinstance(right, float):
        return is_close(left, right)
    return left == right


def undeclared(stored: object, known: object, path: str = "") -> str | None:
    """The first key of a stored record that Assay does not read, such as `bars[2].note`.

    Such a key is never checked, so it could mislead a reader of the file.
    """
    if isinstance(stored, dict) and isinstance(known, dict):
        for key, value in stored.items():
            inner = f"{path}.{key}" if path else str(key)
            found = inner if key not in known else undeclared(value, known[key], inner)
            if found is not None:
                return found
    elif isinstance(stored, _LIST) and isinstance(known, _LIST):
        for place, pair in enumerate(zip(stored, known, strict=False)):
            found = undeclared(*pair, f"{path}[{place}]")
            if found is not None:
                return found
    return None


def differences(
    left: object,
    right: object,
    path: str = "",
    *,
    same: Callable[[object, object], bool] = same_figure,
    absent: object = ABSENT,
) -> Iterator[Difference]:
    """Every place where two records differ, in the order of the first.

    `same` decides about values that are not both objects, or both lists of one length. `absent`
    represents a missing key; with None, a missing key equals a null.
    """
    if isinstance(left, dict) and isinstance(right, dict):
        for key in {**left, **right}:
            pair = left.get(key, absent), right.get(key, absent)
            inner = f"{path}.{key}" if path else str(key)
            yield from differences(*pair, inner, same=same, absent=absent)
        return
    if isinstance(left, _LIST) and isinstance(right, _LIST) and len(left) == len(right):
        for place, pair in enumerate(zip(left, right, strict=True)):
            yield from differences(*pair, f"{path}[{place}]", same=same, absent=absent)
    elif not same(left, right):
        yield Difference(path, left, right)
