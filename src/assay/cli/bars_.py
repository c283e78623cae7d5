"""`assay bars`: show a version, compare two, or make the next one."""

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import column_flags, columns_from, json_flag
from assay.errors import ProtocolError, SpecError
from assay.methods.surface import ORACLES
from assay.plan.bars import Bar, BarSet, bundled_versions, load_bars
from assay.plan.task import TASKS, Task

if TYPE_CHECKING:
    from assay.evidence.record import Run
    from assay.judges.revise import Revision
    from assay.plan.benchmark import Benchmark
    from assay.study.folder import Study

_task = click.option("--task", type=click.Choice(TASKS), help="Default: detection.")


@click.group("bars")
def command() -> None:
    """Show, compare and revise the pass conditions.

    Every part takes --json.

    \b
    Examples:
      assay bars show v4
      assay bars diff v3 v4
      assay bars revise v1 --add D3 --control feature:word_length --margin .10 \\
        --because "counting words passes"
    """


@command.command("show")
@click.argument("version", required=False)
@_task
@json_flag
def show(version: str | None, task: Task | None, as_json: bool) -> None:
    """Show one version of the bars, or list the bundled ones.

    \b
    Example:
      assay bars show v4
    """
    from assay.report.bars import draw_bars
    from assay.report.records import as_json as written
    from assay.report.terminal import console, table

    if version is not None:
        bars = _found(version, task)
        if as_json:
            click.echo(written(_plain(bars)))
        else:
            draw_bars(bars, console())
        return
    tasks: tuple[Task, ...] = TASKS if task is None else (task,)
    found = [load_bars(name, task=one) for one in tasks for name in bundled_versions(one)]
    if as_json:
        click.echo(written([_plain(bars) for bars in found]))
        return
    rows = [(bars.task, bars.version, f"{len(bars.bars)}", bars.because) for bars in found]
    console().print(table(("task", "version", "bars", "because"), rows, right="llr"))


@command.command("diff")
@click.argument("old")
@click.argument("new")
@_task
@json_flag
def diff(old: str, new: str, task: Task | None, as_json: bool) -> None:
    """Show what one version of the bars changed in another.

    \b
    Example:
      assay bars diff v3 v4
    """
    from assay.report.bars import changes, draw_difference
    from assay.report.records import as_json as written
    from assay.report.terminal import console

    before, after = _found(old, task), _found(new, task)
    if before.task != after.task:
        raise SpecError(f"{old} judges {before.task}, and {new} {after.task}")
    if not as_json:
        draw_difference(before, after, console())
        return
    found = [
        {"bar": name, "change": kind, "old": pair[0], "new": pair[1]}
        for kind, name, pair in changes(before, after)
    ]
    said = {"old": before.name, "new": after.name, "because": after.because, "changes": found}
    click.echo(written(said))


