"""Make the next version of some bars: the old bars and one more, with its reason and its cheat.

A new bar needs a cheat: a method, run at once, that passes every old bar at the point estimates and
fails the new one. Otherwise nothing shows that the old bars were weak, or that the new one has an
effect. A revision is written as TOML and read back, so that the written bars are those in use.
"""

import re
from dataclasses import dataclass

from msgspec.structs import replace

from assay.benchmark.benchmark import Benchmark
from assay.digests import is_name
from assay.errors import SpecError
from assay.gauntlet.bar import Bar, Control
from assay.gauntlet.metrics.table import applies
from assay.gauntlet.result import Scorecard
from assay.gauntlet.revision_check import check_revision
from assay.gauntlet.spec import BarSet, Regression, parse_bars
from assay.runs.result import Run
from assay.toml import quoted


@dataclass(frozen=True, kw_only=True)
class Revision:
    """The next version of some bars, its text, and the cheat's run, judged by both versions."""

    bars: BarSet
    text: str
    before: Scorecard
    after: Scorecard
    control: Run


def revise(
    base: BarSet,
    bar: Bar,
    *,
    version: str,
    because: str,
    cheat: Run,
    benchmark: Benchmark,
    drops: tuple[str, ...] = (),
) -> Revision:
    """The next version; a ProtocolError says what its regression control did not show.

    `drops` names old bars that it leaves out.
    """
    if version == base.version:
        raise SpecError(f"the revision needs a version other than {version!r}")
    asked = [each.id for each in base.bars if applies(each, benchmark)]
    regression = Regression(
        method=cheat.method,
        passes=tuple(name for name in asked if name not in drops),
        fails=(bar.id,),
    )
    text = revised_text(
        base, bar, version=version, because=because, regression=regression, drops=drops
    )
    bars = parse_bars(text.encode(), where=version)
    before, after = check_revision(base, bars, cheat, benchmark)
    return Revision(bars=bars, text=text, before=before, after=after, control=cheat)


def next_version(version: str) -> str:
    """The next version's name: v4 after v3, mine-2 after mine-1; `-2` is added without a number."""
    match = re.fullmatch(r"(.*?)(\d+)", version)
    return f"{version}-2" if match is None else f"{match[1]}{int(match[2]) + 1}"


def control_bar(identity: str, control: str, at_least: float, partitions: tuple[str, ...]) -> Bar:
    """A bar from `feature:NAME` (a margin over a feature), `surface` or `source` (an AUC)."""
    if not is_name(identity.lower()):
        raise SpecError(f"{identity!r:.80} is not a valid bar name (letters, digits, . _ -)")
    auc = Bar(id=identity, metric="auc", at_least=at_least, partitions=partitions)
    kind, _, name = control.partition(":")
    if kind == "feature" and name:
        return replace(auc, minus=Control(feature=name, direction="better"))
    if control in ("surface", "lexical"):
        return replace(auc, beyond=control)
    if control == "source":
        return replace(auc, within="source")
    raise SpecError(
        f"control {control!r:.80}: expected feature:NAME, surface, lexical or source",
        hint="`assay methods` lists the features: oracle:NAME.",
    )


def revised_text(
    base: BarSet,
    bar: Bar,
    *,
    version: str,
    because: str,
    regression: Regression,
    drops: tuple[str, ...] = (),
) -> str:
    """The TOML of the next version: the old bars without those dropped, and one more."""
    if not because.strip():
        raise SpecError("a revision needs a reason", hint="Give it: `because=TEXT`.")
    ids = [each.id for each in base.bars]
    for name in drops:
        if name not in ids:
            raise SpecError(
                f"{base.name} has no bar {name!r:.80} to drop", hint=f"It has {', '.join(ids)}."
            )
    lines = [
        f"task = {quoted(base.task)}",
        f"version = {quoted(version)}",
        f"supersedes = {quoted(base.version)}",
        f"because = {quoted(because.strip())}",
    ]
    if drops:
        lines.append(f"drops = [{', '.join(map(quoted, drops))}]")
    if base.second is not None:
        lines.append(f"second = {quoted(base.second)}")
    for partition in base.partitions.values():
        lines += [
            f"\n[partition.{quoted(partition.name)}]",
            f"positive = {quoted(partition.positive.text)}",
            f"negative = {quoted(partition.negative.text)}",
        ]
    for each in (*(old for old in base.bars if old.id not in drops), bar):
        lines += _bar_lines(each)
    for control in (*_without(base.regressions, drops), regression):
        lines += [
            "\n[[regression]]",
            f"method = {quoted(control.method)}",
            f"passes = [{', '.join(map(quoted, control.passes))}]",
            f"fails = [{', '.join(map(quoted, control.fails))}]",
        ]
    text = "\n".join(lines) + "\n"
    parse_bars(text.encode(), where=f"the revision {version}")
    return text


def _without(regressions: tuple[Regression, ...], drops: tuple[str, ...]) -> list[Regression]:
    """The old controls without the dropped bars; a control without a bar left is removed."""
    left = (
        replace(
            control,
            passes=tuple(name for name in control.passes if name not in drops),
            fails=tuple(name for name in control.fails if name not in drops),
        )
        for control in regressions
    )
    return [control for control in left if control.fails]


def _bar_lines(bar: Bar) -> list[str]:
    lines = ["\n[[bar]]", f"id = {quoted(bar.id)}", f"metric = {quoted(bar.metric)}"]
    if bar.partitions:
        lines.append(f"partitions = [{', '.join(map(quoted, bar.partitions))}]")
    lines.append(f"at_least = {bar.at_least!r}")
    if bar.of is not None:
        lines.append(f"of = {quoted(bar.of)}")
    if bar.minus is not None:
        feature, direction = quoted(bar.minus.feature), quoted(bar.minus.direction)
        lines.append(f"minus = {{ feature = {feature}, direction = {direction} }}")
    corpus = None if bar.corpus == "main" else bar.corpus
    rest = {"beyond": bar.beyond, "within": bar.within, "corpus": corpus}
    return lines + [f"{key} = {quoted(value)}" for key, value in rest.items() if value is not None]
