"""What stands beside a text: its notes, which are texts of their own, and what no page shows."""

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
_TEX_NOTE = (
    r"\\(?:footnote|footnotetext|thanks|marginpar|marginnote|sidenote|endnote|todo)"
    r"(?![A-Za-z])\*?(?:\s?\[[^\]\n]{0,200}\]){0,2}\s?\{"
)
_BRACES = re.compile(rf"(?P<note>{_TEX_NOTE})|\\.|(?<!\\)%[^\n]*|[{{}}]", re.DOTALL)
_BRACKETS = re.compile(r"(?P<note>\^\[(?!\^))|\\.|[\[\]]|\n[ \t]*\n", re.DOTALL)
_LONGEST_NOTE = 20_000
_MARKED = (".md", ".markdown", ".html")
_TAG = re.compile(r"<(?P<closes>/?)(?P<name>[A-Za-z][\w:-]{0,40})(?P<rest>[^<>]{0,2000})>")
_NEVER_SHOWN = frozenset({"script", "style", "template"})
_VOID = frozenset("area base br col embed hr img input link meta param source track wbr".split())
_HIDES = re.compile(
    r"(?<![\w-])hidden(?![\w-])(?!\s*=\s*[\"']?false)"
    r"|(?<![\w-])style\s*=\s*(?:\"[^\"]*|'[^']*)(?:display\s*:\s*none|visibility\s*:\s*hidden)",
    re.IGNORECASE,
)
_TEX_UNSHOWN = re.compile(
    r"(?<!\\)\\begin\{comment\}.*?(?:\\end\{comment\}|\Z)"
    r"|\\iffalse(?![A-Za-z]).*?(?:\\(?:fi|else)(?![A-Za-z])|\Z)",
    re.DOTALL,
)


def note_spans(text: str, suffix: str) -> list[Span]:
    """Footnotes and notes in the margin that stand in the middle of a sentence."""
    if suffix == ".tex":
        return _enclosed(text, _BRACES, "{", "}")
    if suffix in (".md", ".markdown"):
        return _enclosed(text, _BRACKETS, "[", "]")
    return []


def _enclosed(text: str, marks: re.Pattern[str], opens: str, closes: str) -> list[Span]:
    """From each opening of a note to the mark that closes it, in one pass.

    One that is not closed in its paragraph or within a limit is none.
    """
    spans: list[Span] = []
    depth, start = 0, 0
    for mark in marks.finditer(text):
        if depth and mark.start() - start > _LONGEST_NOTE:
            depth = 0
        if mark["note"]:
            depth, start = (depth + 1, start) if depth else (1, mark.start())
        elif mark[0].isspace():
            depth = 0
        elif depth:
            depth += {opens: 1, closes: -1}.get(mark[0], 0)
            if not depth:
                spans.append((start, mark.end()))
    return spans


def unshown_spans(text: str, suffix: str, comments: Sequence[Span]) -> list[Span]:
    """What a page does not show: scripts, hidden elements, comment environments."""
    if suffix == ".tex":
        return [found.span() for found in _TEX_UNSHOWN.finditer(text)]
    return list(_hidden_elements(text, comments)) if suffix in _MARKED else []


def _hidden_elements(text: str, comments: Sequence[Span]) -> Iterator[Span]:
    """The outermost elements that are hidden by their name or their own attributes."""
    ends = iter(sorted(comments))
    comment = next(ends, None)
    name, depth, start = "", 0, 0
    for found in _TAG.finditer(text):
        while comment is not None and comment[1] <= found.start():
            comment = next(ends, None)
        if comment is not None and comment[0] <= found.start():
            continue
        tag, closes = found["name"].lower(), bool(found["closes"])
        if depth:
            if tag == name and not found["rest"].endswith("/"):
                depth += -1 if closes else 1
            if not depth:
                yield start, found.end()
        elif (
            not closes
            and tag not in _VOID
            and (tag in _NEVER_SHOWN or _HIDES.search(found["rest"]))
        ):
            name, depth, start = tag, 1, found.start()
    if depth:
        yield start, len(text)
