"""Check the arguments of public functions against their annotations.

A wrong type becomes a SpecError that names the parameter, not an AttributeError inside Assay.
"""

import difflib
import inspect
import math
import typing
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, wraps
from numbers import Integral, Real
from types import UnionType
from typing import Any, ParamSpec, TypeVar

from assay.bounds import shown_number
from assay.errors import SpecError
from assay.tables.in_memory.arrays import has_columns
from assay.wording import some

P = ParamSpec("P")
R = TypeVar("R")

_NUMBERS: Mapping[object, type] = {int: Integral, float: Real}
_NAMES = {"str": "text", "int": "an integer", "float": "a number", "Path": "a path"} | {
    "Mapping": "a dictionary"
}
_DEEPEST = 2
_MOST_NAMES = 8
"""Parameters that a hint lists."""
_HINTS = {
    "Benchmark": 'Load it: `assay.load_benchmark("NAME")`.',
    "BarSet": 'Load them: `assay.load_bars("VERSION")`.',
    "Run": 'Make one: `assay.run("METHOD", "BENCHMARK")`; or `assay.load_run("DIR")`.',
    "a path": "Write it to a file first, and pass the file's name; a frame of pandas:"
    ' frame.to_json("data.jsonl", orient="records", lines=True).',
}


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Refuse arguments that do not have the annotated type; the function checks their values.

    The keys of a TypedDict of keyword arguments become ordinary parameters, also in `help`.
    """
    signature = inspect.signature(function)
    hints = cache(lambda: typing.get_type_hints(function))
    spread = [p.name for p in signature.parameters.values() if p.kind is p.VAR_KEYWORD]
    if spread:
        signature = signature.replace(parameters=list(_spread_out(signature, hints())))

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        expected = signature.parameters
        for name, value in _bound(signature, function.__name__, args, kwargs).items():
            hint = expected[name].annotation if name not in hints() else hints()[name]
            if hint is expected[name].empty:  # self, and cls
                continue
            several = expected[name].kind is inspect.Parameter.VAR_POSITIONAL
            for each in value if several else [value]:
                if not _fits(each, hint, _DEEPEST):
                    raise _refusal(function.__name__, name, each, _kinds(hint))
        return function(*args, **kwargs)

    call.__signature__ = signature  # type: ignore[attr-defined]  # read by inspect.signature
    return call


def _bound(
    signature: inspect.Signature, function: str, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> Mapping[str, Any]:
    """The arguments by parameter; an unknown name is refused with a similar one."""
    try:
        return signature.bind(*args, **kwargs).arguments
    except TypeError as error:
        known = [p.name for p in signature.parameters.values() if p.kind is not p.VAR_POSITIONAL]
        near = [
            f"`{close}=`"
            for word in kwargs
            if word not in known
            for close in difflib.get_close_matches(word, known, n=1, cutoff=0.7)
        ]
        names = some([name for name in known if name not in ("self", "cls")], _MOST_NAMES)
        hint = f"Did you mean {near[0]}?" if near else f"Its parameters: {names}."
        raise SpecError(f"{function}(): {error}", hint=hint) from None


def _spread_out(
    signature: inspect.Signature, hints: Mapping[str, Any]
) -> Iterator[inspect.Parameter]:
    """Parameters, with those of the TypedDict listed one by one."""
    for parameter in signature.parameters.values():
        if parameter.kind is not parameter.VAR_KEYWORD:
            yield parameter
            continue
        (words,) = typing.get_args(hints[parameter.name])
        for word, hint in typing.get_type_hints(words).items():
            yield inspect.Parameter(word, parameter.KEYWORD_ONLY, default=None, annotation=hint)


def _refusal(function: str, name: str, value: object, expected: Sequence[str]) -> SpecError:
    got = type(value).__name__
    if isinstance(value, str) and "text" not in expected:
        got = f"{value!r:.60}"
    rows_for_a_file = _holds_rows(value) and "a path" in expected and "a dictionary" not in expected
    others = (_HINTS[kind] for kind in expected if kind in _HINTS and kind != "a path")
    hint = _HINTS["a path"] if rows_for_a_file else next(others, None)
    if name == "method" and callable(value):
        hint = (
            "Save it in a file and name both, as text: FILE.py:FUNCTION. A draft copies the file."
        )
    return SpecError(f"{function}(): {name} is {got}, expected {' or '.join(expected)}", hint=hint)


def _holds_rows(value: object) -> bool:
    """Whether a value is rows or a frame instead of a path."""
    return isinstance(value, (list, Mapping)) or has_columns(value)


def _fits(value: object, hint: Any, depth: int) -> bool:  # noqa: ANN401 - any annotation
    """Whether a value has the annotated type, with its elements down to a depth."""
    if hint is Any or hint is object or depth == 0:
        return True
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin in (typing.Union, UnionType):
        return any(_fits(value, each, depth) for each in inner)
    if origin is typing.Literal:
        return isinstance(value, str) and value in inner
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
        return [repr(word) for word in typing.get_args(hint)]
    if hint is type(None):
        return ["None"]
    name = getattr(origin or hint, "__name__", str(hint))
    return [_NAMES.get(name, name)]


def words(given: str | Sequence[str]) -> tuple[str, ...]:
    """One word, or several."""
    return (given,) if isinstance(given, str) else tuple(given)


def one_of(name: str, value: object, known: Sequence[object]) -> None:
    """Refuse a value that is not one of the known ones."""
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
    """Refuse a number outside a range; `open_ends` excludes its ends, and None is allowed."""
    if value is None or (low < value < high if open_ends else low <= value <= high):
        return
    word = "between" if open_ends else "from"
    ends = f"{word} {low:g} {'and' if open_ends else 'to'} {high:g}"
    ends = f"over {low:g}" if math.isinf(high) else ends
    raise SpecError(f"{name} is {shown_number(value)}, expected a number {ends}")
