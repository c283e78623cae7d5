"""Plain tables for a terminal, drawn with rich, which is imported only when something is drawn."""

from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from assay.caveats import Caveat
from assay.wording import printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text


def console(file: IO[str] | None = None) -> "Console":
    """A console as wide as the terminal, and wide enough for our tables where there is none."""
    from rich.console import Console

    terminal = Console(file=file, highlight=False, soft_wrap=False)
    return terminal if terminal.is_terminal else Console(file=file, highlight=False, width=110)


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


def draw_caveats(caveats: Iterable[Caveat], out: "Console") -> None:
    """A dim line for each caveat."""
    for caveat in caveats:
        out.print(styled(f"{caveat.code}: {caveat.message}", style="dim"))
