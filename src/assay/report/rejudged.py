"""Runs judged again: what each was worth before, what it is worth now, and what changed."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.gauntlet.rejudge import Rejudged
from assay.gauntlet.result import Scorecard
from assay.gauntlet.store import KeptScorecard
from assay.report.terminal import styled, table
from assay.wording import counted

if TYPE_CHECKING:
    from rich.console import Console


def draw_rejudged(runs: Sequence[Rejudged], out: "Console", *, kept: str) -> None:
    """A line a run, old beside new, and below it what changed."""
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


def _others(run: Rejudged) -> list[KeptScorecard]:
    """The earlier scorecards under other bars."""
    if run.scorecard is None:
        return list(run.earlier)
    mine = run.scorecard.digests["bars"]
    return [kept for kept in run.earlier if kept.scorecard.digests["bars"] != mine]


def _short(card: Scorecard, *, named: bool) -> str:
    version = f"{card.bars_version} " if named else ""
    return f"{version}{card.verdict.upper()} {card.point.passed}/{card.point.total}"


def _changed(run: Rejudged) -> str:
    """What the new bars say that the last scorecard did not."""
    if run.scorecard is None or run.error is not None:
        return run.error or ""
    others = _others(run)
    if not others:
        return "judged as before" if run.earlier else "judged for the first time"
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
