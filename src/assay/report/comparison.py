"""Draw comparisons, their power and paired trials on a terminal."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.comparison.adr_0031 import SourceComparison
from assay.comparison.result import (
    Comparison,
    Flip,
    NetVerdict,
)
from assay.report.comparison_figures import draw_figures
from assay.report.terminal import EVERY_CAVEAT, draw_caveats, marked, styled, table
from assay.wording import as_flags, counted, number, percent, signed

if TYPE_CHECKING:
    from rich.console import Console

    from assay.comparison.pilot import PilotPower
    from assay.comparison.power import Power
    from assay.comparison.trials.collect import Trials

_STYLE = {
    NetVerdict.RATIFY: "green",
    NetVerdict.REJECT: "red",
    NetVerdict.NO_EFFECT: "cyan",
    NetVerdict.INCONCLUSIVE: "yellow",
}
_SHOWN_FLIPS = 5
_OF_ONE = {"0/1", "1/1"}
_FIRST = frozenset({"assumed", "read-as", "undirected"})
"""Caveats on how columns were read, printed before the table."""
_SHOWN = 5


def draw_comparison(comparison: Comparison, out: "Console", *, caveats: bool = False) -> None:
    """Draw a whole comparison, narrow enough for any terminal."""
    out.print(styled(comparison.evidence))
    for read in comparison.inputs:
        if read.described is not None:
            out.print(styled(f"{read.side:<9}  {read.described}", style="dim"))
    for caveat in comparison.caveats:
        if caveat.code in _FIRST:
            _draw_first(f"{caveat.code}: {caveat.message}", out)
    out.print()
    draw_figures(comparison, out)
    out.print()
    _draw_verdict(comparison, out)
    _draw_flips(comparison.flips, out)
    out.print()
    others = [caveat for caveat in comparison.caveats if caveat.code not in _FIRST]
    draw_caveats(others, out, every=None if caveats else EVERY_CAVEAT)
    out.print(styled(comparison.signature, style="dim"))


def _draw_first(text: str, out: "Console") -> None:
    """A caveat on how columns were read; a line of a plan stands alone and whole, to be pasted."""
    said, has_line, line = text.partition(" with the line ")
    ending = " with the line" if has_line else ""
    out.print(styled(as_flags(f"{said}{ending}"), style="yellow"))
    if line:
        out.print(styled(f"  {line}", style="yellow"), soft_wrap=True)


def _draw_verdict(comparison: Comparison, out: "Console") -> None:
    style = f"bold {_STYLE[comparison.verdict]}"
    verdict = comparison.verdict.upper()
    out.print(marked("verdict  ", verdict, style, as_flags(f"  {comparison.because}")))
    if comparison.verdict is NetVerdict.RATIFY:
        out.print(styled("         ratify: keep the change"))
    if comparison.verdict is NetVerdict.INCONCLUSIVE and not comparison.blocked:
        out.print(styled(f"         {comparison.outlook}"))
    looks = comparison.looks
    if looks is not None:
        unit = "instance" if comparison.unit == "instance" else "pair"
        looked = (
            f"decided after {counted(looks.decided_at, unit)}; later ones were not used"
            if looks.decided_at is not None
            else f"not decided after {counted(looks.units, unit)}; look again when there are more"
        )
        out.print(styled(f"         {looked}"))


def _draw_flips(flips: Sequence[Flip], out: "Console") -> None:
    """Draw a line for each dimension: which instances came to its best value, and which left it."""
    lines = [
        _flips_line([flip for flip in flips if (flip.to, flip.dimension) == kind], verb)
        for to, verb in (("ideal", "now reach"), ("short", "no longer reach"))
        for kind in dict.fromkeys((flip.to, flip.dimension) for flip in flips if flip.to == to)
    ]
    if lines:
        out.print()
    for line in lines[:_SHOWN_FLIPS]:
        out.print(styled(as_flags(line)))
    if len(lines) > _SHOWN_FLIPS:
        out.print(styled(as_flags(f"and of {len(lines) - _SHOWN_FLIPS} more; `json=` lists all")))


def _flips_line(flips: Sequence[Flip], verb: str) -> str:
    """The instances of one dimension and direction, with counts if any has several runs."""
    single = all({flip.baseline, flip.candidate} <= _OF_ONE for flip in flips)
    named = [
        f"{flip.instance:.60}" + ("" if single else f" ({flip.baseline}->{flip.candidate})")
        for flip in flips[:_SHOWN_FLIPS]
    ]
    left = len(flips) - len(named)
    more = f" and {left} more (`json=` lists all)" if left else ""
    runs = "" if single else " in most runs"
    head = counted(len(flips), "instance")
    verb = verb.replace("reach", "reaches") if len(flips) == 1 else verb
    what = f"the best value of {flips[0].dimension:.60}{runs}"
    return f"{head} {verb} {what}: {', '.join(named)}{more}"


def draw_source_comparison(comparison: SourceComparison, out: "Console") -> None:
    """Draw the verdict by ADR-0031's rule."""
    out.print(styled(f"by the rule of ADR-0031: {comparison.verdict.upper()}"))
    out.print()
    wide = max((len(delta.dimension) for delta in comparison.deltas), default=0)
    for delta in comparison.deltas:
        figures = f"{number(delta.baseline):>9}{number(delta.candidate):>9}{signed(delta.delta):>9}"
        out.print(styled(f"{delta.dimension:<{wide}}{figures}  {delta.verdict}"))
    out.print()
    repairs = counted(comparison.repairs, "repair")
    regressions = counted(comparison.regressions, "regression")
    out.print(styled(f"{repairs}, {regressions}, net {comparison.net:+d}"))
    for caveat in comparison.caveats:
        out.print(styled(caveat, style="dim"))