@command.command("revise")
@click.argument("base", required=False)
@click.option("--add", "identity", required=True, metavar="ID", help="The new bar's id.")
@click.option(
    "--control",
    required=True,
    metavar="CONTROL",
    help="feature:NAME (beat this feature by the margin), surface (AUC beyond all features),"
    " lexical (and words), or source (AUC within sources).",
)
@click.option("--margin", type=float, required=True, help="How much over a feature; or the AUC.")
@click.option("--because", default="", help="The reason, which the version carries.")
@click.option(
    "--regression", metavar="METHOD", help="The cheat. Default: the feature itself, used as method."
)
@click.option(
    "--benchmark", default="darkcore", show_default=True, help="What the cheat is run on."
)
@click.option("--version", metavar="NAME", help="Default: one more than the base's.")
@click.option("--out", type=click.Path(path_type=Path), help="Default: VERSION.toml")
@click.option("--after", metavar="ID", help="In a study: the submission that showed the need.")
@_task
@column_flags
@json_flag
def revise(base: str | None, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Make the next version of some bars, under pressure only.

    Refused without a reason, and without a cheat that meets every old bar and misses the new one:
    it is run there and then. The bars of BASE [v4] stay as they are, and the new version is
    written to a new file.

    In a study the bars in force are revised, the cheat may be a submission (its ID), the new
    version is entered into the ledger, and every result is judged under it at once.

    \b
    Example:
      assay bars revise v1 --add D3 --control feature:word_length --margin .10 \\
        --because "counting words passes"
    """
    if not flags["because"].strip():
        raise SpecError("a revision needs its reason", hint="Say it: --because TEXT.")
    from assay.evidence.run import run
    from assay.plan.reading import load_benchmark
    from assay.plan.revision import next_version
    from assay.study.files import write_new
    from assay.study.place import study_root

    root = study_root(Path()) if flags["out"] is None else None
    if root is not None:
        from assay.study.folder import open_study

        _revise_study(open_study(root), base, flags)
        return
    if flags["after"] is not None:
        raise SpecError("--after names a submission, and this is no study")
    bars = load_bars(base or "v4", task=flags["task"])
    version = flags["version"] or next_version(bars.version)
    out = flags["out"] or Path(f"{version}.toml")
    if out.exists():
        raise SpecError(f"{out} is there already", hint="Name another file: --out FILE.")
    benchmark = load_benchmark(flags["benchmark"], columns=columns_from(flags))
    bar = _bar(bars, flags)
    cheats = (
        run(method, benchmark, task=bars.task) for method in _cheats(flags["regression"], bar)
    )
    made = _revised(bars, bar, version, flags["because"], cheats, benchmark)
    write_new(out, made.text.encode())
    _say(made, out, as_json=flags["as_json"])


def _revise_study(study: "Study", base: str | None, flags: dict[str, Any]) -> None:
    """Revise the bars in force, enter the new version, and judge every result under it."""
    from assay.cli.studies import how_to_commit
    from assay.evidence.run import run
    from assay.report.rejudged import draw_rejudged
    from assay.report.terminal import console
    from assay.report.views import refresh_views
    from assay.study.rejudging import judge_study
    from assay.study.revising import adopt, bars_of_study, stored_run, version_after

    bars = bars_of_study(study, flags["task"])
    if base is not None and base != bars.version:
        raise SpecError(
            f"{bars.version} is in force, and {base} was to be revised",
            hint="Leave out the version: a study revises what is in force.",
        )
    benchmark = study.benchmark(second=any(bar.corpus == "second" for bar in bars.bars))
    bar = _bar(bars, flags)
    named = flags["regression"]
    stored = None if named is None else stored_run(study, named)
    cheats = (
        (run(method, benchmark, task=bars.task) for method in _cheats(named, bar))
        if stored is None
        else iter([stored])
    )
    version = flags["version"] or version_after(bars)
    made = _revised(bars, bar, version, flags["because"], cheats, benchmark)
    adopt(study, made, after=flags["after"] or (named if stored is not None else None))
    _say(made, Path(f"bars/{made.bars.name}.toml"), as_json=flags["as_json"], entered=True)
    views = refresh_views(study)
    if not flags["as_json"]:
        draw_rejudged(judge_study(study), console(), kept="")
        names = ["bars", "scorecards", *views]
        click.echo(f"Publish it:\n  {how_to_commit(study, names, f'Bars {version}')}")


def _revised(
    bars: BarSet,
    bar: Bar,
    version: str,
    because: str,
    cheats: "Iterator[Run]",
    benchmark: "Benchmark",
) -> "Revision":
    """The revision that the first fitting cheat shows the need of."""
    from assay.judges.revise import revise as revised

    refusals = []
    for cheat in cheats:
        try:
            return revised(
                bars, bar, version=version, because=because, cheat=cheat, benchmark=benchmark
            )
        except ProtocolError as refused:
            refusals.append(refused)
    raise refusals[0]


def _found(version: str, task: Task | None) -> BarSet:
    """Bars by version or file; in a study, its own versions come first."""
    from assay.study.place import study_root

    root = study_root(Path())
    if root is not None:
        from assay.study.folder import open_study
        from assay.study.revising import study_bars

        own = study_bars(open_study(root), version, task)
        if own is not None:
            return own
    return load_bars(version, task=task)


def _bar(bars: BarSet, flags: dict[str, Any]) -> Bar:
    from assay.plan.revision import control_bar

    kind, _, name = flags["control"].partition(":")
    if kind == "feature" and name not in ORACLES:
        raise SpecError(f"no feature {name!r}", hint=f"The features are {', '.join(ORACLES)}.")
    if not bars.partitions:
        raise SpecError(f"{bars.name} has no partitions, so no AUC can be asked for")
    return control_bar(flags["identity"], flags["control"], flags["margin"], tuple(bars.partitions))


def _cheats(named: str | None, bar: Bar) -> list[str]:
    """The method named, or the control's own feature, as it is and the other way round."""
    if named is not None:
        return [named]
    if bar.minus is None:
        return ["auxiliary-copy", "surface-model"]
    return [f"oracle:{bar.minus.feature}", f"oracle:{bar.minus.feature}:inverse"]


def _say(made: "Revision", out: Path, *, as_json: bool, entered: bool = False) -> None:
    from assay.report.records import as_json as written
    from assay.report.terminal import console, styled

    if as_json:
        click.echo(written({"out": str(out), "bars": _plain(made.bars), "before": made.before,
                            "after": made.after}))  # fmt: skip
    else:
        shown = console()
        for card in (made.before, made.after):
            bars = ", ".join(f"{bar.id} {bar.value:.3f}" for bar in card.bars)
            point = f"{card.point.passed}/{card.point.total}"
            shown.print(styled(f"{card.method} under {card.bars_version}: {point} ({bars})"))
        shown.print()
        if entered:
            shown.print(styled(f"{out} is in force. Every result, judged again:"))
        else:
            shown.print(styled(f"{out} holds {made.bars.name}. Judge everything again:"))
            shown.print(styled(f"  assay score --all --bars {out}"))
    sys.stdout.flush()


def _plain(bars: BarSet) -> dict[str, Any]:
    """Bars as JSON, partitions as they are written."""
    return {
        "task": bars.task,
        "version": bars.version,
        "supersedes": bars.supersedes,
        "because": bars.because,
        "digest": bars.digest,
        "partitions": {
            name: {"positive": one.positive.text, "negative": one.negative.text}
            for name, one in bars.partitions.items()
        },
        "bars": bars.bars,
        "regressions": bars.regressions,
        "second": bars.second,
    }
