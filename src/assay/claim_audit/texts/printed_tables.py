"""Tables as a text prints them: the cells of a Markdown table, or of a fenced block of CSV."""

import csv
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Any

from assay.claim_audit.agreement import agrees, number_of
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.texts.document import Document, Span
from assay.tables.numbers.printed_numbers import parse_printed
from assay.wording import counted

_ROW = re.compile(r"^[ \t]*\|.*\|[ \t]*$")
_RULE = re.compile(r"^[ \t]*\|(?:[ \t]*:?-+:?[ \t]*\|)+[ \t]*$")
_CELL_END = re.compile(r"(?<!\\)\|")
_MARKUP = re.compile(r"[*_`&<\\$\[~\u00ad\u200b-\u200f\u2060-\u2064\ufeff]")
_CSV_FENCE = re.compile(r"[ \t]{0,3}(?:`{3,}|~{3,})[ \t]*(?:csv|tsv)[ \t]*\r?\n")
_FENCE_LINE = re.compile(r"\r?\n[ \t]{0,3}(?:`{3,}|~{3,})[ \t]*$")
_EMPTY = ("", "-", "\u2013", "\u2014", "\u2212", "n/a", "N/A")
"""How a table prints a missing cell."""

Rows = list[list[str]]


def table_before(document: Document, at: int) -> Span | None:
    """The span of the table whose last row is the last line before a place, blank lines apart."""
    text = document.text
    end = at
    while end > 0 and text[end - 1].isspace():
        end -= 1
    near = bisect_left(document.code, end, key=lambda span: span[1])
    if near < len(document.code) and document.code[near][1] == end:
        return _csv_block(text, *document.code[near])
    start, line_end = end, end
    while line_end > 0:
        line_start = text.rfind("\n", 0, line_end) + 1
        if not _ROW.match(text[line_start:line_end].rstrip("\r")):
            break
        start, line_end = line_start, line_start - 1
    return (start, end) if start < end and len(parse_table(text[start:end])) > 1 else None


def tables_in(document: Document) -> Iterator[Span]:
    """The spans of the tables of a text: of Markdown with a rule below the heads, and of CSV."""
    text, at = document.text, 0
    ends = [*document.code, (len(text), len(text))]
    for start, stop in ends:
        if start >= at:
            yield from _marked_tables(text, at, start)
            block = _csv_block(text, start, stop)
            if block is not None:
                yield block
        at = max(at, stop)


def _marked_tables(text: str, start: int, stop: int) -> Iterator[Span]:
    """The Markdown tables between two places."""
    first: int | None = None
    at = start
    lines = [*_lines(text[start:stop]), ""]
    for number, line in enumerate(lines):
        is_row = _ROW.match(line.rstrip("\r\n")) is not None
        if is_row and first is None and number + 1 < len(lines):
            first = at if _RULE.match(lines[number + 1].rstrip("\r\n")) else None
        elif not is_row and first is not None:
            yield first, first + len(text[first:at].rstrip())
            first = None
        at += len(line)


def _csv_block(text: str, start: int, stop: int) -> Span | None:
    """The span of the lines of a fenced block of CSV; None if a span of code is none."""
    opened, closed = _CSV_FENCE.match(text, start), _FENCE_LINE.search(text, start, stop)
    if opened is None or closed is None or closed.start() <= opened.end():
        return None
    span = opened.end(), closed.start()
    return span if len(parse_table(text[slice(*span)])) > 1 else None


def parse_table(text: str) -> Rows:
    """The cells of a table, its heads first; emphasis is left out. None of CSV that is broken."""
    if not text.lstrip().startswith("|"):
        try:
            found = csv.reader(_lines(text), delimiter=_delimiter(text), strict=True)
            return [[cell.strip() for cell in row] for row in found if row]
        except csv.Error:
            return []
    lines = [line for line in _lines(text) if line.strip() and not _RULE.match(line.rstrip())]
    return [
        [_read_cell(cell) for cell in _CELL_END.split(line.strip().strip("|"))] for line in lines
    ]


def _read_cell(cell: str) -> str:
    """A cell without its markup."""
    cell = cell.strip()
    if not _MARKUP.search(cell):
        return cell
    return Document(cell, "", ".md").plain.text.replace("`", "").strip()


