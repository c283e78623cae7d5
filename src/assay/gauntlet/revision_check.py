"""Check whether one version of some bars may supersede another.

Every old bar must stay unchanged, unless the revision names it in `drops`. The control of a
revision is a cheat that passes every old bar and fails a new one, at the point estimates.
"""

from assay.benchmark.benchmark import Benchmark
from assay.errors import ProtocolError
from assay.gauntlet.judge import score
from assay.gauntlet.result import Scorecard, Verdict
from assay.gauntlet.spec import BarSet, Regression
from assay.runs.result import Run


def check_revision(
    old: BarSet, new: BarSet, control: Run, benchmark: Benchmark
) -> tuple[Scorecard, Scorecard]:
    """Judge the control by both versions; a ProtocolError if the new one may not supersede."""
    check_superseding(old, new)
    named = named_control(old, new)
    if named.method != control.method:
        raise ProtocolError(
            f"the control of {new.name} is {named.method}, but {control.method} was run"
        )
    before = score(control, benchmark, old)
    if before.unscored:
        raise ProtocolError(
            f"{control.method} failed on {before.unscored} items, so it proves nothing"
        )
    if before.point.verdict is not Verdict.PASS:
        missed = ", ".join(
            f"{result.id} {result.value:.3f}" for result in before.bars if not result.point
        )
        raise ProtocolError(
            f"{control.method} does not pass {old.name} (it misses {missed}), so it does not show"
            " that a bar is missing",
            hint="Name a cheat that passes: `regression=METHOD`.",
        )
    after = score(control, benchmark, new)
    judged = {result.id: result for result in after.bars}
    for name in named.fails:
        if name not in judged:
            raise ProtocolError(
                f"bar {name} does not apply to {benchmark.name}, so the cheat cannot fail it"
            )
        if judged[name].point:
            raise ProtocolError(
                f"{control.method} also passes the new bar ({name} {judged[name].value:.3f}, at"
                f" least {judged[name].threshold:.2f})",
                hint="Choose another control or a larger margin.",
            )
    return before, after


def check_superseding(old: BarSet, new: BarSet) -> None:
    """Refuse a version that does not follow the old one, or drops a bar without naming it."""
    if new.supersedes != old.version:
        raise ProtocolError(f"{new.name} supersedes {new.supersedes}, expected {old.version}")
    if not new.because.strip():
        raise ProtocolError(f"{new.name} gives no reason")
    changed = _changed(old, new)
    unnamed = [name for name in changed if name not in new.drops]
    if unnamed:
        raise ProtocolError(
            f"{new.name} changes or leaves out bar {unnamed[0]} of {old.name} without naming it in"
            " `drops`"
        )
    kept = [name for name in new.drops if name not in changed]
    if kept:
        raise ProtocolError(
            f"{new.name} drops bar {kept[0]}, which {old.name} does not have or which is kept"
        )


def _changed(old: BarSet, new: BarSet) -> list[str]:
    """The old bars that the new version lacks or changes."""
    present = _definitions(new)
    return [name for name, bar in _definitions(old).items() if present.get(name) != bar]


def _definitions(bars: BarSet) -> dict[str, tuple[object, ...]]:
    """The full definition of each bar, by id: the bar, its partitions, and its corpus."""
    return {
        bar.id: (
            bar,
            *(
                (bars.partitions[name].positive.text, bars.partitions[name].negative.text)
                for name in bar.partitions
            ),
            bars.second if bar.corpus == "second" else None,
        )
        for bar in bars.bars
    }


def named_control(old: BarSet, new: BarSet) -> Regression:
    """The control of a revision and the new bars it must fail: its last regression."""
    kept = {bar.id for bar in old.bars} - set(new.drops)
    last = new.regressions[-1] if new.regressions else None
    if last is None or last in old.regressions or not last.fails or kept & set(last.fails):
        raise ProtocolError(f"{new.name} names no control that fails a new bar")
    return last
