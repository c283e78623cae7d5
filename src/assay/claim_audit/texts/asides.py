"""What stands beside a text: its notes, which are texts of their own, and what no page shows."""

import re
from collections.abc import Iterator, Sequence

Span = tuple[int, int]
_TEX_NOTE = re.compile(
    r"\\(?:footnote|footnotetext|thanks|marginpar|marginnote|sidenote|endnote|todo)"
    r"(?![A-Za-z])\*?(?:\s?\[[^\]\n]{0,200}\]){0,2}\s?\{"
)
_INLINE_NOTE = re.compile(r"\^\[(?!\^)")
_BRACES = re.compile(r"\\.|(?<!\\)%[^\n]*|[{}]", re.DOTALL)
_BRACKETS = re.compile(r"\\.|[\[\]]|\n[ \t]*\n", re.DOTALL)
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
        return _enclosed(text, _TEX_NOTE, _BRACES, ("{", "}"))
    if suffix in (".md", ".markdown"):
        return _enclosed(text, _INLINE_NOTE, _BRACKETS, ("[", "]"))
    return []


def _enclosed(
    text: str, opened: re.Pattern[str], marks: re.Pattern[str], pair: tuple[str, str]
) -> list[Span]:
    """From each opening to the mark that closes it; one that is not closed is none."""
    spans: list[Span] = []
    at = 0
    while (found := opened.search(text, at)) is not None:
        depth, at = 1, found.end()
        for mark in marks.finditer(text, at, at + _LONGEST_NOTE):
            depth += {pair[0]: 1, pair[1]: -1}.get(mark[0], 0)
            if not depth:
                spans.append((found.start(), mark.end()))
                at = mark.end()
                break
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
