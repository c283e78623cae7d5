"""Texts that are given as sides: paths, and what is mistaken for one."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import SpecError
from assay.files import how_to_find, is_there, named_path
from assay.tables.in_memory.arrays import column_names
from assay.tables.source import STANDARD_INPUT


def path_of(given: str | Path, name: str) -> Path:
    """A path where something is; `-` is standard input."""
    path = named_path(given, name)
    if str(path) != STANDARD_INPUT and not is_there(path):
        raise SpecError(f"there is no {str(path)!r:.200}", hint=how_to_find(path))
    return path


def check_not_words(given: Sequence[str | Path], name: str) -> None:
    """Refuse texts of which one is repeated and none is a file: scores that cannot be read."""
    words = list(dict.fromkeys(map(str, given)))
    if len(words) < len(given) and not any(is_there(word) for word in words):
        raise SpecError(
            f"{name}: {len(given):,} texts, such as {words[0]!r:.60}, that are neither files nor"
            " scores",
            hint="Write scores as numbers, or as one pair of words: pass and fail, yes and no, true"
            " and false, correct and incorrect.",
        )


def check_texts(sides: Sequence[object]) -> None:
    """Refuse a text that names a column of another side: it was meant for a parameter."""
    texts = [side for side in sides if isinstance(side, str)]
    others = [side for side in sides if not isinstance(side, (str, Path))]
    for text in texts if others else ():
        if any(text in _columns(side) for side in others) and not is_there(text):
            raise SpecError(
                f"{text!r:.60} is a column of the data, given as a side",
                hint=f"Say what it holds: `instance={text:.60}`, `trial={text:.60}`,"
                f" `dimension={text:.60}` or `by={text:.60}`.",
            )


def _columns(side: object) -> list[str]:
    """The columns of rows or a frame."""
    if isinstance(side, (list, tuple)) and side and isinstance(side[0], Mapping):
        return [str(name) for name in side[0]]
    if isinstance(side, Mapping):
        return [str(name) for name in side]
    return [str(name) for name in column_names(side)]
