"""Rows from CSV, separated by comma, semicolon, tab or |.

The separator is the one under which the header and the first lines have the same number of cells.
"""

import csv
import io
from collections import Counter
from itertools import islice

from assay.bounds import MAX_LINE_BYTES
from assay.errors import SpecError
from assay.tables.faults import Faults, note
from assay.tables.nested import PlacedRows
from assay.wording import counted

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "|"}
_USUAL = {".csv": ",", ".tsv": "\t"}
_SAMPLE = 1 << 16
_MOST_LINES = 100
_MOSTLY = 0.8


def separator_of(data: bytes, ending: str, where: str) -> str | None:
    """The separator of the cells; None if there is only one column.

    Lines with another number of cells are faults of a table. If the file's ending does not say that
    it is a table, only few such lines are allowed.
    """
    csv.field_size_limit(MAX_LINE_BYTES)
    whole = len(data) <= _SAMPLE
    sample = data[:_SAMPLE].decode("utf-8", "ignore")
    even: dict[str, int] = {}
    share: dict[str, float] = {}
    for mark in SEPARATORS:
        widths = _widths(sample, mark, whole=whole)
        if widths and widths[0] > 1:
            share[mark] = sum(width == widths[0] for width in widths) / len(widths)
            if share[mark] == 1.0:
                even[mark] = widths[0]
    usual = _USUAL.get(ending)
    if usual in even or (not even and usual in share):
        return usual
    if len(even) > 1:
        told = " or ".join(f"{SEPARATORS[mark]} ({even[mark]} columns)" for mark in even)
        raise SpecError(
            f"{where}, line 1: the separator is unclear: {told} fits the first lines",
            hint="Rename the file to .csv (comma) or .tsv (tab), or put cells that hold a separator"
            " in double quotes.",
        )
    likely = next(iter(even), None) or max(share, key=lambda mark: share[mark], default=None)
    return likely if usual or share.get(likely or "", 0.0) >= _MOSTLY else None


def _widths(sample: str, mark: str, *, whole: bool) -> list[int]:
    """The number of cells in each of the first lines; the last line of a sample may be cut."""
    reader = csv.reader(io.StringIO(sample, newline=""), strict=True, delimiter=mark)
    widths: list[int] = []
    try:
        for cells in islice(reader, _MOST_LINES):
            widths += [len(cells)] if cells else []
    except csv.Error:
        return widths
    return widths if whole or len(widths) >= _MOST_LINES else widths[:-1] or widths


def csv_rows(
    data: bytes, where: str, separator: str | None, *, faults: Faults | None = None
) -> PlacedRows:
    """A row for each line under the header."""
    csv.field_size_limit(MAX_LINE_BYTES)
    mark = separator or ","
    text = io.StringIO(data.decode("utf-8"), newline="")
    reader = csv.reader(text, strict=True, delimiter=mark)
    try:
        header = next(reader, [])
        if len(set(header)) < len(header):
            twice = Counter(header).most_common(1)[0][0]
            raise SpecError(f"{where}, line 1: column {twice!r} occurs twice")
        for cells in reader:
            if not cells:
                continue
            if len(cells) != len(header):
                note(faults, _uneven(f"{where}, line {reader.line_num}", cells, header, mark))
                continue
            yield f"{where}, line {reader.line_num}", dict(zip(header, cells, strict=True))
    except csv.Error as error:
        note(faults, SpecError(f"{where}, line {reader.line_num}: not CSV: {error}"))


def _uneven(place: str, cells: list[str], header: list[str], mark: str) -> SpecError:
    return SpecError(
        f"{place}: {counted(len(cells), 'cell')}, expected {len(header)} as in the header",
        hint=f"A cell that holds a {SEPARATORS[mark]} or a line break must be in double quotes.",
    )
