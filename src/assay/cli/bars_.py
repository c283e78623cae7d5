"""`assay bars`: show a version, compare two, or make the next one."""

from pathlib import Path
from typing import Any

import click

from assay.benchmark.task import TASKS, Task
from assay.cli.bars_revision import bars_record, revise_file, revise_in_study
from assay.cli.options import PATH, column_flags, json_flag
from assay.cli.output import print_json, show
from assay.errors import SpecError
from assay.gauntlet.load import bundled_versions, load_bars
from assay.gauntlet.spec import BarSet

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
def show_bars(version: str | None, task: Task | None, as_json: bool) -> None:
    """Show one version of the bars, or list the bundled ones.

    \b
    Example:
      assay bars show v4
    """
    from assay.report.bars import draw_bars
    from assay.report.terminal import console, table

    if version is not None:
        bars = _load(version, task)
        show(bars_record(bars), lambda _, to: draw_bars(bars, to), as_json=as_json)
        return
    tasks: tuple[Task, ...] = TASKS if task is None else (task,)
    bundled = [load_bars(name, task=each) for each in tasks for name in bundled_versions(each)]
    if as_json:
        print_json([bars_record(bars) for bars in bundled])
        return
    rows = [(bars.task, bars.version, f"{len(bars.bars)}", bars.because) for bars in bundled]
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
    from assay.report.terminal import console

    before, after = _load(old, task), _load(new, task)
    if before.task != after.task:
        raise SpecError(f"{old} judges {before.task}, and {new} {after.task}")
    if not as_json:
        draw_difference(before, after, console())
        return
    rows = [
        {"bar": name, "change": kind, "old": pair[0], "new": pair[1]}
        for kind, name, pair in changes(before, after)
    ]
    names = {"old": before.name, "new": after.name, "because": after.because}
    print_json({**names, "changes": rows})


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
@click.option("--out", type=PATH, help="Default: VERSION.toml")
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
        raise SpecError("a revision needs its reason", hint="State it: --because TEXT.")
    from assay.study.locate import study_root

    root = study_root(Path()) if flags["out"] is None else None
    if root is None:
        revise_file(base, flags)
        return
    from assay.study.study import open_study

    revise_in_study(open_study(root), base, flags)


def _load(version: str, task: Task | None) -> BarSet:
    """Bars by version or file; in a study, its own versions come first."""
    from assay.study.locate import study_root

    root = study_root(Path())
    if root is not None:
        from assay.study.scorecards.revise import study_bars
        from assay.study.study import open_study

        own = study_bars(open_study(root), version, task)
        if own is not None:
            return own
    return load_bars(version, task=task)
