"""Draw several comparisons on a terminal: a line each, and a matrix."""

from typing import TYPE_CHECKING

from assay._version import __version__
from assay.comparison.result import ComparedPair, Comparison, Comparisons, NetVerdict
from assay.report.terminal import EVERY_CAVEAT, draw_caveats, styled, table
from assay.wording import as_flags, counted, number, percent, signed, signed_interval

if TYPE_CHECKING:
    from rich.console import Console

_MOST_MEANS = 5
"""Dimensions whose means are written out."""


def draw_comparisons(found: Comparisons, out: "Console", *, caveats: bool = False) -> None:
    """Draw a line for each, its gates, what would settle it, and a matrix of all pairs."""
    each = 1.0 - (1.0 - found.level) / len(found.pairs)
    out.print(
        styled(
            f"{counted(len(found.pairs), 'comparison')} of {counted(len(found.sides), 'side')};"
            f" each at a level of {percent(each)}, for {percent(found.level)} over all of them"
        )
    )
    tasks = list(dict.fromkeys(pair.task for pair in found.pairs))
    for task in tasks:
        out.print()
        if task is not None:
            out.print(styled(f"task {task}"))
        _draw_pairs([pair for pair in found.pairs if pair.task == task], out)
    if len({pair.baseline for pair in found.pairs}) > 1 and len(tasks) == 1:
        out.print()
        _draw_matrix(found, out)
    out.print()
    draw_caveats(found.joint_caveats(), out, every=None if caveats else EVERY_CAVEAT)
    alone = "`task=` shows one task" if len(tasks) > 1 else "Two sides alone are shown"
    out.print(styled(as_flags(f"{alone} in full."), style="dim"))
    rule = found.pairs[0].comparison.rule
    out.print(styled(f"{rule} · assay {__version__}", style="dim"))


def _draw_pairs(pairs: list[ComparedPair], out: "Console") -> None:
    head = ("candidate", "against", "pairs", "on balance", "interval", "verdict")
    out.print(table(head, [_cells(pair) for pair in pairs]))
    for pair in pairs:
        made = pair.comparison
        which = f"{pair.candidate} against {pair.baseline}"
        out.print(styled(f"{which}: {_means(made)}", style="dim"))
        if made.gates:
            out.print(styled(f"{which}: gates: {made.gates}", style="dim"))
        if made.verdict is NetVerdict.INCONCLUSIVE and not made.blocked:
            out.print(styled(f"{which}: {made.outlook}"))
        for caveat in made.caveats:
            if caveat.blocking:
                words = f"{which}: BLOCKS: {caveat.code}: {caveat.message}"
                out.print(styled(as_flags(words), style="yellow"))


def _cells(pair: ComparedPair) -> tuple[str, ...]:
    made, balance = pair.comparison, pair.comparison.balance
    return (
        pair.candidate,
        pair.baseline,
        f"{made.pairs:,}" if made.pairs else "",
        "" if balance is None else signed(balance.value),
        "" if balance is None else signed_interval(balance.low, balance.high),
        made.verdict.upper(),
    )


def _means(comparison: Comparison) -> str:
    """The means of the dimensions that count, before and after."""
    counting = [dimension for dimension in comparison.dimensions if dimension.counts]
    said = [
        f"{dimension.name} {number(dimension.baseline)} -> {number(dimension.candidate)}"
        for dimension in counting[:_MOST_MEANS]
        if dimension.baseline is not None and dimension.candidate is not None
    ]
    left = len(counting) - len(said)
    return ", ".join(said) + (f", and {left} more" if left and said else "")


def _draw_matrix(found: Comparisons, out: "Console") -> None:
    """Draw each side against each other: the row's lead over the column, starred if decided."""
    ahead: dict[tuple[str, str], str] = {}
    for pair in found.pairs:
        balance = pair.comparison.balance
        if balance is None:
            continue
        star = "*" if pair.comparison.verdict in (NetVerdict.RATIFY, NetVerdict.REJECT) else ""
        ahead[pair.candidate, pair.baseline] = f"{signed(balance.value)}{star}"
        ahead[pair.baseline, pair.candidate] = f"{signed(-balance.value)}{star}"
    rows = [(row, *(ahead.get((row, column), "") for column in found.sides)) for row in found.sides]
    out.print(table(("row ahead of column", *found.sides), rows))
    out.print(styled("* decided: ratify or reject", style="dim"))
