"""Untrusted text escaped for Markdown and CSV."""

from collections.abc import Iterable, Sequence

from assay.wording import printable

_MARKDOWN = str.maketrans({char: f"\\{char}" for char in "\\`*_[]|~"} | {"<": "&lt;"})
_OPENING = tuple("#>+-=")  # mean something where a line begins
_FORMULA = "=+-@＝＋－＠"  # some spreadsheets read the wide ones too, and pass over spaces


def markdown(text: str) -> str:
    """A text for a Markdown table or line: no markup, no HTML, no second line."""
    safe = printable(text).replace("&", "&amp;").translate(_MARKDOWN)
    words = safe.lstrip()
    return safe.removesuffix(words) + f"\\{words}" if words.startswith(_OPENING) else safe


def markdown_table(headers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table, every cell escaped."""
    lines = [headers, ["---"] * len(headers)]
    cells = [" | ".join(markdown(cell) for cell in row) for row in rows]
    head = [" | ".join(line) for line in lines]
    return "".join(f"| {line} |\n" for line in (*head, *cells))


def csv_line(cells: Iterable[str]) -> str:
    """A line of CSV (RFC 4180); a cell that a spreadsheet would run as a formula is escaped."""
    return ",".join(_csv_cell(cell) for cell in cells) + "\n"


def _csv_cell(text: str) -> str:
    safe = printable(text)
    first = safe.lstrip(" ")[:1]
    if first and first in _FORMULA and not _is_number(safe):
        safe = f"'{safe}"
    quoted = safe.replace('"', '""')
    return f'"{quoted}"' if any(char in safe for char in ',"') else safe


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
