"""`assay score`: judge stored outputs again."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from assay.api.scorecards import score as score_run
from assay.cli.options import EXIT_CODES, PATH, json_flag
from assay.cli.output import keep, leave, show, show_scorecard
from assay.errors import SpecError
from assay.gauntlet.rejudge import Rejudged, judge_all
from assay.runs.store import HEAD
from assay.study.locate import study_root


@click.command("score", epilog=EXIT_CODES)
@click.argument("rundir", type=PATH, required=False, metavar="[RUNDIR|LOG]")
@click.option("--all", "every", is_flag=True, help="Every run in the folder RUNDIR [runs].")
@click.option("--bars", help="A version, or a TOML file. Default: as for `assay try`.")
@click.option(
    "--benchmark",
    metavar="FILE",
    help="Where the benchmark is now, if it has moved; of a log, the records it scores.",
)
@click.option("--second", metavar="FILE", help="Where the second corpus is now, if it has moved.")
@click.option(
    "--label",
    metavar="METRIC",
    help="Of a log without --benchmark: the metric, 0 or 1, that labels its own answers.",
)
@click.option("--score", metavar="METRIC", help="Of a log: the metric that holds the scores.")
@json_flag
def command(
    rundir: Path | None,
    every: bool,
    bars: str | None,
    benchmark: str | None,
    second: str | None,
    label: str | None,
    score: str | None,
    as_json: bool,
) -> None:
    """Judge a stored run again, under any bars.

    RUNDIR is a folder that `assay try --save` wrote. Nothing is run: the stored outputs are judged
    on the data they were made on, which are read again and must have the same digest. Each
    scorecard is kept beside its run, and earlier ones stay. With --all every run in a folder is
    judged, and shown beside what it was worth before.

    LOG is a log of an evaluation harness whose scores are those of a method: a grader, a detector.
    They are judged on the records of --benchmark, paired by id, or on the log's own answers as
    --label calls them right (1, positive) or wrong. That scorecard is printed and not kept.

    In a study, --all judges every result under every version of the bars, where that is missing,
    and enters it; judging a single one there prints and keeps nothing.

    \b
    Examples:
      assay try token-overlap --save runs/overlap
      assay score runs/overlap --bars v2
      assay score --all --bars v4
      assay score run.eval --label match --score model_graded_qa
    """
    root = study_root(rundir or Path())
    if root is not None:
        if benchmark is not None or second is not None:
            raise SpecError("a study keeps to the data that its study.toml names")
        _in_study(root, None if every else rundir, bars, as_json=as_json)
        return
    if every:
        if benchmark is not None or second is not None:
            raise SpecError("--benchmark and --second are for a single run")
        _show_all(judge_all(rundir or Path("runs"), bars), as_json=as_json)
        return
    if rundir is None:
        raise SpecError("which run?", hint="Name its folder, or judge every one: --all.")
    card = score_run(rundir, benchmark, bars, second=second, label=label, score=score)
    if (rundir / HEAD).is_file():
        keep(rundir, card)
    show_scorecard(card, as_json=as_json)


def _in_study(root: Path, rundir: Path | None, bars: str | None, *, as_json: bool) -> None:
    """Judge one result of a study, or every one under every version."""
    from assay.api.study.study import Study
    from assay.gauntlet.result import Scorecard

    made = Study.open(root).score(rundir, bars=bars)
    if isinstance(made, Scorecard):
        show_scorecard(made, as_json=as_json)
    _show_all(made.runs, as_json=as_json, kept="")


def _show_all(
    rejudged: Sequence[Rejudged],
    *,
    as_json: bool,
    kept: str = " Every scorecard is kept in its run.",
) -> None:
    """Print runs judged again; exit 0 only where every one passes."""
    from assay.report.gauntlet import draw_rejudged

    show(rejudged, partial(draw_rejudged, kept=kept), as_json=as_json)
    leave(
        favourable=all(judged.favourable for judged in rejudged),
        intact=not any(judged.unreadable for judged in rejudged),
    )
