"""The cross-corpus matrix for a terminal, for Markdown, CSV and JSON.

A written matrix names its folder, so that it can be made again and compared: an edited matrix does
not match its result files.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

import msgspec

from assay.digests import pretty_json
from assay.dual_condition.committed_file import SELF_CONSISTENT
from assay.dual_condition.matrix import CSV_HEAD, HEAD, MARK, MARK_END, Matrix, MatrixRow
from assay.dual_condition.result import Quantity, Regime, RowState
from assay.report.escaping import csv_line, markdown, markdown_table
from assay.report.terminal import marked, styled, table
from assay.wording import as_flags, interval

if TYPE_CHECKING:
    from rich.console import Console

_SHORT = ("corpus", "A", "B", "A - B", "memorised", "transfer", "regime", "n")
_PAST = ("corpus", "made", "B architecture", "interval", "result")
_STYLE = {RowState.BLOCKED: "red", RowState.ONE_SIDED: "red", RowState.PILOT_ONLY: "yellow"}
_UNDECIDED = "undecidable"
_LEGEND = (
    "A: all state. B: none. A - B is what the state adds: memorisation (A - C) is what it holds of"
    " this benchmark's own items, transfer (C - B) the rest. 95 % intervals over items and seeds."
)


def draw_matrix(matrix: Matrix, out: "Console", *, history: bool = False) -> None:
    """Draw a line for each corpus, and why rows are not reported."""
    names = _names(matrix)
    rows = [_short_cells(row, names) for row in matrix.rows]
    out.print(table(_SHORT, rows, right=" rr rr r"))
    systems = _systems(matrix, names)
    if systems:
        out.print()
    for system in systems:
        out.print(styled(system, style="dim"))
    for row in matrix.rows:
        if row.reasons:
            out.print()
            style = _STYLE.get(row.state, "")
            out.print(marked(f"{names[row.file]}: ", row.state.value, style))
            for reason in row.reasons:
                out.print(styled(f"  {reason}"))
        elif _is_undecided(row):
            out.print()
            out.print(styled(f"{names[row.file]}: {_why_undecided(row)}"))
    if history:
        out.print()
        out.print(table(_PAST, _past_rows(matrix, names)))
    out.print()
    for line in _standing(matrix, names):
        out.print(styled(as_flags(line)))
    out.print()
    out.print(styled(_LEGEND, style="dim"))


def matrix_markdown(matrix: Matrix, *, of: str, history: bool = False) -> str:
    """The matrix as a Markdown page."""
    flag = " --history" if history else ""
    names = _names(matrix)
    parts = [
        f"{MARK}{written(of)}{flag}{MARK_END}\n",
        markdown_table(HEAD, (_cells(row, names) for row in matrix.rows)),
        *(f"{markdown(line)}\n" for line in _systems(matrix, names)),
    ]
    for row in matrix.rows:
        if row.reasons:
            reasons = "; ".join(map(markdown, row.reasons))
            parts.append(f"{markdown(names[row.file])} is {row.state.value}: {reasons}\n")
        elif _is_undecided(row):
            parts.append(f"{markdown(names[row.file])}: {markdown(_why_undecided(row))}\n")
    if history:
        parts.append(markdown_table(_PAST, _past_rows(matrix, names)))
    parts += [f"{markdown(as_flags(line))}\n" for line in _standing(matrix, names)]
    results = ", ".join(f"{markdown(row.file)}" for row in matrix.rows)
    return "\n".join([*parts, f"{_LEGEND} Made from {results}.\n"])


def matrix_csv(matrix: Matrix, *, of: str, history: bool = False) -> str:  # noqa: ARG001 - one shape
    """A line for each corpus, with unrounded numbers."""
    lines = [csv_line(CSV_HEAD)]
    for row in matrix.rows:
        quantities = (row.a, row.b, row.learning_contribution, row.memorisation, row.transfer)
        cells = [
            *(row.corpus, row.system, row.metric, row.state.value),
            *(number for quantity in quantities for number in _numbers(quantity)),
            "" if row.split is None else "decidable" if row.split.holds else "undecidable",
            row.regime.value if row.regime is not None else "",
            *(str(row.items), str(row.positives), str(row.seeds)),
            *(row.made, row.file, row.checksum or ""),
            "" if row.entered is None else f"{row.entered.study} {row.entered.entry}",
            *("; ".join(row.reasons), written(of)),
        ]
        lines.append(csv_line(cells))
    return "".join(lines)


def matrix_json(matrix: Matrix, *, of: str, history: bool = False) -> str:  # noqa: ARG001 - always in it
    """Everything, with stable keys."""
    rows = msgspec.to_builtins(matrix)["rows"]
    whole = {"format": matrix.format, "matrix_of": written(of), "rows": rows}
    return pretty_json(whole).decode()


WRITERS: Mapping[str, Callable[..., str]] = {
    ".md": matrix_markdown,
    ".csv": matrix_csv,
    ".json": matrix_json,
}
"""The writer of a matrix for each file extension."""


def written(of: str) -> str:
    """A folder's name in a matrix, escaped so that it cannot end a comment or begin a formula."""
    quoted = quote(of)
    return f"./{quoted}" if quoted.startswith("-") else quoted


