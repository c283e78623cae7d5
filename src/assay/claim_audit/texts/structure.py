"""The numbers of headings and list items, and quoted lines: told by where they stand in the source.

`2.5 TB` at the beginning of a wrapped line looks like `2.5 Results`, and is a figure. So a number
is a section's only in a heading, and an item's only where a list begins or goes on.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from assay.claim_audit.texts.document import Document, Span

_NUMBER = r"(?P<number>[1-9]\d?(?:\.\d{1,2})*)(?:\.(?=\s)|(?=\s+[A-Z]))"
_TAGGED = rf"(?i:<h[1-6](?:\s[^<>]{{0,400}})?>)\s{{0,40}}{_NUMBER}"
_HEADINGS = {
    ".md": re.compile(
        rf"^[ \t>]{{0,20}}#{{1,6}}[ \t]+{_NUMBER}|{_TAGGED.replace('<number>', '<tagged>')}", re.M
    ),
    ".html": re.compile(_TAGGED),
    ".tex": re.compile(
        r"\\(?:part|chapter|(?:sub){0,2}section|(?:sub)?paragraph|title)\*?(?:\[[^\]\n]{0,200}\])?"
        rf"\{{\s{{0,40}}{_NUMBER}"
    ),
}
_HEADINGS[".markdown"] = _HEADINGS[".md"]
_UNDERLINED = re.compile(r"[ \t]*([=\-~^\"'`#*+.:_])\1{2,}[ \t]*")
_FIRST = re.compile(rf"[ \t]*{_NUMBER}")
_ITEM = re.compile(r"[ \t>]*(?P<number>\d{1,3})[.)](?=[ \t]+\S)")
_PAGE = re.compile(r"[ \t]*(?P<number>\d{1,4})[ \t]*")
_TITLE_LENGTH = 80
_LISTED = (".md", ".markdown", ".rst", ".txt")
_QUOTED = re.compile(r"^[ \t]{0,3}>.*$", re.MULTILINE)


def heading_numbers(document: Document) -> Iterator[Span]:
    """The numbers of sections, in headings, as places of the source."""
    pattern = _HEADINGS.get(document.suffix)
    if pattern is not None:
        for found in pattern.finditer(document.text):
            yield found.span(str(found.lastgroup))
    if document.suffix in _LISTED:
        yield from _underlined_numbers(document)
    if document.suffix == ".txt":
        yield from _page_numbers(document)


@lru_cache(maxsize=2)
def item_numbers(document: Document) -> list[Span]:
    """The numbers of list items, as places of the source.

    A list begins behind a blank line, in Markdown also by a 1; then each item is one more than one
    before it. Any other number at the beginning of a line belongs to the line before.
    """
    if document.suffix not in _LISTED:
        return []
    spans, known, is_blank = [], {0}, True
    for start, line in _lines(document.text):
        found = _ITEM.match(line)
        if found is None:
            known = {0} if is_blank and not line[:1].isspace() else known
            is_blank = not line.strip(" \t>\r\n")
            continue
        number = int(found["number"])
        if is_blank or (number - 1 in known and (number > 1 or document.suffix != ".rst")):
            known = {0, number} if is_blank and number == 1 else known | {number}
            spans.append((start + found.start("number"), start + found.end()))
        is_blank = False
    return spans


def quoted_lines(document: Document) -> Iterator[Span]:
    """The lines of block quotes, which only Markdown marks by `>`."""
    if document.suffix in (".md", ".markdown"):
        for found in _QUOTED.finditer(document.text):
            yield found.span()


def _underlined_numbers(document: Document) -> Iterator[Span]:
    """Numbers of headings with a line below them; in plain text also of lines that stand alone."""
    lines = [(0, ""), *_lines(document.text), (len(document.text), "")]
    for (before, (start, line)), (_, (_, below)) in pairwise(pairwise(lines)):
        found = _FIRST.match(line)
        if found is None or (before[1].strip() and not _UNDERLINED.fullmatch(before[1].rstrip())):
            continue
        alone = document.suffix == ".txt" and not below.strip() and _is_title(line.strip())
        if alone or _UNDERLINED.fullmatch(below.rstrip("\r\n")):
            yield start + found.start("number"), start + found.end("number")


def _is_title(line: str) -> bool:
    return len(line) <= _TITLE_LENGTH and line[-1:] not in ".,;:!?"


def _page_numbers(document: Document) -> Iterator[Span]:
    """Numbers that stand alone between blank lines, as in a text that was a PDF."""
    lines = [(0, ""), *_lines(document.text), (len(document.text), "")]
    for (before, (start, line)), (_, (_, below)) in pairwise(pairwise(lines)):
        found = _PAGE.fullmatch(line.rstrip("\r\n"))
        if found is not None and not before[1].strip() and not below.strip():
            yield start + found.start("number"), start + found.end("number")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Each line with its place."""
    for found in re.finditer(r"[^\n]*\n|[^\n]+", text):
        yield found.start(), found[0]
