"""What came of paired trials, for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.comparison.trials.collect import Trials
from assay.report.comparison import draw_comparison
from assay.report.terminal import styled
from assay.wording import as_flags, counted

if TYPE_CHECKING:
    from rich.console import Console

_SHOWN = 5
_ENDED = {
    "verdict": "stopped on a verdict",
    "complete": "all pairs were run",
    "crashes": "stopped: every run crashed",
    "budget of runs": "stopped: the budget of runs is used up",
    "budget of minutes": "stopped: the budget of minutes is used up",
    "budget of money": "stopped: the budget of money is used up",
}


def draw_trials(trials: Trials, out: "Console") -> None:
    """Why they ended, what they took and saved, what is void; then the comparison."""
    took = f"{counted(trials.runs, 'run')} in {trials.seconds:,.0f} s"
    took += "" if trials.money is None or not trials.money else f" for {trials.money:,.2f}"
    out.print(
        styled(
            f"{_ENDED[trials.ended]}: {trials.pairs} of {counted(trials.planned_pairs, 'pair')}"
            f" compared, {took}"
        )
    )
    if trials.saved_runs:
        saved = f"{counted(trials.saved_runs, 'run')}, about {trials.saved_seconds:,.0f} s"
        saved += f" and {trials.saved_money:,.2f}" if trials.saved_money else ""
        out.print(styled(f"saved: {saved}"))
    if trials.crashed:
        out.print(styled(f"crashed: {counted(trials.crashed, 'run')}"))
        _list(trials.crashes, out)
    if trials.void_pairs:
        out.print(styled(f"void: {counted(trials.void_pairs, 'pair')}", style="yellow"))
        _list(trials.voids, out)
    out.print()
    if trials.comparison is None:
        out.print(styled("no pair can be compared, so there is no verdict", style="yellow"))
    else:
        draw_comparison(trials.comparison, out)


def _list(reasons: Sequence[str], out: "Console") -> None:
    """The first few reasons, a line each."""
    for reason in reasons[:_SHOWN]:
        out.print(styled(f"  {reason}"))
    if len(reasons) > _SHOWN:
        out.print(styled(as_flags(f"  and {len(reasons) - _SHOWN} more; `json=` lists all")))
