"""What a comparison could show, for people."""

from typing import TYPE_CHECKING

from assay.comparison.power import Power
from assay.report.terminal import styled, table
from assay.wording import counted, percent

if TYPE_CHECKING:
    from rich.console import Console


def draw_power(power: Power, out: "Console") -> None:
    """The answer in a sentence, and a small table."""
    out.print(styled(_sentence(power)))
    out.print()
    by_rate = any(row.rate is not None for row in power.table)
    headers = ["pairs", "effect", "power", *(["from a rate of"] if by_rate else [])]
    rows = [
        [
            "-" if row.pairs is None else f"{row.pairs:,}",
            "none" if row.effect is None else f"{row.effect:+.3f}",
            f"{row.power:.3f}",
            *([f"{row.rate:g}"] if row.rate is not None else []),
        ]
        for row in power.table
    ]
    out.print(table(headers, rows, right="rrrr"))
    out.print()
    out.print(styled(f"{power.how}, level {percent(power.level)}", style="dim"))


def _sentence(power: Power) -> str:
    if power.pairs is None:
        return f"{power.question}: more pairs than anyone makes"
    if power.question.endswith("show"):
        effect = "nothing" if power.effect is None else f"{power.effect:+.3f}"
        return f"{power.question}: {effect}, with {percent(power.power)} power"
    return f"{power.question}: {counted(power.pairs, 'pair')} for {percent(power.power)} power"
