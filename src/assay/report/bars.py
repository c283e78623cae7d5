"""Bars for people: what one version asks, and what another changed."""

from typing import TYPE_CHECKING

from assay.gauntlet.bar import Bar
from assay.gauntlet.metrics.table import metric_of
from assay.gauntlet.spec import BarSet
from assay.report.terminal import styled, table

if TYPE_CHECKING:
    from rich.console import Console


def where(bar: Bar) -> str:
    """The data a bar is about."""
    return ", ".join(bar.partitions) or ("second corpus" if bar.corpus == "second" else "all")


def draw_bars(bars: BarSet, out: "Console") -> None:
    """One version: its bars, partitions, controls and reason."""
    out.print(styled(f"{bars.name}: {bars.because}"))
    out.print()
    rows = [(bar.id, metric_of(bar).asks(bar), where(bar)) for bar in bars.bars]
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
    """What the newer version added, changed and dropped, and why."""
    out.print(styled(f"{old.name} -> {new.name}: {new.because}"))
    out.print()
    rows = [
        (
            kind,
            name,
            *("" if bar is None else f"{metric_of(bar).asks(bar)} ({where(bar)})" for bar in pair),
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
