"""Plain tables for a terminal, drawn with rich, which is imported only when needed."""

from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from assay.caveats import Caveat, Rank, named, split_by_rank
from assay.report.fitting_table import FittingTable
from assay.wording import as_flags, printable, with_short_paths

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


WIDTH = 110
"""The width of what is printed into a file or a pipe."""


def console(file: IO[str] | None = None) -> "Console":
    """A console as wide as the terminal; without one, wide enough for our tables."""
    from assay.report.whole_commands import WholeCommands

    terminal = WholeCommands(file=file, highlight=False, soft_wrap=False)
    if terminal.is_terminal:
        return terminal
    return WholeCommands(file=file, highlight=False, width=WIDTH)


def table(
    headers: Sequence[str],
    rows: Iterable[Sequence[str]],
    *,
    right: str = "",
    drop: Sequence[str] = (),
) -> FittingTable:
    """A borderless table; `right` marks right-aligned columns, one letter per column.

    If the terminal is too narrow, columns named in `drop` are left out, in that order.
    """
    safe = [tuple(map(printable, row)) for row in rows]
    return FittingTable(headers=tuple(map(printable, headers)), rows=safe, right=right, drop=drop)


def styled(text: str, style: str = "") -> "Text":
    """Untrusted text in a form that cannot move the cursor."""
    from rich.text import Text

    return Text(printable(text), style=style)


def marked(before: str, word: str, style: str, after: str = "") -> "Text":
    """A line with one word in a style of its own."""
    line = styled(before)
    line.append(printable(word), style=style)
    line.append(printable(after))
    return line


EVERY_CAVEAT = "`caveats=True` shows them"
_STYLES = {Rank.BLOCKS: "yellow", Rank.OVERTURNS: ""}


def draw_caveats(caveats: Iterable[Caveat], out: "Console", *, every: str | None) -> None:
    """A line for each of the first caveats in rank, and one with the codes of the others.

    `every` says how to see the others as well; if it is None, every caveat has its line.
    """
    shown, others = split_by_rank(caveats)
    for caveat in shown if every is not None else [*shown, *others]:
        mark = "BLOCKS: " if caveat.rank is Rank.BLOCKS else ""
        text = as_flags(f"{mark}{caveat.code}: {with_short_paths(caveat.message)}")
        out.print(styled(text, style=_STYLES.get(caveat.rank, "dim")))
    if others and every is not None:
        out.print(styled(as_flags(f"{named(others)} ({every})"), style="dim"))
