"""Check the arguments of public functions against their annotations.

A wrong type becomes a SpecError that names the parameter, not an AttributeError from deep inside.
"""

import inspect
import math
import typing
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from types import UnionType
from typing import Any, ParamSpec, TypeVar

from assay.bounds import shown_number
from assay.errors import SpecError

P = ParamSpec("P")
R = TypeVar("R")

_NUMBERS: Mapping[object, type] = {int: Integral, float: Real}
_NAMES = {"str": "text", "int": "an integer", "float": "a number", "Path": "a path"}
_DEEPEST = 2
_HINTS = {
    "Benchmark": "Load it: load_benchmark(NAME).",
    "BarSet": "Load them: load_bars(VERSION).",
    "Run": "Make one: run(METHOD, BENCHMARK); or load_run(FOLDER).",
    "Study": "Open it: open_study(FOLDER).",
    "DualSpec": "Load it: load_dual_spec(FILE).",
}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse arguments of another type than annotated; values are the function's own business."""
    signature = inspect.signature(function)
    hints = cache(lambda: typing.get_type_hints(function))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        for name, value in signature.bind(*args, **kwargs).arguments.items():
            if name not in hints():  # self, and cls
                continue
            several = signature.parameters[name].kind is inspect.Parameter.VAR_POSITIONAL
            if not all(_fits(e, hints()[name], _DEEPEST) for e in (value if several else [value])):
                expected = _kinds(hints()[name])
                raise SpecError(
                    f"{function.__name__}(): {name} is {type(value).__name__},"
                    f" expected {' or '.join(expected)}",
                    hint=next((_HINTS[kind] for kind in expected if kind in _HINTS), None),
                )
        return function(*args, **kwargs)

    return call


def _fits(value: object, hint: Any, depth: int) -> bool:  # noqa: ANN401 - any annotation
    """Whether a value has the annotated type, its elements included, so many levels down."""
    if hint is Any or hint is object or depth == 0:
        return True
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return any(_fits(value, each, depth) for each in inner)
    if origin is typing.Literal:
        return isinstance(value, str)
    if origin is None:
        return value is None if hint in (None, type(None)) else isinstance(value, _kind(hint))
    if not isinstance(value, origin) or isinstance(value, (str, bytes)):
        return False
    if isinstance(value, Mapping):
        return all(_fits(each, inner[1], depth - 1) for each in value.values())
    if origin in (Sequence, Iterable) and isinstance(value, (list, tuple)):
        return all(_fits(each, inner[0], depth - 1) for each in value)
    return True


def _kind(hint: Any) -> type:  # noqa: ANN401 - any annotation
    kind: type = _NUMBERS.get(hint, hint)
    return kind


def _kinds(hint: Any) -> list[str]:  # noqa: ANN401 - any annotation
    """The types of an annotation, in words."""
    origin = typing.get_origin(hint)
    if origin in (typing.Union, UnionType):
        return list(dict.fromkeys(kind for each in typing.get_args(hint) for kind in _kinds(each)))
    if origin is typing.Literal:
        return ["text"]
    if hint is type(None):
        return ["None"]
    name = getattr(origin or hint, "__name__", str(hint))
    return [_NAMES.get(name, name)]


def one_of(name: str, value: object, known: Sequence[object]) -> None:
    """Refuse a value that is none of the known ones."""
    if value not in known:
        words = ", ".join(str(word) for word in known)
        raise SpecError(f"{name} is {value!r:.60}, expected one of {words}")


def in_range(
    name: str,
    value: float | None,
    low: float,
    high: float = math.inf,
    *,
    open_ends: bool = False,
) -> None:
    """Refuse a number outside a range; `open_ends` are no part of it, and None is no number."""
    if value is None or (low < value < high if open_ends else low <= value <= high):
        return
    word = "between" if open_ends else "from"
    ends = f"{word} {low:g} {'and' if open_ends else 'to'} {high:g}"
    ends = f"over {low:g}" if math.isinf(high) else ends
    raise SpecError(f"{name} is {shown_number(value)}, expected a number {ends}")
