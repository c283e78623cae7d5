"""A text that may claim something: its lines, its comments, and what in it is code.

A file is one text; a notebook has one in each of its Markdown cells.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path

from assay.bounds import MAX_TEXT_BYTES
from assay.claim_audit.texts.asides import note_spans, unshown_spans
from assay.claim_audit.texts.markup.marks import CLAIM
from assay.claim_audit.texts.markup.plain import PlainText, plain_text
from assay.digests import decode_utf8
from assay.errors import SpecError

LISTS = (".toml", ".json")
TEXTS = (".md", ".markdown", ".html", ".rst", ".tex", ".txt", ".ipynb")
_MARKED = (".md", ".markdown", ".html")
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})", re.MULTILINE)
_INLINE = re.compile(r"(?<!`)(`{1,9})(?!`).{1,400}?(?<!`)\1(?!`)", re.DOTALL)
_INDENTED = re.compile(r"^(?: {4}|\t)\S.*$", re.MULTILINE)
_TEX_COMMENT = re.compile(r"(?<!\\)%(?P<body>[^\n]*)")
_TEX_CODE = ("verbatim", "lstlisting")
_HTML_CODE = ("pre", "code")
_RST_COMMENT = re.compile(
    r"^[ \t]*\.\.[ \t]+(?![\w:.+-]{1,60}::|[_\[|])(?P<body>\S[^\n]*(?:\n[ \t]{3,}[^\n]+)*)", re.M
)
_RST_CODE = re.compile(r"``.{1,400}?``", re.DOTALL)

Span = tuple[int, int]


class Document:
    """One text, where it stands, and its form (the suffix of a file of that form)."""

    def __init__(self, text: str, place: str, suffix: str) -> None:
        self.text = text
        self.place = place
        self.suffix = suffix.lower()

    def line_of(self, at: int) -> int:
        """The line of a place, counted from 1."""
        return bisect_right(self._line_starts, at)

    @cached_property
    def _line_starts(self) -> list[int]:
        return [0, *(found.end() for found in re.finditer("\n", self.text))]

    @cached_property
    def code(self) -> list[Span]:
        """The spans of code: fenced, indented, inline."""
        if self.suffix in _MARKED:
            fenced = list(_fenced(self.text))
            others = [one.span() for one in _INLINE.finditer(self.text)]
            others += [one.span() for one in _INDENTED.finditer(self.text)]
            others += [span for name in _HTML_CODE for span in _elements(self.text, name)]
            return _without_inner(fenced, others)
        if self.suffix == ".tex":
            return sorted(span for name in _TEX_CODE for span in _environments(self.text, name))
        return (
            [one.span() for one in _RST_CODE.finditer(self.text)] if self.suffix == ".rst" else []
        )

    @cached_property
    def plain(self) -> PlainText:
        """The text without its markup, as numbers are read."""
        return plain_text(self.text, self.suffix, self.code, self.comments)

    @cached_property
    def comments(self) -> list[tuple[Span, str]]:
        """The comments that are not code, each with its body; none in plain text."""
        starts = [start for start, _ in self.code]
        return [
            ((start, end), body)
            for (start, end), body in self._all_comments()
            if not self._is_code(start, starts)
        ]

    @cached_property
    def notes(self) -> list[Span]:
        """The spans of notes that stand in the middle of a sentence, as places of the source."""
        return note_spans(self.text, self.suffix)

    @cached_property
    def without_notes(self) -> str:
        """The plain text with notes and what is not shown as comments: no sentence's own words."""
        plain, parts, at = self.plain, [], 0
        for first, last in sorted([*self.notes, *self.unshown]):
            start, end = plain.place_of(first), plain.place_of(last)
            if start >= at:
                parts += [plain.text[at:start], CLAIM * (end - start)]
                at = end
        return "".join([*parts, plain.text[at:]])

    @cached_property
    def unshown(self) -> list[Span]:
        """The spans of what a page does not show, as places of the source."""
        known = [*self.code, *(span for span, _ in self.comments)]
        return unshown_spans(self.text, self.suffix, known)

    def is_unshown(self, at: int) -> bool:
        """Whether a page does not show what stands at a place."""
        near = bisect_right(self.unshown, (at, len(self.text)))
        return near > 0 and at < self.unshown[near - 1][1]

    def comment_at(self, start: int) -> str:
        """The body of the comment that begins at a place; empty if none does."""
        return next((body for (first, _), body in self.comments if first == start), "")

    def _is_code(self, at: int, starts: list[int]) -> bool:
        near = bisect_right(starts, at) - 1
        return near >= 0 and at < self.code[near][1]

    def _all_comments(self) -> Iterator[tuple[Span, str]]:
        if self.suffix in _MARKED:
            yield from _html_comments(self.text)
        pattern = {".tex": _TEX_COMMENT, ".rst": _RST_COMMENT}.get(self.suffix)
        if pattern is not None:
            for one in pattern.finditer(self.text):
                yield one.span(), one["body"]


