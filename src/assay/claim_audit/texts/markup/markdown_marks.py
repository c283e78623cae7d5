"""Markdown, HTML and reStructuredText as read: entities, tags, escapes, emphasis, links."""

import html
import re
from collections.abc import Callable, Sequence

from assay.claim_audit.texts.markup.marks import BULLET, OPAQUE, REFERENCE, MarkShown

_ENTITY = r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?"
_TAG = r"</?(?P<tag>[A-Za-z][\w:.-]{0,40})(?:\s[^<>]{0,2000})?/?>"
_ESCAPE = r"\\(?P<escaped>[!-/:-@\[-`{-~])"
_LIST = r"^(?P<indent>[ \t>]{0,40})(?P<bullet>[-*+])(?=[ \t])"
_LINK = (
    r"(?P<image>!)?\[(?!\^)(?P<link>[^\[\]\n]{1,300})(?P<closed>\]"
    r"(?:\([^()\s]{0,1000}(?:\s\"[^\"\n]*\")?\)|\[[^\[\]\n]{0,80}\]))"
)
_IMAGE = r"(?P<image>!)\[[^\[\]\n]{0,300}\](?:\([^()\s]{0,1000}\))?"
_FOOTNOTE = r"(?P<footnote>\[\^[^\]\s]{1,60}\])"
_ROLE = r":(?P<role>[a-z]{2,20}):`(?P<told>[^`\n]{1,200})`"
_REFERRED = (
    r"`(?P<hyper>[^`<\n]{1,200}?)\s*<[^<>`\n]{1,300}>`_{1,2}"
    r"|(?P<referred>\[[#*\w.-]{1,60}\]_(?!\w))|(?P<replaced>\|[^|\s][^|\n]{0,60}\|(?:_{1,2})?)"
)
_HTML = re.compile(f"{_ENTITY}|{_TAG}")
_MARKDOWN = re.compile(
    f"{_LIST}|{_FOOTNOTE}|{_IMAGE}|{_ENTITY}|{_TAG}|{_ESCAPE}|(?P<struck>~~)", re.M
)
_RST = re.compile(
    rf"{_LIST}|{_ROLE}|{_REFERRED}|\\(?P<nothing>\s)|\\(?P<escaped>\S)"
    r"|(?P<tick>`)|(?P<linked>(?<=`)_{1,2}(?!\w))",
    re.M,
)
_BLOCKS = frozenset(
    "p div li ul ol dl dt dd h1 h2 h3 h4 h5 h6 section article header footer main table thead tbody"
    " tfoot caption figure figcaption blockquote pre hr details summary nav aside body html head"
    " title form script style".split()
)
_INLINE = frozenset(
    "b i em strong span u tt font small big mark a abbr var code kbd samp cite q s ins time data"
    " label bdi bdo output dfn nobr mo mn mi mrow mtext mstyle math center".split()
)
_CELLS = {"td": "|", "th": "|", "tr": "|\n", "br": "\n", "sup": "^", "sub": "_", "wbr": ""}
_EMPHASIS = tuple(
    re.compile(
        rf"(?<!{edge}){mark}(?=\S)(?!{one})(?:(?!\n[ \t]*\n)[^|]){{1,600}}?(?<=\S)"
        rf"(?<!{one}){mark}(?!{edge})"
    )
    for mark, one, edge in (
        (r"\*\*\*", r"\*", r"[*\\]"), (r"\*\*", r"\*", r"[*\\]"), (r"\*", r"\*", r"[*\\]"),
        ("___", "_", r"[\w\\]"), ("__", "_", r"[\w\\]"), ("_", "_", r"[\w\\]"),
    )
)  # fmt: skip
_WIDTHS = (3, 2, 1, 3, 2, 1)


def markdown_shown(suffix: str) -> Callable[[str, int, int, bool], MarkShown | None]:
    """How the marks of a form are read: a function that finds the next one."""
    pattern = {".html": _HTML, ".rst": _RST}.get(suffix, _MARKDOWN)

    def shown(text: str, start: int, end: int, in_math: bool) -> MarkShown | None:
        del in_math
        for found in pattern.finditer(text, start, end):
            told = _told(found)
            if told is not None:
                return told
        return None

    return shown


def _told(found: re.Match[str]) -> MarkShown | None:
    """What a mark shows; None if it is text that only looks like one."""
    first, last = found.span()
    named = found.groupdict()
    if named.get("bullet"):
        return MarkShown(found.start("bullet"), last, BULLET)
    if named.get("tag"):
        return MarkShown(first, last, _tag(named["tag"].lower(), closes=found[0][1] == "/"))
    if named.get("escaped"):
        return MarkShown(first, last, named["escaped"])
    if named.get("image"):
        return MarkShown(first, last, REFERENCE)
    if named.get("footnote") or named.get("referred"):
        return MarkShown(first, last, REFERENCE)
    if named.get("struck") or named.get("replaced"):
        return MarkShown(first, last, OPAQUE)
    if named.get("role"):
        signs = {"sup": "^", "superscript": "^", "sub": "_", "subscript": "_"}
        plain = named["role"] in ("strong", "emphasis", "literal", "code")
        sign = signs.get(named["role"], "" if plain else None)
        if sign is None:
            refers = re.fullmatch(r"\w*ref|doc|cite\w*|eq|term|py|class|func|mod", named["role"])
            return MarkShown(first, last, REFERENCE if refers else OPAQUE)
        marked = re.search(r"[\\*|]", named["told"])
        return MarkShown(first, last, sign + (OPAQUE if marked else named["told"]))
    if named.get("hyper"):
        marked = re.search(r"[\\*|]", named["hyper"])
        return MarkShown(first, last, OPAQUE if marked else named["hyper"])
    if any(named.get(name) is not None for name in ("nothing", "tick", "linked")):
        return MarkShown(first, last, "")
    decoded = html.unescape(found[0])
    return None if decoded == found[0] else MarkShown(first, last, decoded)


def _tag(name: str, *, closes: bool) -> str:
    if name in _BLOCKS:
        return "\n\n"
    if name in ("sup", "sub") and closes:
        return ""
    return "" if name in _INLINE else _CELLS.get(name, OPAQUE)


def emphasis_marks(text: str, suffix: str, hidden: Sequence[tuple[int, int]]) -> dict[int, int]:
    """The places of marks of emphasis and links that pair, each with its length.

    What is `hidden`, code and comments, holds no mark and does not part a pair.
    """
    marks: dict[int, int] = {}
    if suffix == ".html":
        return marks
    left = _blanked(text, hidden)
    if suffix != ".rst":  # links part as emphasis does
        links = [one for one in re.finditer(_LINK, left) if not one["image"]]
        ends = [
            span for one in links for span in ((one.start(), one.start() + 1), one.span("closed"))
        ]
        marks |= {start: end - start for start, end in ends}
        left = _blanked(left, ends)
    for pattern, width in zip(_EMPHASIS, _WIDTHS, strict=True):
        spans = []
        for found in pattern.finditer(left):
            spans += [(place, place + width) for place in (found.start(), found.end() - width)]
        marks |= {start: width for start, _ in spans}
        left = _blanked(left, spans)
    return marks


def _blanked(text: str, spans: Sequence[tuple[int, int]]) -> str:
    parts, at = [], 0
    for start, end in spans:
        if start < at:
            continue
        parts += [text[at:start], "\0" * (end - start)]
        at = end
    return "".join([*parts, text[at:]])
