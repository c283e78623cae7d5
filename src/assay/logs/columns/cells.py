"""The cells of a table of trials: blank, a number, a word that means a number, or another text."""

import math
import re
from collections.abc import Collection
from typing import Any

WORDS = {"true": 1.0, "false": 0.0} | dict.fromkeys(("null", "none", "na", "n/a"), math.nan)
"""Words that are numbers or gaps in any column."""
PAIRS = (
    *(("pass", "fail"), ("passed", "failed"), ("yes", "no"), ("y", "n")),
    *(("correct", "incorrect"), ("correct", "wrong"), ("right", "wrong")),
    *(("success", "failure"), ("success", "fail"), ("succeeded", "failed")),
    *(("solved", "unsolved"), ("resolved", "unresolved")),
)
"""Pairs of words, of which the first is 1 and the second 0 if a column holds no others."""
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]{1,300}(?:,[0-9]{1,300})?")


def is_blank(value: object) -> bool:
    """Whether a cell is empty."""
    return value is None or (isinstance(value, str) and not value.strip())


def is_gap(value: object) -> bool:
    """Whether a cell is empty, or a word for a missing value."""
    word = value.strip().lower() if isinstance(value, str) else value
    if isinstance(word, float) and math.isnan(word):
        return True
    return is_blank(value) or (isinstance(word, str) and math.isnan(WORDS.get(word, 0.0)))


def is_number(value: object) -> bool:
    """Whether a cell holds a number, a truth value or a gap."""
    if type(value) is float:
        return True
    if isinstance(value, str):
        return is_blank(value) or value.strip().lower() in WORDS or parsed(value) is not None
    return value is None or isinstance(value, (bool, int, float))


def parsed(text: str) -> float | None:
    """The number that a text writes, as other programs read it."""
    if "_" in text or not text.isascii():
        return None  # only Python reads 1_0 as a number
    try:
        return float(text)
    except ValueError:
        return None


def value_of(value: object) -> Any:  # noqa: ANN401 - a trial takes numbers and refuses the rest
    """The value of a cell: a number for text that holds one, anything else unchanged."""
    if not isinstance(value, str):
        return value
    word = value.strip().lower()
    if not word:
        return None
    return WORDS[word] if word in WORDS else (parsed(value) if is_number(value) else value)


def pair_of(cells: Collection[object]) -> tuple[str, str] | None:
    """The pair of words that these cells hold, if they hold nothing else."""
    if not all(isinstance(cell, str) for cell in cells):
        return None
    words = {str(cell).strip().lower() for cell in cells} - WORDS.keys()
    return next((pair for pair in PAIRS if words and words <= set(pair)), None)


def have_decimal_commas(cells: Collection[object]) -> bool:
    """Whether these cells are numbers such as 0,5 and nothing else."""
    texts = [cell.strip() for cell in cells if isinstance(cell, str)]
    return (
        len(texts) == len(cells)
        and any("," in text for text in texts)
        and all(_DECIMAL_COMMA.fullmatch(text) or text.lower() in WORDS for text in texts)
    )
