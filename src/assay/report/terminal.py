"""Plain tables for a terminal, drawn with rich, which is imported only when something is drawn."""

from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from assay.caveats import Caveat
from assay.gauntlet.metrics.table import titled
from assay.gauntlet.result import Scorecard, Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

_STYLE = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.UNRESOLVED: "yellow"}
_MEANING = {
    Verdict.PASS: "every bar's lower bound (95 %, one-sided) reaches its threshold",
    Verdict.FAIL: "some bar is shown to be missed",
    Verdict.UNRESOLVED: "the records cannot tell",
}


def console(file: IO[str] | None = None) -> "Console":
    """A console as wide as the terminal, and wide enough for our tables where there is none."""
    from rich.console import Console

    terminal = Console(file=file, highlight=False, soft_wrap=False)
    return terminal if terminal.is_terminal else Console(file=file, highlight=False, width=110)


def printable(text: str) -> str:
    """A text that cannot move the cursor or colour the screen: other people's words are shown."""
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in text)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: str = "") -> "Table":
    """A borderless table; `right` marks the columns set to the right, one letter a column."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, header in enumerate(headers):
        drawn.add_column(
            header,
            justify="right" if right[index : index + 1] == "r" else "left",
            overflow="fold",  # names are shown whole
        )
    for row in rows:
        drawn.add_row(*map(styled, row))
    return drawn


def draw_scorecard(card: Scorecard, out: "Console") -> None:
    """A scorecard: what was judged, each bar, the two verdicts, and what to know about them."""
    out.print(styled(f"{card.method} on {card.benchmark}, {card.task} bars {card.bars_version}"))
    out.print()
    _draw_bars(card, out)
    out.print()
    point = card.point
    met = f"{point.passed}/{point.total} bars at the point estimates"
    out.print(styled(f"point verdict  {point.verdict.upper()}  {met}"))
    style = f"bold {_STYLE[card.verdict]}"
    out.print(marked("verdict        ", card.verdict.upper(), style, f"  {_meaning(card)}"))
    out.print()
    draw_caveats(card.caveats, out)
    unscored = f"{card.unscored} unscored · " if card.unscored else ""
    out.print(styled(f"{unscored}{card.signature}", style="dim"))


def _draw_bars(card: Scorecard, out: "Console") -> None:
    """Each bar on a line of its own, its parts below it in columns: fits 72 characters."""
    longest = max(len(part.partition) for bar in card.bars for part in bar.parts)
    wide = min(max(longest, 20), 30)
    out.print(styled(f"{'':{wide + 4}}  value  95 % interval     lower bound"))
    for bar in card.bars:
        asked = f"{bar.id:<3} {titled(bar.metric)} at least {bar.threshold:.2f}  "
        out.print(marked(asked, bar.outcome.value, _STYLE[bar.outcome]))
        for part in bar.parts:
            ends = interval(part.low, part.high)
            figures = f"{part.value:>6.3f}  {ends:<16}  {part.lower_bound:>11.3f}"
            out.print(styled(f"    {part.partition:<{wide}} {figures}"))


def styled(text: str, style: str = "") -> "Text":
    """Other people's words as text that cannot move the cursor."""
    from rich.text import Text

    return Text(printable(text), style=style)


def marked(before: str, word: str, style: str, after: str = "") -> "Text":
    """A line with one word in a style of its own."""
    line = styled(before)
    line.append(printable(word), style=style)
    line.append(printable(after))
    return line


def interval(low: float, high: float) -> str:
    """Both ends of an interval."""
    return f"[{low:.3f}, {high:.3f}]"


def draw_caveats(caveats: Iterable[Caveat], out: "Console") -> None:
    """A dim line for each caveat."""
    for caveat in caveats:
        out.print(styled(f"{caveat.code}: {caveat.message}", style="dim"))


def _meaning(card: Scorecard) -> str:
    if card.unscored:
        return "items are unscored, so there is no verdict"
    meaning = _MEANING[card.verdict]
    if card.records_needed is not None:
        meaning += f"; about {card.records_needed:,} like these would"
    return meaning
