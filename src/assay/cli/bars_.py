"""`assay bars`: show a version, compare two, or make the next one."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.benchmark.benchmark import TASKS, Task
from assay.cli.nouns import Noun
from assay.cli.options import PATH, column_flags, columns_from, json_flag, note_changes
from assay.cli.output import leave, print_json, show
from assay.errors import SpecError
from assay.gauntlet.load import bundled_versions, load_bars
from assay.gauntlet.proposal import Proposal, propose, version_after
from assay.gauntlet.spec import BarSet

if TYPE_CHECKING:
    from assay.gauntlet.revision import Revision
    from assay.study.study import StudyFolder


_task = click.option("--task", type=click.Choice(TASKS), help="Default: detection.")


@click.group("bars", cls=Noun, alone="show")
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
    from assay.report.gauntlet import draw_bars
    from assay.report.terminal import console, table

    if version is not None:
        bars = _load(version, task)
        show(bars.to_dict(), lambda _, to: draw_bars(bars, to), as_json=as_json)
        return
    tasks: tuple[Task, ...] = TASKS if task is None else (task,)
    bundled = [load_bars(name, task=each) for each in tasks for name in bundled_versions(each)]
    if as_json:
        print_json([bars.to_dict() for bars in bundled])
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
    from assay.report.gauntlet import changes, draw_difference
    from assay.report.terminal import console

    before, after = _load(old, task), _load(new, task)
    if before.task != after.task:
        raise SpecError(f"{old} judges {before.task}, but {new} judges {after.task}")
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
@click.option(
    "--margin", type=float, required=True, help="How much more than the feature; or the AUC."
)
@click.option("--because", default="", help="The reason; it becomes part of the version.")
@click.option(
    "--regression", metavar="METHOD", help="The cheat, a method. Default: the feature itself."
)
@click.option(
    "--drop",
    "drops",
    multiple=True,
    metavar="ID",
    help="An old bar to drop; `verify` notes it. Repeatable.",
)
@click.option(
    "--benchmark",
    default="darkcore",
    show_default=True,
    help="The benchmark that the cheat runs on.",
)
@click.option(
    "--version",
    metavar="NAME",
    help="Default: one more than the base's (v1-2 after the bundled v1).",
)
@click.option("--out", type=PATH, help="Default: VERSION.toml")
@click.option("--after", metavar="ID", help="In a study: the submission that showed the need.")
@_task
@column_flags
@json_flag
def revise(base: str | None, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Make the next version of some bars, to stop a cheat.

    Needs a reason, and a cheat: a method that meets every old bar and misses the new one. The
    cheat is run to show it. The bars of BASE [v4] stay unchanged; the new version goes to a new
    file.

    In a study this revises the bars in force, and the cheat may be a submission (its ID). The new
    version is entered in the ledger, and every result is judged under it at once.

    \b
    Example:
      assay bars revise v1 --add D3 --control feature:word_length --margin .10 \\
        --because "counting words passes"
    """
    if not flags["because"].strip():
        raise SpecError("a revision needs a reason", hint="State it: --because TEXT.")
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


def proposal_from(flags: dict[str, Any]) -> Proposal:
    """The bar that the flags propose."""
    return Proposal(
        id=flags["identity"],
        control=flags["control"],
        margin=flags["margin"],
        because=flags["because"],
        cheat=flags["regression"],
        drops=flags["drops"],
    )


def revise_file(base: str | None, flags: dict[str, Any]) -> None:
    """Revise bars, and write the new version to a new file."""
    from assay.benchmark.load import load_benchmark
    from assay.files import write_new

    if flags["after"] is not None:
        raise SpecError("--after names a submission, but this is not a study")
    bars = load_bars(base or "v4", task=flags["task"])
    version = flags["version"] or version_after(bars)
    out = flags["out"] or Path(f"{version}.toml")
    if out.exists():
        raise SpecError(f"{out} already exists", hint="Name another file: --out FILE.")
    benchmark = load_benchmark(flags["benchmark"], columns=columns_from(flags))
    note_changes(benchmark)
    revision = propose(bars, proposal_from(flags), benchmark, version=version)
    write_new(out, revision.text.encode())
    next_step = [
        f"{out} holds {revision.bars.name}. Judge everything again:",
        f"  assay score --all --bars {out}",
    ]
    _show(revision, out, next_step, as_json=flags["as_json"])


def revise_in_study(study: "StudyFolder", base: str | None, flags: dict[str, Any]) -> None:
    """Revise the bars in force, and show every result under the new version."""
    from assay.report.gauntlet import draw_rejudged
    from assay.report.study.views import refresh_views
    from assay.report.terminal import console
    from assay.study.commits.commit_files import how_to_commit
    from assay.study.scorecards.rejudge import judge_study
    from assay.study.scorecards.revise import revise_study
    from assay.wording import printable

    revision = revise_study(
        study,
        proposal_from(flags),
        task=flags["task"],
        base=base,
        version=flags["version"],
        after=flags["after"],
    )
    out = Path(f"bars/{revision.bars.name}.toml")
    next_step = [f"{out} is in force. Every result under it:"]
    _show(revision, out, next_step, as_json=flags["as_json"])
    rejudged = judge_study(study)
    views = refresh_views(study)
    unreadable = [judged for judged in rejudged if judged.unreadable]
    if flags["as_json"]:
        for judged in unreadable:
            line = f"Not judged, unreadable: {judged.run}. {judged.error}"
            click.echo(printable(line), err=True)
    else:
        draw_rejudged(rejudged, console(), kept="")
        names = ["bars", "controls", "scorecards", *views]
        message = f"Bars {revision.bars.version}"
        click.echo(f"Publish it:\n  {how_to_commit(study, names, message)}")
    leave(favourable=True, intact=not unreadable)


def _show(revision: "Revision", out: Path, next_step: list[str], *, as_json: bool) -> None:
    from assay.report.terminal import console, styled

    if as_json:
        cards = {"before": revision.before, "after": revision.after}
        print_json({"out": str(out), "bars": revision.bars.to_dict(), **cards})
    else:
        shown = console()
        for card in (revision.before, revision.after):
            bars = ", ".join(f"{bar.id} {bar.value:.3f}" for bar in card.bars)
            point = f"{card.point.passed}/{card.point.total}"
            shown.print(styled(f"{card.method} under {card.bars_version}: {point} ({bars})"))
        shown.print()
        for line in next_step:
            shown.print(styled(line))
    sys.stdout.flush()
