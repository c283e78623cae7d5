"""How far back a comment reaches: to the beginning of its sentence, its cell or its note.

A note in the middle of a sentence is a text of its own. It is read as if it were not there, but by
a comment that stands in it.
"""

import re
from bisect import bisect_left
from typing import NamedTuple

from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.markup.marks import CLAIM, REFERENCE
from assay.claim_audit.texts.structure import item_numbers

_LOOK_BACK = 400
_ENDS = {".tex": re.compile(r"\n[ \t]*\n"), ".rst": re.compile(r"\n[ \t]*\n(?=\s*[^\s\ue002])")}
"""What may not stand between a number and its comment: there, the end of a paragraph."""
_SENTENCE_END = re.compile(
    r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bal)(?<!\bapprox)(?<!\bresp)(?<!\betc)"
    rf"(?<!\bFig)(?<!\bTab)(?<!\bSec)(?<!\bEq)(?<!\bNo)(?<!\bca)(?<!\bp)(?<!\bpp)"
    rf"[.!?][\"')*_{REFERENCE}{CLAIM}]*\s"
    r"|\n[ \t]*\n|\n[ \t>]*\u2022|\|[ \t]*\n(?=[ \t]*\|)"
)
_LAST_END = re.compile(r"[.!?]?[\"')]*\s*$")
"""The end of the sentence that the comment itself stands behind."""
_TABLE_LINE = re.compile(r"[ \t>]*\||.*\s\|\s")
_LAST_BORDER = {
    ".tex": re.compile(r"\|\s*$"),
    ".html": re.compile(r"\|\s*$"),
    ".md": re.compile(r"\|[ \t]*$"),
}


class Reach(NamedTuple):
    """A plain text without the notes beside it, and the part of it that a comment may speak of.

    The sentence begins at `since`; its cell, if it stands in a table, at `cell`.
    """

    text: str
    since: int
    cell: int
    end: int


def reach_of(document: Document, at: int) -> Reach:
    """What a comment at a place of the plain text may speak of."""
    text, floor = _around_notes(document, at)
    begin = max(floor, at - _LOOK_BACK)
    end = begin + len(_LAST_END.sub("", _open(text[begin:at])))
    ends = _ENDS.get(document.suffix, _SENTENCE_END)
    stops = [one.end() for one in ends.finditer(text[begin:end])]
    since = begin + (stops[-1] if stops else 0)
    since = max(since, _item_start(document, since, end))
    end = since + len(_without_last_border(document, text, since, end, at))
    return Reach(text, since, max(since, _cell_start(document, text, since, end)), end)


def _around_notes(document: Document, at: int) -> tuple[str, int]:
    """The plain text without notes, or with the one that a comment stands in, and its beginning."""
    plain = document.plain
    source = plain.starts[at] if at < len(plain.starts) else len(document.text)
    near = bisect_left(document.notes, (source,)) - 1
    if near >= 0 and source < document.notes[near][1]:
        return plain.text, plain.place_of(document.notes[near][0])
    return document.without_notes, 0


def _item_start(document: Document, since: int, end: int) -> int:
    """The beginning of the list item that a place stands in, behind its number; 0 if in none."""
    plain, items = document.plain, item_numbers(document)
    source = plain.starts[end] if end < len(plain.starts) else len(document.text)
    near = bisect_left(items, (source,)) - 1
    place = plain.place_of(items[near][1]) if near >= 0 else 0
    return place if since < place <= end else 0


def _open(text: str) -> str:
    """A text up to the comments that stand last, other comments of the same number included."""
    return text.rstrip(f"{CLAIM} \t\n\u00a0")


def _without_last_border(document: Document, text: str, since: int, end: int, at: int) -> str:
    """A stretch without the border that closes its last cell, where a comment stands behind it.

    A comment between two borders stands in a cell of its own.
    """
    window = text[since:end]
    suffix = ".md" if document.suffix == ".markdown" else document.suffix
    border = _LAST_BORDER.get(suffix)
    found = None if border is None else border.search(window)
    if found is None or not _is_border(document, text, since + found.start()):
        return window
    behind = text[at : at + _LOOK_BACK].partition("\n")[0].replace(CLAIM, "").strip()
    line = text[text.rfind("\n", 0, since + found.start()) + 1 :]
    if suffix == ".md" and (behind or not line.lstrip(" \t>").startswith("|")):
        return window
    tag = document.text[document.plain.starts[since + found.start()] :][:4].lower()
    if suffix == ".html" and not tag.startswith("</"):
        return window
    inner = _open(window[: found.start()])
    if tag == "</tr":  # behind the border of its last cell
        inner = _open(inner.removesuffix("|"))
    return _LAST_END.sub("", inner)


def _cell_start(document: Document, text: str, since: int, end: int) -> int:
    """The place behind the last border of a table's cell before a place; else where it began."""
    place = text.rfind("|", since, end)
    while place >= 0 and not _is_border(document, text, place):
        place = text.rfind("|", since, place)
    return place + 1


def _is_border(document: Document, text: str, place: int) -> bool:
    """Whether a bar parts two cells, and is not a sign in a sentence: |x|."""
    if document.suffix in (".tex", ".html"):
        return document.text[document.plain.starts[place]] != "|"
    start = text.rfind("\n", 0, place) + 1
    return _TABLE_LINE.match(text[start : place + 2]) is not None
