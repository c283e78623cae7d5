"""A table that fits its terminal: names and figures stay whole at any width.

If it is too wide, texts wrap first; then the gaps shrink and the least important columns are left
out; if that is not enough, every row becomes a few lines.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType
    from rich.table import Table

_WIDE_GAP, _NARROW_GAP, _INDENT = 3, 2, 2
_NARROWEST_TEXT = 20
"""The narrowest width to which a text is wrapped."""


@dataclass(frozen=True, kw_only=True)
class FittingTable:
    """Printable headers and rows. `right` marks columns set to the right; `drop` may go."""

    headers: Sequence[str]
    rows: Sequence[Sequence[str]]
    right: str
    drop: Sequence[str]

    def __rich_console__(
        self, console: "Console", options: "ConsoleOptions"
    ) -> "Iterator[RenderableType]":
        """The roomiest form that fits."""
        columns = list(range(len(self.headers)))
        if self._narrowest(columns, _WIDE_GAP) <= options.max_width:
            yield self._drawn(columns, _WIDE_GAP)
            return
        for dropped in (None, *self.drop):
            columns = [index for index in columns if self.headers[index] != dropped]
            if self._narrowest(columns, _NARROW_GAP) <= options.max_width:
                yield self._drawn(columns, _NARROW_GAP)
                return
        yield from self._stacked(options.max_width)

    def _cells(self, column: int) -> list[str]:
        return [self.headers[column], *(row[column] for row in self.rows)]

    def _wraps(self, column: int) -> bool:
        """Whether a column holds texts, which can be wrapped; figures and names cannot."""
        return any(
            sum(word[:1].isalpha() for word in cell.split()) > 1 for cell in self._cells(column)[1:]
        )

    def _narrowest(self, columns: Sequence[int], gap: int) -> int:
        """The least width that breaks no word and no figure."""
        from rich.cells import cell_len

        total = gap * (len(columns) - 1)
        for column in columns:
            cells = self._cells(column)
            whole = max(map(cell_len, cells))
            word = max((cell_len(word) for cell in cells for word in cell.split()), default=0)
            total += min(whole, max(word, _NARROWEST_TEXT)) if self._wraps(column) else whole
        return total

    def _drawn(self, columns: Sequence[int], gap: int) -> "Table":
        from rich.box import SIMPLE_HEAD
        from rich.table import Table
        from rich.text import Text

        padding = (0, 1) if gap == _WIDE_GAP else (0, 1, 0, 0)
        drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False, padding=padding)
        for column in columns:
            drawn.add_column(
                Text(self.headers[column]),
                justify="right" if self.right[column : column + 1] == "r" else "left",
                overflow="fold",
                no_wrap=not self._wraps(column),
            )
        for row in self.rows:
            drawn.add_row(*(Text(row[column]) for column in columns))
        return drawn

    def _stacked(self, width: int) -> "Iterator[RenderableType]":
        """Each row as its first cell, and the others below it with their headers."""
        from rich.cells import cell_len
        from rich.padding import Padding
        from rich.text import Text

        for row in self.rows:
            yield Text(row[0], overflow="fold")
            line = ""
            for header, cell in zip(self.headers[1:], row[1:], strict=True):
                part = f"{header} {cell}".strip() if cell else ""
                joined = f"{line}{' ' * _WIDE_GAP}{part}" if line and part else line or part
                if cell_len(joined) + _INDENT > width and line:
                    yield Padding(Text(line, overflow="fold"), (0, 0, 0, _INDENT), expand=False)
                    joined = part
                line = joined
            if line:
                yield Padding(Text(line, overflow="fold"), (0, 0, 0, _INDENT), expand=False)
