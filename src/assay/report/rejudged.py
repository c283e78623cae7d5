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


def draw_rejudged(
    found: Sequence[Rejudged],
    out: "Console",
    *,
    kept: str,
) -> None:
    """A line a run, old beside new, and below it what changed."""
    now = next((one.scorecard.bars_version for one in found if one.scorecard is not None), "")
    rows = []
    for one in found:
        card = one.scorecard
        before = "; ".join(_short(kept.scorecard, named=True) for kept in _others(one)) or "-"
        after = "not judged" if card is None else _short(card, named=False)
        method = one.method or "?"
        rows.append((one.run, method, before, after, _changed(one)))
    out.print(table(("run", "method", "before", f"now ({now})", "what changed"), rows))
    out.print()
    passed = sum(one.scorecard is not None and one.scorecard.verdict == "pass" for one in found)
    said = "" if any(one.error for one in found) else kept
    out.print(styled(f"{passed} of {counted(len(found), 'run')} passed.{said}"))


def _others(one: Rejudged) -> list[KeptScorecard]:
    """The earlier scorecards under other bars."""
    if one.scorecard is None:
        return list(one.earlier)
    mine = one.scorecard.digests["bars"]
    return [kept for kept in one.earlier if kept.scorecard.digests["bars"] != mine]


def _short(card: Scorecard, *, named: bool) -> str:
    version = f"{card.bars_version} " if named else ""
    return f"{version}{card.verdict.upper()} {card.point.passed}/{card.point.total}"


def _changed(one: Rejudged) -> str:
    """What the new bars say that the last scorecard did not."""
    if one.scorecard is None or one.error is not None:
        return one.error or ""
    others = _others(one)
    if not others:
        return "judged as before" if one.earlier else "judged for the first time"
    old = {bar.id: bar for bar in others[-1].scorecard.bars}
    said = []
    for bar in one.scorecard.bars:
        was = old.get(bar.id)
        if was is None or (was.threshold, was.metric, was.outcome) != (
            bar.threshold,
            bar.metric,
            bar.outcome,
        ):
            new = "new " if was is None else ""
            said.append(f"{new}{bar.id} {bar.value:.3f} {bar.outcome.value}")
    said += [f"{name} dropped" for name in old if name not in {b.id for b in one.scorecard.bars}]
    return ", ".join(said) or "nothing"
