"""The leaderboard for a terminal, for Markdown and for CSV."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.report.escaping import csv_line, markdown, markdown_table
from assay.report.terminal import styled, table
from assay.study.board import Board, BoardRow, BoardTable, Cell
from assay.study.records import Unreadable
from assay.study.submissions.submission import Status

if TYPE_CHECKING:
    from rich.console import Console

_NOTED = frozenset(
    {
        *("unscored", "surface-unchecked", "resumed", "unsealed-code", "unsealed-files", "learner"),
        *("unobserved", "outside-seed", "seed-by-author", "seed-unprobed"),
    }
)
_LEGEND = (
    "* the bars that were sealed with it; the others are re-scores. In brackets: bars met at the"
    " point estimates. PASS and FAIL are shown with 95 % confidence, UNRESOLVED is neither."
)

NOT_VERIFIED = "Not verified here. Check every record: assay verify"
"""What every view of a study says on a screen; its page does not, since `verify` checks pages."""
_WORSE = "A figure over two partitions is that of the worse one."


def draw_board(board: Board, out: "Console") -> None:
    """Draw a table for each task, newest bars last."""
    out.print(styled(board.title))
    for section in board.tables:
        out.print()
        rows = [_cells(section, row) for row in section.rows]
        if not rows:
            out.print(styled(f"{section.task}: nothing sealed yet"))
            continue
        out.print(styled(f"{section.task}, bars {', '.join(section.versions)}"))
        headers = _headers(section)
        figures = next(header for header in headers if header.startswith("figures"))
        out.print(table(headers, rows, drop=(figures,)))
    out.print()
    for line in unreadable_lines(board.unreadable):
        out.print(styled(line))
    out.print(styled(f"{_LEGEND} {_WORSE}", style="dim"))
    out.print(styled(NOT_VERIFIED, style="dim"))


def board_markdown(board: Board) -> str:
    """The board as a Markdown page."""
    parts = [f"# Leaderboard of {markdown(board.study)}\n", f"{markdown(board.title)}\n"]
    for section in board.tables:
        if section.rows:
            rows = [_cells(section, row) for row in section.rows]
            parts += [f"## {section.task}\n", markdown_table(_headers(section), rows)]
    parts += [f"{markdown(line)}\n" for line in (*unreadable_lines(board.unreadable), _LEGEND)]
    return "\n".join(parts)


def unreadable_lines(unreadable: Sequence[Unreadable]) -> list[str]:
    """A line for each submission that is not shown, and why."""
    return [f"Not shown, unreadable: {each.submission}. {each.why}" for each in unreadable]


def board_csv(board: Board) -> str:
    """A line for each submission and version, with every bar's value in columns."""
    cells = list(board.cells())
    names = list(dict.fromkeys(name for _, _, cell in cells for name in cell.values))
    head = "task,submission,method,status,witnessed,bars,original,verdict,met,of,why".split(",")
    return csv_line([*head, *names]) + "".join(
        csv_line(_csv_cells(task, row, cell, names)) for task, row, cell in cells
    )


def _csv_cells(task: str, row: BoardRow, cell: Cell, names: list[str]) -> list[str]:
    known = [
        task,
        row.id,
        row.method,
        row.status.value,
        "yes" if row.witnessed else "no",
        cell.version,
        "yes" if cell.original else "no",
        cell.verdict or "",
        "" if cell.passed is None else f"{cell.passed}",
        "" if cell.total is None else f"{cell.total}",
        cell.why or "",
    ]
    return known + [repr(cell.values[name]) if name in cell.values else "" for name in names]


def _headers(section: BoardTable) -> list[str]:
    return ["submission", "method", *section.versions, f"figures ({section.versions[-1]})", "noted"]


def _cells(section: BoardTable, row: BoardRow) -> list[str]:
    last = row.cells[-1]
    figures = " ".join(f"{name} {value:.3f}" for name, value in last.values.items())
    unstarted = row.status in (Status.SEALED, Status.WITHDRAWN)
    noted = noted_of(row.caveats, witnessed=row.witnessed or unstarted)
    cells = [_shown(cell) for cell in row.cells]
    if row.status is not Status.FINISHED:
        cells, figures = ["-"] * len(section.versions), ""
        state = "never run" if row.status is Status.SEALED else row.status.value
        noted.insert(0, state if row.because is None else f"{state}: {row.because}")
    return [row.id, row.method, *cells, figures, ", ".join(noted)]


def noted_of(caveats: Sequence[str], *, witnessed: bool) -> list[str]:
    """What a reader of a row must know of its run."""
    unwitnessed = [] if witnessed else ["unwitnessed"]
    return unwitnessed + [code for code in caveats if code in _NOTED]


def _shown(cell: Cell) -> str:
    star = "*" if cell.original else ""
    if cell.verdict is None:
        return f"no verdict{star}"
    return f"{cell.verdict.upper()} ({cell.passed}/{cell.total}){star}"
