"""Plain tables for a terminal, drawn with rich, which is imported only when needed."""

from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from assay.caveats import Caveat
from assay.report.fitting_table import FittingTable
from assay.wording import as_flags, printable

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text


def console(file: IO[str] | None = None) -> "Console":
    """A console as wide as the terminal; without one, wide enough for our tables."""
    from rich.console import Console

    terminal = Console(file=file, highlight=False, soft_wrap=False)
    return terminal if terminal.is_terminal else Console(file=file, highlight=False, width=110)


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


def draw_caveats(caveats: Iterable[Caveat], out: "Console") -> None:
    """A dim line for each caveat."""
    for caveat in caveats:
        out.print(styled(f"{caveat.code}: {as_flags(caveat.message)}", style="dim"))
