"""`assay score`: judge stored outputs again."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from assay.api.scorecards import score as score_run
from assay.cli.options import EXIT_CODES, PATH, caveats_flag, json_flag
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
    help="The benchmark's new place, if it has moved; for a log, the records it scores.",
)
@click.option("--second", metavar="FILE", help="The second corpus's new place, if it has moved.")
@click.option(
    "--label",
    metavar="METRIC",
    help="For a log without --benchmark: the 0/1 metric that labels its own answers.",
)
@click.option("--score", metavar="METRIC", help="For a log: the metric with the scores.")
@caveats_flag
@json_flag
def command(
    rundir: Path | None,
    every: bool,
    bars: str | None,
    benchmark: str | None,
    second: str | None,
    label: str | None,
    score: str | None,
    caveats: bool,
    as_json: bool,
) -> None:
    """Judge a stored run again, under any bars.

    RUNDIR is a folder from `assay try --save`. Nothing is run: the stored outputs are judged on the
    same data, which are read again and must have the same digest. Each scorecard is stored with its
    run, and earlier ones stay. With --all, every run in a folder is judged and shown with its
    earlier verdicts.

    LOG is a log of an evaluation harness whose scores come from a method, such as a grader or a
    detector. They are judged on the records of --benchmark, paired by id, or on the log's own
    answers, which the metric --label calls right (1, positive) or wrong. That scorecard is printed,
    not stored.

    In a study, --all judges every result under every version of the bars that it lacks, and enters
    it in the ledger; judging a single one prints it and stores nothing.

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
            raise SpecError("a study uses only the data that its study.toml names")
        _in_study(root, None if every else rundir, bars, caveats=caveats, as_json=as_json)
        return
    if every:
        if benchmark is not None or second is not None:
            raise SpecError("--benchmark and --second are for a single run")
        _show_all(judge_all(rundir or Path("runs"), bars), as_json=as_json)
        return
    if rundir is None:
        raise SpecError(
            "no run is named", hint="assay score RUNDIR, or judge every one: assay score --all"
        )
    card = score_run(rundir, benchmark, bars, second=second, label=label, score=score)
    if (rundir / HEAD).is_file():
        keep(rundir, card)
    show_scorecard(card, caveats=caveats, as_json=as_json)


def _in_study(
    root: Path, rundir: Path | None, bars: str | None, *, caveats: bool, as_json: bool
) -> None:
    """Judge one result of a study, or all of them under every version."""
    from assay.api.study.study import Study
    from assay.gauntlet.result import Scorecard

    made = Study.open(root).score(rundir, bars=bars)
    if isinstance(made, Scorecard):
        show_scorecard(made, caveats=caveats, as_json=as_json)
    _show_all(made.runs, as_json=as_json, kept="")


def _show_all(
    rejudged: Sequence[Rejudged],
    *,
    as_json: bool,
    kept: str = " Scorecards are stored with their runs.",
) -> None:
    """Print runs judged again; exit 0 only where every one passes."""
    from assay.report.gauntlet import draw_rejudged

    show(rejudged, partial(draw_rejudged, kept=kept), as_json=as_json)
    leave(
        favourable=all(judged.favourable for judged in rejudged),
        intact=not any(judged.unreadable for judged in rejudged),
    )
