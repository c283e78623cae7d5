"""Records inside a JSON value: a list of them, or an object of records by name."""

from collections.abc import Mapping, Sequence
from typing import Any

KEY = "key"
"""The column of the names, if a JSON file holds its records by name."""


def records_in(value: Any) -> list[Mapping[str, Any]] | None:  # noqa: ANN401 - JSON is any of six types
    """The records of a list, or of an object of objects; None if a value is neither."""
    if isinstance(value, Mapping):
        records: Sequence[Any] = list(value.values())
        names = [{KEY: name} for name in value]
    else:
        records = value if isinstance(value, list) else []
        names = [{} for _ in records]
    if not records or not all(isinstance(one, Mapping) for one in records):
        return None
    return [{**name, **one} for name, one in zip(names, records, strict=True)]
