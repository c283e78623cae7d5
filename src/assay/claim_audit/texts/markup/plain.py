"""What a reader sees of a marked-up text, with the way back to the source.

Markup is undone once, before numbers are read: entities are decoded, emphasis, tags, mathematics
and braces are dropped, every spelling of a sign or a space becomes its character. What is not
understood becomes `OPAQUE`, which no number may touch: a number in markup that this module does not
know is refused, and never read in part.
"""

import re
from bisect import bisect_left
from collections.abc import Callable, Sequence

from assay.claim_audit.texts.markup.markdown_marks import emphasis_marks, markdown_shown
from assay.claim_audit.texts.markup.marks import CLAIM, OPAQUE, MarkShown
from assay.claim_audit.texts.markup.tex_marks import MATH, tex_shown

Span = tuple[int, int]
_DIGIT_END = re.compile(r"[\d.,]$")
_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u2060-\u2064\ufe00-\ufe0f\ufeff]")
NextMark = Callable[[str, int, int, bool], MarkShown | None]
_MARKED = (".md", ".markdown", ".html", ".rst")


class PlainText:
    """A text without its markup; each character knows the span of the source that it stands for."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self._last = ""
        self._is_seam = False
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.text = ""

    def put(self, shown: str, start: int, end: int) -> None:
        """Add what a piece of source shows; nothing, if it is markup alone.

        Markup between two digits joins them for the eye and parts them in the source. It is kept
        as opaque, so that the number is refused.
        """
        if not shown:
            self._is_seam = True
            return
        if self._is_seam and shown[0].isdigit() and _DIGIT_END.search(self._last):
            self._add(OPAQUE, start, start)
        self._is_seam = False
        self._add(shown, start, end)

    def put_source(self, text: str, start: int, end: int) -> None:
        """Add source that shows as it is, character for character."""
        at = start
        for mark in _INVISIBLE.finditer(text, start, end):
            self._put_visible(text, at, mark.start())
            self.put("", *mark.span())
            at = mark.end()
        self._put_visible(text, at, end)

    def _put_visible(self, text: str, start: int, end: int) -> None:
        if start < end:
            self.put(text[start], start, start + 1)
            self._parts.append(text[start + 1 : end])
            self._last = text[end - 1]
            self.starts += range(start + 1, end)
            self.ends += range(start + 2, end + 1)

    def _add(self, shown: str, start: int, end: int) -> None:
        self._parts.append(shown)
        self._last = shown[-1]
        self.starts += [start] * len(shown)
        self.ends += [end] * len(shown)

    def finished(self) -> "PlainText":
        """The same, with its text put together."""
        self.text = "".join(self._parts)
        return self

    def source_span(self, start: int, end: int) -> Span:
        """Where some characters stand in the source."""
        return self.starts[start], self.ends[end - 1]

    def place_of(self, at: int) -> int:
        """The first character that stands for the source from a place on."""
        return bisect_left(self.starts, at)

    def behind_marks(self, end: int) -> int:
        """The place in the source behind the markup that closes right behind another place."""
        place = self.place_of(end)
        return self.starts[place] if place < len(self.starts) else end


def plain_text(
    text: str, suffix: str, code: Sequence[Span], comments: Sequence[tuple[Span, str]]
) -> PlainText:
    """A text as it is read. Code stays as it is, and a comment becomes one mark of its own."""
    made = PlainText()
    kinds = [(span, "code") for span in code] + [(span, "comment") for span, _ in comments]
    hidden = sorted(kinds)
    pairs = emphasis_marks(text, suffix, [span for span, _ in hidden]) if suffix in _MARKED else {}
    drops = [(place, place + width) for place, width in sorted(pairs.items())]
    at = 0
    for (start, end), kind in hidden:
        if start < at:
            continue
        _marked(made, text, suffix, at, start, drops)
        if kind == "code":
            made.put_source(text, start, end)
        else:
            made.put(CLAIM, start, end)
        at = end
    _marked(made, text, suffix, at, len(text), drops)
    return made.finished()


def plain_words(text: str, suffix: str = ".md") -> str:
    """A few words without their markup."""
    return plain_text(text, suffix, (), ()).text


def _marked(
    made: PlainText, text: str, suffix: str, start: int, end: int, drops: Sequence[Span]
) -> None:
    """Add a stretch without code and comments, its mathematics as LaTeX."""
    if suffix not in (*_MARKED, ".tex"):
        made.put_source(text, start, end)
        return
    outer = tex_shown if suffix == ".tex" else markdown_shown(suffix)
    at = start
    for math in MATH.finditer(text, start, end):
        if suffix == ".rst" and not math["role"]:
            continue
        _without_pairs(made, text, at, math.start(), outer, drops)
        inner = math.span(str(math.lastgroup))
        made.put("", math.start(), inner[0])
        _scan(made, text, *inner, tex_shown, in_math=True)
        made.put("", inner[1], math.end())
        at = math.end()
    _without_pairs(made, text, at, end, outer, drops)


def _without_pairs(
    made: PlainText, text: str, start: int, end: int, shown: NextMark, drops: Sequence[Span]
) -> None:
    """Add a stretch without the marks of emphasis that pair."""
    at = start
    for first, last in drops[bisect_left(drops, (start, 0)) : bisect_left(drops, (end, 0))]:
        if first < at:  # inside another mark, which was read as a whole
            continue
        at = _scan(made, text, at, first, shown)
        made.put("", first, last)
        at = last
    _scan(made, text, at, end, shown)


def _scan(
    made: PlainText, text: str, start: int, end: int, shown: NextMark, *, in_math: bool = False
) -> int:
    """Add a stretch, each of its marks as what it shows."""
    at = start
    while at < end:
        found = shown(text, at, end, in_math)
        if found is None:
            break
        made.put_source(text, at, found.start)
        made.put(found.text, found.start, found.end)
        at = found.end
    made.put_source(text, at, end)
    return end
