"""The index of a frame or a Series, whose labels name its rows. No package is imported for it."""

from collections.abc import Sequence
from typing import Any


def index_of(data: object) -> Any:  # noqa: ANN401 - theirs
    """The index of a frame or a Series of pandas; None where there is none."""
    index = getattr(data, "index", None)  # of a list or a text it is a method
    return None if index is None or callable(index) else index


def labels_of(data: object) -> list[object] | None:
    """The labels of the rows; None without an index."""
    index = index_of(data)
    return None if index is None else list(index)


def level_names(data: object) -> list[str | None]:
    """The names of the levels of an index, of which an ordinary one has one."""
    index = index_of(data)
    names = getattr(index, "names", None) or [getattr(index, "name", None)]
    return [None if name is None else str(name) for name in names]


def counts_from_zero(texts: Sequence[str]) -> bool:
    """Whether labels are 0 to n - 1 in order: the index of rows that have none of their own."""
    return all(text == str(place) for place, text in enumerate(texts))
