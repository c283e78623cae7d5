"""The index of a frame or a Series, whose labels name its rows. No package is imported for it.

A label is kept as the JSON of its value: 3 and "3" are two labels, 3 and 3.0 are one, and a label
of several levels is a list.
"""

import json
from collections.abc import Sequence
from typing import Any

from assay.tables.in_memory.values import Unwritable, plain


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


def label_texts(labels: Sequence[object]) -> tuple[str, ...]:
    """Each label as its JSON."""
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


def counts_from_zero(texts: Sequence[str]) -> bool:
    """Whether labels are 0 to n - 1 in order: the index of rows that have none of their own."""
    return all(text == str(place) for place, text in enumerate(texts))
