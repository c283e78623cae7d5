"""Draw the figures of a comparison: one line for each dimension, in aligned columns.

If the terminal is too narrow for a line, the conclusion goes below the figures. If it is narrower
still, the figures go below the name. No name or figure is ever cut.
"""

from typing import TYPE_CHECKING

from assay.comparison.result import BETTER, WORSE, Comparison, DimensionResult
from assay.report.terminal import styled
from assay.wording import number, p_value, signed, signed_interval

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

Cells = tuple[str, ...]
_HEAD = ("", "before", "after", "change", "95 % interval", "p")
_UNKNOWN = "cannot be compared"
_GAP = "  "
_ROOMY = (8, 7, 7, 7, 16, 6)
"""The widths of the columns if there is room."""


def draw_figures(comparison: Comparison, out: "Console") -> None:
    """Draw the dimensions that count, their balance, and those that are only reported."""
    from rich.text import Text

    counting = [dimension for dimension in comparison.dimensions if dimension.counts]
    others = [dimension for dimension in comparison.dimensions if not dimension.counts]
    rows = {id(dimension): _cells(dimension) for dimension in comparison.dimensions}
    balance = _balance(comparison) if len(counting) > 1 else None
    cells = [_HEAD, *rows.values(), *([balance] if balance else [])]
    widths = [max(len(row[column]) for row in cells) for column in range(len(_HEAD))]
    longest = max((len(_concluded(one)) for one in comparison.dimensions), default=0)
    roomy = list(map(max, widths, _ROOMY))
    widths = roomy if _length(roomy) + len(_GAP) + longest <= out.width else widths
    stacked = _length(widths) > out.width

    def draw(row: Cells, concluded: "Text | None" = None) -> None:
        figures = _line(row[1:], widths[1:])
        if stacked and row[0]:
            out.print(styled(row[0]))
        line = styled(f"{_GAP if stacked else f'{row[0]:<{widths[0]}}{_GAP}'}{figures}")
        if concluded is not None and len(line) + len(_GAP) + len(concluded) > out.width:
            line.append(f"\n{_GAP * 2}")
        elif concluded is not None:
            line.append(_GAP)
        line.rstrip() if concluded is None else line.append_text(concluded)
        out.print(line)

    draw(_HEAD)
    for dimension in counting:
        draw(rows[id(dimension)], _concluded(dimension))
    if balance:
        draw(balance)
    if any(dimension.gated for dimension in counting):
        out.print(Text("* gated: it must not lose more than its margin", style="dim"))
    if balance:
        out.print(Text("on balance: the weighted mean of the dimensions", style="dim"))
    if len(counting) > 1 and comparison.looks is None:
        out.print(Text("p and intervals are corrected for the number of dimensions", style="dim"))
    if others:
        out.print(Text("reported only, not part of the verdict"))
        for dimension in others:
            draw(rows[id(dimension)], _concluded(dimension))


def _length(widths: list[int]) -> int:
    return sum(widths) + len(_GAP) * (len(widths) - 1)


def _line(row: Cells, widths: list[int]) -> str:
    """Figures are right-aligned, the interval left-aligned."""
    columns = [f"{cell:>{width}}" for cell, width in zip(row, widths, strict=True)]
    columns[3] = f"{row[3]:<{widths[3]}}"
    return _GAP.join(columns)


def _cells(dimension: DimensionResult) -> Cells:
    name = f"{dimension.name}{' *' if dimension.gated else ''}"
    if dimension.delta is None or dimension.baseline is None or dimension.candidate is None:
        return (name, "", "", "", "", "")
    whole = max(abs(dimension.baseline), abs(dimension.candidate)) >= 100.0
    return (
        name,
        number(dimension.baseline, whole),
        number(dimension.candidate, whole),
        signed(dimension.delta, whole),
        signed_interval(dimension.low, dimension.high, whole),
        "" if dimension.p is None else p_value(dimension.p),
    )


def _balance(comparison: Comparison) -> Cells | None:
    balance = comparison.balance
    if balance is None:
        return None
    ends = signed_interval(balance.low, balance.high)
    return ("on balance", "", "", signed(balance.value), ends, p_value(balance.p))


def _concluded(dimension: DimensionResult) -> "Text":
    """The conclusion about a dimension and its gate."""
    if dimension.delta is None or dimension.baseline is None or dimension.candidate is None:
        return styled(_UNKNOWN)
    cls = dimension.cls
    style = "green" if cls in BETTER else "red" if cls in WORSE else ""
    change, *gate = dimension.conclusions() if cls is not None else ["", *dimension.conclusions()]
    line = styled(change, style=style)
    for said in gate:
        line.append(f"{_GAP}{said}", style="dim")
    return line