def _names(matrix: Matrix) -> dict[str, str]:
    """The name of each row, by its result file; numbered if a corpus has several systems."""
    several = len({row.metric for row in matrix.rows}) > 1
    names = {}
    for row in matrix.rows:
        key = row.corpus, row.metric
        same = [other for other in matrix.rows if (other.corpus, other.metric) == key]
        number = f" #{1 + same.index(row)}" if len(same) > 1 else ""
        names[row.file] = f"{row.corpus}{number}" + (f" ({row.metric})" if several else "")
    return names


def _systems(matrix: Matrix, names: Mapping[str, str]) -> list[str]:
    """The system of each row, if there are several."""
    return [
        f"{names[row.file]}: {row.system or row.file}"
        for row in matrix.rows
        if "#" in names[row.file]
    ]


def _standing(matrix: Matrix, names: Mapping[str, str]) -> list[str]:
    """Which rows are in the ledger of a study, and what is shown about the others."""
    lines = []
    studies = sorted({row.entered.study for row in matrix.rows if row.entered is not None})
    for study in studies:
        mine = [
            row for row in matrix.rows if row.entered is not None and row.entered.study == study
        ]
        rows = ", ".join(
            f"{names[row.file]} (entry {row.entered.entry})" for row in mine if row.entered
        )
        lines.append(f"entered in the ledger of {study}: {rows}")
    loose = [names[row.file] for row in matrix.rows if row.entered is None]
    if loose:
        which = "every row is loose" if not lines else f"loose: {', '.join(loose)}"
        lines.append(
            f"{which}; of each, {SELF_CONSISTENT}; run it inside a study (`study=FOLDER`) to have"
            " it recorded"
        )
    return lines


def _cells(row: MatrixRow, names: Mapping[str, str]) -> list[str]:
    head = [names[row.file].removesuffix(f" ({row.metric})"), row.metric]
    if row.state is not RowState.REPORTED:
        state = {RowState.PILOT_ONLY: "pilot only"}.get(row.state, row.state.value)
        return [*head, state, state, "", "", "", "", str(row.items or "")]
    return [
        *head,
        _shown(row.a),
        _shown(row.b),
        _shown(row.learning_contribution, sign=True),
        *([_UNDECIDED] * 2 if _is_undecided(row) else _split_cells(row)),
        _regime(row),
        str(row.items),
    ]


def _short_cells(row: MatrixRow, names: Mapping[str, str]) -> list[str]:
    """A row that fits a terminal: the interval of the difference, and no other."""
    name = names[row.file]
    if row.state is not RowState.REPORTED:
        state = {RowState.PILOT_ONLY: "pilot only"}.get(row.state, row.state.value)
        return [name, "", "", state, "", "", "", str(row.items or "")]
    values = (row.memorisation, row.transfer)
    parts = ["" if quantity is None else f"{quantity.value:+z.4f}" for quantity in values]
    return [
        name,
        *("" if quantity is None else f"{quantity.value:.4f}" for quantity in (row.a, row.b)),
        _shown(row.learning_contribution, sign=True),
        *([_UNDECIDED] * 2 if _is_undecided(row) else parts),
        _regime(row),
        str(row.items),
    ]


def _regime(row: MatrixRow) -> str:
    """The regime, and whether most of a gain is memory."""
    if row.regime is None:
        return ""
    gains = row.regime in (Regime.LEARNING, Regime.MEMORY_CARRIED)
    if not gains or row.memorisation is None or row.transfer is None:
        return row.regime.value
    mostly = row.memorisation.value >= row.transfer.value
    return f"{row.regime.value}, mostly memory" if mostly else row.regime.value


def _split_cells(row: MatrixRow) -> list[str]:
    return [_shown(quantity, sign=True) for quantity in (row.memorisation, row.transfer)]


def _is_undecided(row: MatrixRow) -> bool:
    reported = row.state is RowState.REPORTED
    return reported and row.split is not None and not row.split.holds


def _why_undecided(row: MatrixRow) -> str:
    shown = "" if row.split is None else row.split.evidence
    return f"memorisation and transfer are not decidable: {shown}"


def _past_rows(matrix: Matrix, names: Mapping[str, str]) -> list[list[str]]:
    rows = []
    for row in matrix.rows:
        name = names[row.file]
        for past in row.history:
            ends = interval(past.low, past.high)
            rows.append([name, past.made[:19], f"{past.value:.4f}", ends, past.checksum])
        if row.b is not None and row.state is RowState.REPORTED:
            now = [name, row.made[:19], f"{row.b.value:.4f}", interval(*row.b.interval)]
            rows.append([*now, row.checksum or ""])
    return [[*row[:4], row[4].removeprefix("sha256:")[:12]] for row in rows]


def _shown(quantity: Quantity | None, *, sign: bool = False) -> str:
    if quantity is None:
        return ""
    return f"{quantity.value:{'+' if sign else ''}.4f} {interval(*quantity.interval)}"


def _numbers(quantity: Quantity | None) -> list[str]:
    if quantity is None:
        return ["", "", ""]
    return [repr(number) for number in (quantity.value, *quantity.interval)]
