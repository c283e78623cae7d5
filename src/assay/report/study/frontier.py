"""The frontier for a terminal, for Markdown and for CSV."""

from typing import TYPE_CHECKING

from assay.report.escaping import csv_line, markdown, markdown_table
from assay.report.study.board import NOT_VERIFIED, noted_of, unreadable_lines
from assay.report.terminal import styled, table
from assay.study.frontier.result import COLUMNS, ClassRow, Frontier, FrontierTable

if TYPE_CHECKING:
    from rich.console import Console

_HEADERS = ("class", "best", "of", "method", "verdict", "stopped by")
_LEGEND = (
    "Of: how many of the class are scored. In brackets: bars met at the point estimates. Stopped"
    " by: of the bars that it is not shown to meet, the one furthest short, with its 95 % interval."
    " The bound is the one-sided 95 % lower bound, which must reach what the bar needs."
)


def draw_frontier(found: Frontier, out: "Console") -> None:
    """Draw a table for each task: a line for each class, then what no line shows."""
    out.print(styled(found.title))
    for section in found.tables:
        out.print()
        out.print(styled(section.heading))
        if section.rows:
            out.print(table(_HEADERS, map(_cells, section.rows), right="llr", drop=("method",)))
            out.print()
        for line in _lines(section):
            out.print(styled(line))
    out.print()
    for line in _last_lines(found):
        out.print(styled(line))
    out.print(styled(_LEGEND, style="dim"))
    out.print(styled(NOT_VERIFIED, style="dim"))


def frontier_markdown(found: Frontier) -> str:
    """The frontier as Markdown."""
    parts = [f"# Frontier of {markdown(found.study)}\n", f"{markdown(found.title)}\n"]
    for section in found.tables:
        parts.append(f"## {markdown(section.heading)}\n")
        if section.rows:
            parts.append(markdown_table(_HEADERS, map(_cells, section.rows)))
        parts += [f"{markdown(line)}\n" for line in _lines(section)]
    parts += [f"{markdown(line)}\n" for line in (*_last_lines(found), _LEGEND)]
    return "\n".join(parts)


def frontier_csv(found: Frontier) -> str:
    """A line for each class that has a scored submission."""
    rows = (row.values() for row in found.to_rows())
    return csv_line(COLUMNS) + "".join(csv_line(map(_csv_cell, row)) for row in rows)


def _csv_cell(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "", True: "yes", False: "no"}[value]
    return str(value)


def _cells(row: ClassRow) -> tuple[str, ...]:
    scored = f"{row.scored:,}"
    return row.method_class, row.submission, scored, row.method, row.shown, row.obstacle


def _lines(section: FrontierTable) -> list[str]:
    """What limits the best submissions, then what no row shows."""
    limits = [
        f"{row.submission}: {', '.join(noted)}"
        for row in section.rows
        if (noted := noted_of(row.caveats, witnessed=row.witnessed))
    ]
    none = [] if section.rows else ["nothing scored yet"]
    return [*none, *(f"noted of {each}" for each in limits), *section.untried, *section.left_out]


def _last_lines(found: Frontier) -> list[str]:
    """The tasks that are not shown, and the unreadable submissions."""
    return found.lacking + unreadable_lines(found.unreadable)
