"""Bars revise under pressure, and only under pressure.

A new bar needs a cheat: a method, run there and then, that meets every old bar at the point
estimates and misses the new one. Without it nothing shows that the old bars were weak, or that the
new one does anything.
"""

from dataclasses import dataclass

from assay.benchmark.benchmark import Benchmark
from assay.errors import ProtocolError, SpecError
from assay.gauntlet.judge import score
from assay.gauntlet.result import Scorecard, Verdict
from assay.gauntlet.revision import revised_text
from assay.gauntlet.spec import Bar, BarSet, Regression, parse_bars
from assay.runs.result import Run


@dataclass(frozen=True, kw_only=True)
class Revision:
    """The next version of some bars, its text, and the cheat judged under both."""

    bars: BarSet
    text: str
    before: Scorecard
    after: Scorecard


def revise(
    base: BarSet, bar: Bar, *, version: str, because: str, cheat: Run, benchmark: Benchmark
) -> Revision:
    """The next version, or a ProtocolError that says what its regression control did not show."""
    if version == base.version:
        raise SpecError(f"the revision must have another version than {version!r}")
    before = score(cheat, benchmark, base)
    regression = Regression(
        method=cheat.method, passes=tuple(one.id for one in before.bars), fails=(bar.id,)
    )
    text = revised_text(base, bar, version=version, because=because, regression=regression)
    bars = parse_bars(text.encode(), where=version)
    if before.unscored:
        raise ProtocolError(
            f"{cheat.method} failed on {before.unscored} items, so it shows nothing"
        )
    if before.point.verdict is not Verdict.PASS:
        missed = ", ".join(f"{one.id} {one.value:.3f}" for one in before.bars if not one.point)
        raise ProtocolError(
            f"{cheat.method} does not pass {base.name} (it misses {missed}), so it does not show"
            " that these bars need another",
            hint="Name a cheat that does: `regression=METHOD`.",
        )
    after = score(cheat, benchmark, bars)
    judged = {one.id: one for one in after.bars}
    if bar.id not in judged:
        raise ProtocolError(f"bar {bar.id} is not asked of {benchmark.name}, so nothing fails it")
    if judged[bar.id].point:
        raise ProtocolError(
            f"{cheat.method} meets the new bar too ({bar.id} {judged[bar.id].value:.3f}, at least"
            f" {bar.at_least:.2f}), so the bar does not stop it",
            hint="Choose another control or a larger margin.",
        )
    return Revision(bars=bars, text=text, before=before, after=after)
