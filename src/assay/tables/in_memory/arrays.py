"""Arrays of any package as lists, and frames by their columns; none is imported."""

from collections.abc import Iterable
from inspect import getattr_static
from typing import Any

from assay.errors import SpecError

_LISTS = ("tolist", "to_list", "to_pylist")
"""The methods that list an array of numpy or Arrow, a tensor, or a series."""


def is_listable(data: object) -> bool:
    """Whether something lists itself, or gives an array that does."""
    return any(callable(getattr(data, name, None)) for name in (*_LISTS, "__array__"))


def listed(data: object) -> object:
    """An array as a list, or the one value of an array without a dimension."""
    array: Any = data
    try:
        if not any(callable(getattr(array, name, None)) for name in _LISTS):
            array = array.__array__()
        name = next(name for name in _LISTS if callable(getattr(array, name, None)))
        made: object = getattr(array, name)()
    except Exception as error:  # theirs: an array on another device, a package that is not there
        raise SpecError(
            f"a {type(data).__name__} cannot be listed: {type(error).__name__}: {error!s:.200}",
            hint="Give its numbers as a list.",
        ) from None
    return made


def shape_of(data: object) -> tuple[int, ...]:
    """The shape of an array; empty if it has none."""
    shape = getattr(data, "shape", ())
    whole = isinstance(shape, tuple) and all(isinstance(size, int) for size in shape)
    return tuple(shape) if whole else ()


def has_columns(data: object) -> bool:
    """Whether something is a frame, by its attributes; a lazy frame is not asked for their values.

    polars warns where the columns of a LazyFrame are read.
    """
    return any(getattr_static(data, name, None) is not None for name in ("columns", "column_names"))


def column_names(data: object) -> list[object]:
    """The columns of a frame; none of anything else, nor of a lazy frame."""
    if not has_columns(data) or callable(getattr(data, "collect", None)):
        return []
    frame: Any = data
    names = frame.column_names if hasattr(frame, "column_names") else frame.columns
    return list(names) if isinstance(names, Iterable) else []
