"""The parameters that name the columns of a table and the records to use, like the flags."""

from typing import Literal, TypedDict

from assay.benchmark.benchmark import Columns
from assay.tables.nested import as_word


class ColumnWords(TypedDict, total=False):
    """Which column holds what, and how to treat records that cannot be used as they are."""

    id: str | None
    question: str | None
    response: str | None
    label: str | None
    class_: str | None
    source: str | None
    group: str | None
    positive: str | float | None
    negative: str | float | None
    unknown: Literal["exclude"] | None
    missing: Literal["exclude"] | None
    ids: Literal["none", "repair"] | None
    encoding: str | None
    split: str | None


def named_columns(words: ColumnWords) -> dict[str, str]:
    """The columns that were named, as fields of Columns; a value given as a number as its text."""
    named = {"cls" if word == "class_" else word: name for word, name in words.items()}
    return {field: as_word(name) for field, name in named.items() if name is not None}


def columns_of(words: ColumnWords) -> Columns:
    """The columns that were named, over the defaults."""
    return Columns(**named_columns(words))  # type: ignore[arg-type]  # Columns checks `Literal`s