def documents_in(data: bytes, where: str) -> list[Document]:
    """The texts of a file; none for a list of claims."""
    suffix = Path(where).suffix.lower()
    if suffix in LISTS:
        return []
    if suffix not in TEXTS:
        raise SpecError(f"{where}: claims are read from {', '.join((*LISTS, *TEXTS))}")
    text = decode_utf8(data, where=where)
    made = [Document(text, where, suffix)]
    if suffix == ".ipynb":
        made = [Document(part, place, ".md") for place, part in _notebook_texts(text, where)]
    if sum(len(one.text) for one in made) > MAX_TEXT_BYTES:
        raise SpecError(f"{where}: more than {MAX_TEXT_BYTES:,} characters of text")
    return made


def _notebook_texts(data: str, where: str) -> Iterator[tuple[str, str]]:
    """The Markdown of a notebook's cells, each with its place."""
    try:
        cells = json.loads(data)["cells"]
        for number, cell in enumerate(cells, 1):
            if cell.get("cell_type") == "markdown":
                source = cell.get("source", "")
                text = source if isinstance(source, str) else "".join(source)
                yield f"{where}, cell {number}", text
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SpecError(f"{where}: not a notebook: expected JSON with cells") from None


def _fenced(text: str) -> Iterator[Span]:
    """The spans of fenced code; a fence that is not closed ends with the text."""
    opened: tuple[int, str] | None = None
    for one in _FENCE.finditer(text):
        if opened is None:
            opened = one.start(), one[1]
        elif one[1].startswith(opened[1]):
            yield opened[0], one.end()
            opened = None
    if opened is not None:
        yield opened[0], len(text)


def _without_inner(fenced: list[Span], others: list[Span]) -> list[Span]:
    """All spans in order, without those that begin inside an earlier one."""
    merged: list[Span] = []
    for start, end in sorted([*fenced, *others], key=lambda span: (span[0], -span[1])):
        if not merged or start >= merged[-1][1]:
            merged.append((start, end))
    return merged


def _elements(text: str, name: str) -> Iterator[Span]:
    """The spans of an element of HTML; one that is not closed is none."""
    opened = re.compile(rf"<{name}(?=[\s>])", re.IGNORECASE)
    closed = re.compile(rf"</{name}\s{{0,9}}>", re.IGNORECASE)
    found = opened.search(text)
    while found is not None:
        end = closed.search(text, found.end())
        if end is None:
            return
        yield found.start(), end.end()
        found = opened.search(text, end.end())


def _environments(text: str, name: str) -> Iterator[Span]:
    """The spans of a LaTeX environment."""
    begin, stop = f"\\begin{{{name}}}", f"\\end{{{name}}}"
    at = text.find(begin)
    while at >= 0:
        end = text.find(stop, at)
        if end < 0:
            return
        yield at, end + len(stop)
        at = text.find(begin, end)


def _html_comments(text: str) -> Iterator[tuple[Span, str]]:
    at = text.find("<!--")
    while at >= 0:
        end = text.find("-->", at + 4)
        if end < 0:
            return
        yield (at, end + 3), text[at + 4 : end]
        at = text.find("<!--", end + 3)
