"""Draw bars and scorecards on a terminal, and the changes between versions of the bars."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.gauntlet.bar import Bar
from assay.gauntlet.metrics.table import metric_of, titled
from assay.gauntlet.result import Scorecard, Verdict
from assay.gauntlet.spec import BarSet
from assay.report.terminal import EVERY_CAVEAT, draw_caveats, marked, styled, table
from assay.wording import as_flags, counted, interval

if TYPE_CHECKING:
    from rich.console import Console

    from assay.gauntlet.rejudge import Rejudged
    from assay.gauntlet.store import KeptScorecard

_STYLE = {Verdict.PASS: "green", Verdict.FAIL: "red", Verdict.UNRESOLVED: "yellow"}
_BOUND = "lower bound: one-sided, 95 %; to pass, it must reach the threshold"


def draw_scorecard(
    card: Scorecard, out: "Console", *, every_caveat: str | None = EVERY_CAVEAT
) -> None:
    """Draw a scorecard: what was judged, each bar, both verdicts, and the first caveats.

    `every_caveat` says how to see the others; if it is None, all are drawn.
    """
    out.print(styled(f"{card.method} on {card.benchmark}, {card.task} bars {card.bars_version}"))
    out.print()
    _draw_bars(card, out)
    out.print()
    point = card.point
    met = f"{point.passed}/{point.total} bars by the estimates alone, without intervals"
    out.print(styled(f"point verdict  {point.verdict.upper()}  {met}"))
    style = f"bold {_STYLE[card.verdict]}"
    out.print(marked("verdict        ", card.verdict.upper(), style, f"  {card.meaning}"))
    out.print()
    draw_caveats(card.caveats, out, every=every_caveat)
    if card.bars_version == "plain":
        more = "What is left beyond the surface (length, form, wording): `bars=plain-2`"
        out.print(styled(as_flags(more)))
    unscored = f"{card.unscored} unscored · " if card.unscored else ""
    out.print(styled(f"{unscored}{card.signature}", style="dim"))


def _draw_bars(card: Scorecard, out: "Console") -> None:
    """Draw each bar on a line, its parts below in columns, within 72 characters."""
    longest = max(len(part.partition) for bar in card.bars for part in bar.parts)
    wide = min(max(longest, 20), 30)
    out.print(styled(f"{'':{wide + 4}}  value  95 % interval     lower bound"))
    for bar in card.bars:
        asked = f"{bar.id:<3} {titled(bar.metric)} at least {bar.threshold:.2f}  "
        out.print(marked(asked, bar.outcome.value, _STYLE[bar.outcome]))
        for part in bar.parts:
            ends = interval(part.low, part.high)
            figures = f"{part.value:>6.3f}  {ends:<16}  {part.lower_bound:>11.3f}"
            out.print(styled(f"    {part.partition:<{wide}} {figures}"))
    out.print(styled(_BOUND, style="dim"))


def draw_rejudged(runs: "Sequence[Rejudged]", out: "Console", *, kept: str) -> None:
    """Draw a line for each run: the earlier verdicts, the new one, and what changed."""
    if not runs:
        out.print("No run to judge yet.")
        return
    now = next((run.scorecard.bars_version for run in runs if run.scorecard is not None), "")
    rows = []
    for run in runs:
        card = run.scorecard
        before = "; ".join(_short(kept.scorecard, named=True) for kept in _others(run)) or "-"
        after = "not judged" if card is None else _short(card, named=False)
        rows.append((run.run, run.method or "?", before, after, _changed(run)))
    out.print(table(("run", "method", "before", f"now ({now})", "what changed"), rows))
    out.print()
    passed = sum(run.scorecard is not None and run.scorecard.verdict == "pass" for run in runs)
    remark = "" if any(run.error for run in runs) else kept
    out.print(styled(f"{passed} of {counted(len(runs), 'run')} passed.{remark}"))


def _others(run: "Rejudged") -> "list[KeptScorecard]":
    """The earlier scorecards under other bars."""
    if run.scorecard is None:
        return list(run.earlier)
    mine = run.scorecard.digests["bars"]
    return [kept for kept in run.earlier if kept.scorecard.digests["bars"] != mine]


def _short(card: Scorecard, *, named: bool) -> str:
    version = f"{card.bars_version} " if named else ""
    return f"{version}{card.verdict.upper()} {card.point.passed}/{card.point.total}"


def _changed(run: "Rejudged") -> str:
    """The bars whose result differs from the last scorecard."""
    if run.scorecard is None or run.error is not None:
        return run.error or ""
    others = _others(run)
    if not others:
        again = "judged as before" if run.earlier else "judged for the first time"
        return "judged already" if run.judged_before else again
    old = {bar.id: bar for bar in others[-1].scorecard.bars}
    changes = []
    for bar in run.scorecard.bars:
        was = old.get(bar.id)
        now = bar.threshold, bar.metric, bar.outcome
        if was is None or (was.threshold, was.metric, was.outcome) != now:
            new = "new " if was is None else ""
            changes.append(f"{new}{bar.id} {bar.value:.3f} {bar.outcome.value}")
    changes += [f"{name} dropped" for name in old if name not in {b.id for b in run.scorecard.bars}]
    return ", ".join(changes) or "nothing"


def draw_bars(bars: BarSet, out: "Console") -> None:
    """Draw one version: its bars, partitions, controls and reason."""
    out.print(styled(f"{bars.name}: {bars.because}"))
    out.print()
    rows = [(bar.id, metric_of(bar).asks(bar), bar.on) for bar in bars.bars]
    out.print(table(("bar", "asks for", "on"), rows))
    out.print()
    for partition in bars.partitions.values():
        text = f"{partition.positive.text}  against  {partition.negative.text}"
        out.print(styled(f"{partition.name}: {text}"))
    for control in bars.regressions:
        passes = f"meets {', '.join(control.passes)} and " if control.passes else ""
        out.print(styled(f"{control.method} {passes}must miss {', '.join(control.fails)}"))
    before = "" if bars.supersedes is None else f" · supersedes {bars.supersedes}"
    out.print()
    out.print(styled(f"{bars.digest}{before}", style="dim"))


def draw_difference(old: BarSet, new: BarSet, out: "Console") -> None:
    """Draw what the newer version added, changed and dropped, and why."""
    out.print(styled(f"{old.name} -> {new.name}: {new.because}"))
    out.print()
    rows = [
        (
            kind,
            name,
            *("" if bar is None else f"{metric_of(bar).asks(bar)} ({bar.on})" for bar in pair),
        )
        for kind, name, pair in changes(old, new)
    ]
    for name in dict.fromkeys((*old.partitions, *new.partitions)):
        texts = [_partition(bars, name) for bars in (old, new)]
        if texts[0] != texts[1]:
            kind = "added" if not texts[0] else "dropped" if not texts[1] else "changed"
            rows.append((kind, f"partition {name}", *texts))
    if rows:
        out.print(table(("", "bar", old.version, new.version), rows))
    else:
        out.print("The bars are the same.")


def _partition(bars: BarSet, name: str) -> str:
    partition = bars.partitions.get(name)
    if partition is None:
        return ""
    return f"{partition.positive.text} against {partition.negative.text}"


def changes(old: BarSet, new: BarSet) -> list[tuple[str, str, tuple[Bar | None, Bar | None]]]:
    """Each bar that differs: added, changed or dropped."""
    before = {bar.id: bar for bar in old.bars}
    after = {bar.id: bar for bar in new.bars}
    differing: list[tuple[str, str, tuple[Bar | None, Bar | None]]] = []
    for name in dict.fromkeys((*before, *after)):
        pair = before.get(name), after.get(name)
        if pair[0] != pair[1]:
            kind = "added" if pair[0] is None else "dropped" if pair[1] is None else "changed"
            differing.append((kind, name, pair))
    return differing