def draw_power(power: "Power", out: "Console") -> None:
    """Draw the answer in a sentence, and a small table."""
    out.print(styled(power.sentence))
    out.print()
    by_rate = any(row.rate is not None for row in power.table)
    headers = ["pairs", "effect", "power", *(["from a rate of"] if by_rate else [])]
    rows = [
        [
            "-" if row.pairs is None else f"{row.pairs:,}",
            "none" if row.effect is None else f"{row.effect:+z.3f}",
            f"{row.power:.3f}",
            *([f"{row.rate:g}"] if row.rate is not None else []),
        ]
        for row in power.table
    ]
    out.print(table(headers, rows, right="rrrr"))
    out.print()
    out.print(styled(f"{power.how}, level {percent(power.level)}", style="dim"))
    if power.assumption is not None:
        out.print(styled(power.assumption, style="dim"))


def draw_pilot(pilot: "PilotPower", out: "Console") -> None:
    """Draw a line for each dimension, and the assumptions of the figures."""
    rows = [
        [
            row.dimension,
            number(row.baseline),
            "" if row.candidate is None else number(row.candidate),
            signed(row.effect),
            number(row.spread),
            f"{row.correlation:z.2f}",
            "-" if row.pairs is None else f"{row.pairs:,}",
        ]
        for row in pilot.dimensions
    ]
    headers = ["", "before", "after", "effect", "spread", "correlation", pilot.units]
    out.print(table(headers, rows, right=" rrrrrr"))
    out.print()
    out.print(styled(pilot.basis, style="dim"))
    if pilot.others:
        out.print(styled(pilot.others, style="dim"))


def draw_trials(trials: "Trials", out: "Console", *, caveats: bool = False) -> None:
    """Draw why the trials ended, their costs and savings, void pairs, and the comparison."""
    took = f"{counted(trials.runs, 'run')} in {trials.seconds:,.0f} s"
    took += "" if trials.money is None or not trials.money else f" for {trials.money:,.2f}"
    out.print(
        styled(
            f"{trials.why}: {trials.pairs} of {counted(trials.planned_pairs, 'pair')}"
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
        draw_comparison(trials.comparison, out, caveats=caveats)


def _list(reasons: Sequence[str], out: "Console") -> None:
    """The first few reasons, a line each."""
    for reason in reasons[:_SHOWN]:
        out.print(styled(f"  {reason}"))
    if len(reasons) > _SHOWN:
        out.print(styled(as_flags(f"  and {len(reasons) - _SHOWN} more; `json=` lists all")))
