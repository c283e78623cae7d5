"""Plain tables for a terminal, drawn with rich, which is imported only when something is drawn."""

from collections.abc import Iterable, Sequence
from typing import IO, TYPE_CHECKING

from assay.judges.scorecard import BarResult, Scorecard, Verdict

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

_STYLE = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.UNRESOLVED: "yellow"}
_MEANING = {
    Verdict.PASS: "every bar's 95 % lower bound is at or over its threshold",
    Verdict.FAIL: "some bar is shown to be missed",
    Verdict.UNRESOLVED: "the records cannot tell",
}


def console(file: IO[str] | None = None) -> "Console":
    """A console as wide as the terminal, and wide enough for our tables where there is none."""
    from rich.console import Console

    found = Console(file=file, highlight=False, soft_wrap=False)
    return found if found.is_terminal else Console(file=file, highlight=False, width=110)


def printable(text: str) -> str:
    """A text that cannot move the cursor or colour the screen: other people's words are shown."""
    return "".join(c if c.isprintable() or c == "\n" else f"\\x{ord(c):02x}" for c in text)


def table(headers: Sequence[str], rows: Iterable[Sequence[str]], *, right: str = "") -> "Table":
    """A borderless table; `right` marks the columns set to the right, one letter a column."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    drawn = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for index, header in enumerate(headers):
        drawn.add_column(header, justify="right" if right[index : index + 1] == "r" else "left")
    for row in rows:
        drawn.add_row(*(Text(printable(cell)) for cell in row))
    return drawn


def draw_scorecard(card: Scorecard, out: "Console") -> None:
    """A scorecard: what was judged, each bar, the two verdicts, and what to know about them."""
    from rich.text import Text

    title = f"{card.method} on {card.benchmark}, {card.task} bars {card.bars_version}"
    out.print(Text(printable(title)))
    out.print()
    rows = [row for bar in card.bars for row in _bar_rows(bar)]
    headers = (
        "bar",
        "what",
        "on",
        "value",
        "95 % interval",
        "lower bound",
        "needs",
        "point",
        "outcome",
    )
    out.print(table((*headers, "outcome"), rows, right="lllrrrr"))
    out.print()
    point = card.point
    said = f"{point.passed}/{point.total} bars at the point estimates"
    out.print(Text(f"point verdict  {point.verdict.upper()}  {said}"))
    line = Text("verdict        ")
    line.append(card.verdict.upper(), style=f"bold {_STYLE[card.verdict]}")
    line.append(f"  {_meaning(card)}")
    out.print(line)
    out.print()
    unscored = f"{card.unscored} unscored · " if card.unscored else ""
    for caveat in card.caveats:
        out.print(Text(printable(f"{caveat.code}: {caveat.message}"), style="dim"))
    out.print(Text(printable(f"{unscored}{card.signature}"), style="dim"))


def _meaning(card: Scorecard) -> str:
    if card.unscored:
        return "items are unscored, so there is no verdict"
    said = _MEANING[card.verdict]
    if card.records_needed is not None:
        said += f"; about {card.records_needed:,} like these would"
    return said


def _bar_rows(bar: BarResult) -> list[tuple[str, ...]]:
    rows: list[tuple[str, ...]] = []
    for index, part in enumerate(bar.parts):
        first = index == 0
        rows.append(
            (
                bar.id if first else "",
                bar.metric.replace("auc", "AUC").replace("f1", "F1") if first else "",
                part.partition,
                f"{part.value:.3f}",
                f"[{part.low:.3f}, {part.high:.3f}]",
                f"{part.lower_bound:.3f}",
                f"≥ {bar.threshold:.2f}",
                "yes" if part.value >= bar.threshold else "no",
                bar.outcome.value if first else "",
            )
        )
    return rows
