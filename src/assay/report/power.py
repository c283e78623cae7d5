"""What a comparison could show, for people."""

from typing import TYPE_CHECKING

from assay.comparison.power import Power
from assay.report.terminal import styled, table
from assay.wording import counted, percent

if TYPE_CHECKING:
    from rich.console import Console


def draw_power(found: Power, out: "Console") -> None:
    """The answer in a sentence, and a small table."""
    out.print(styled(_sentence(found)))
    out.print()
    by_rate = any(row.rate is not None for row in found.table)
    headers = ["pairs", "effect", "power", *(["from a rate of"] if by_rate else [])]
    rows = [
        [
            "-" if row.pairs is None else f"{row.pairs:,}",
            "none" if row.effect is None else f"{row.effect:+.3f}",
            f"{row.power:.3f}",
            *([f"{row.rate:g}"] if row.rate is not None else []),
        ]
        for row in found.table
    ]
    out.print(table(headers, rows, right="rrrr"))
    out.print()
    out.print(styled(f"{found.how}, level {percent(found.level)}", style="dim"))


def _sentence(found: Power) -> str:
    if found.pairs is None:
        return f"{found.question}: more pairs than anyone makes"
    if found.question.endswith("show"):
        effect = "nothing" if found.effect is None else f"{found.effect:+.3f}"
        return f"{found.question}: {effect}, with {percent(found.power)} power"
    return f"{found.question}: {counted(found.pairs, 'pair')} for {percent(found.power)} power"