def tables_agree(claimed: Rows, observed: Rows) -> bool:
    """Whether two tables have the same heads, rows and cells."""
    if [len(row) for row in claimed] != [len(row) for row in observed]:
        return False
    return all(
        cells_agree(*cells)
        for own, other in zip(claimed, observed, strict=True)
        for cells in zip(own, other, strict=True)
    )


def same_cell(said: str, found: str) -> bool:
    """Whether a printed cell says what is found, so far as it can be read."""
    return agrees(said, found) or (found == "" and said in _EMPTY)


def cells_agree(said: str, found: str) -> bool:
    """Whether a printed cell is as found: a dash is a missing cell, and a number is read whole."""
    if same_cell(said, found):
        return True
    if number_of(found) is not None and parse_printed(said) is None and re.search(r"\d", said):
        raise Unverifiable(f"the cell {said!r:.40} cannot be read as a number")
    return False


def _lines(text: str) -> list[str]:
    """The lines as a page shows them, each with its end: only line feeds end one."""
    return [one[0] for one in re.finditer(r"[^\n]*\n|[^\n]+", text)]


def _delimiter(text: str) -> str:
    return "\t" if "\t" in text.split("\n", 1)[0] else ","


def retyped_table(text: str, retype: Callable[[int, int, str], str | None]) -> str | None:
    """A table with other cells, in the same layout; None where a cell cannot be retyped.

    `retype` is given the row, the column and the old cell, and gives the new one.
    """
    marked = text.lstrip().startswith("|")
    if not marked and '"' in text:
        return None
    mark = "|" if marked else _delimiter(text)
    lines = _lines(text)
    aligned = _aligned(lines) if marked else set()
    row = -1
    for number, line in enumerate(lines):
        if not line.strip() or _RULE.match(line.rstrip()):
            continue
        row += 1
        body = line.strip()
        inner = body.strip("|") if marked else body
        start = line.index(body) + body.index(inner)
        parts = _CELL_END.split(inner) if marked else inner.split(mark)
        for column, part in enumerate(parts):
            old = _read_cell(part)
            new = retype(row, column, old)
            if new is None or (new != old and old.replace("|", "\\|") not in part):
                return None
            if new != old:
                width = len(part) if column in aligned else 0
                made = part.replace(old.replace("|", "\\|"), new.replace("|", "\\|"), 1)
                parts[column] = f"{made.rstrip()} ".ljust(width) if part.endswith(" ") else made
        lines[number] = line[:start] + mark.join(parts) + line[start + len(inner) :]
    return "".join(lines)


def _aligned(lines: list[str]) -> set[int]:
    """The columns whose cells are all as wide."""
    rows = [_CELL_END.split(line.strip().strip("|")) for line in lines if line.strip()]
    columns = range(min(map(len, rows), default=0))
    return {at for at in columns if len({len(row[at]) for row in rows}) == 1}


def print_table(rows: Rows) -> str:
    """Rows as a Markdown table."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    rule = "|" + " --- |" * len(rows[0])
    return "\n".join([lines[0], rule, *lines[1:]])


def altered_rows(rows: Rows, column: int, cell: str) -> Rows:
    """The rows with another cell in the first row below the heads."""
    first = [cell if at == column else own for at, own in enumerate(rows[1])]
    return [rows[0], first, *rows[2:]]


def told_difference(claimed: Any, observed: Any, where: str) -> tuple[object, object, str]:  # noqa: ANN401 - any JSON value
    """The first cell that differs: what is there, what the text says, and where.

    Of tables that agree, how many rows they have.
    """
    if not all(isinstance(rows, list) and all(isinstance(row, list) for row in rows)
               for rows in (claimed, observed)):  # fmt: skip
        return observed, claimed, where
    sizes = [
        f"{counted(len(rows) - 1, 'row')} with {counted(len(rows[0]) if rows else 0, 'column')}"
        for rows in (observed, claimed)
    ]
    if sizes[0] != sizes[1]:
        return sizes[0], sizes[1], where
    for number, (own, other) in enumerate(zip(claimed, observed, strict=True)):
        for head, said, found in zip(claimed[0], own, other, strict=False):
            if not cells_agree(said, found):
                return found, said, f"{where}, row {number} of the table, column {head!r:.40}"
    return sizes[0], sizes[1], where
