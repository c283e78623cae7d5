"""`assay score`: judge stored outputs again."""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.api.scorecards import score as score_run
from assay.cli.options import EXIT_CODES, PATH, caveats_flag, column_flags, json_flag, words_from
from assay.cli.output import keep, leave, show, show_scorecard
from assay.errors import SpecError
from assay.gauntlet.rejudge import Rejudged, judge_all
from assay.runs.store import HEAD
from assay.study.locate import study_root


@click.command("score", epilog=EXIT_CODES)
@click.argument("scored", type=PATH, required=False, metavar="[RUNDIR|SCORES|LOG]")
@click.option("--all", "every", is_flag=True, help="Every run in the folder RUNDIR [runs].")
@click.option("--bars", help="A version, or a TOML file. Default: as for `assay try`.")
@click.option(
    "--benchmark",
    metavar="FILE",
    help="The records that SCORES or LOG score; of a run, its benchmark's new place.",
)
@click.option("--second", metavar="FILE", help="The second corpus's new place, if it has moved.")
@click.option(
    "--score",
    metavar="COLUMN",
    help="The column with the scores [score]; of a log, the metric.",
)
@column_flags
@caveats_flag
@json_flag
def command(
    scored: Path | None,
    every: bool,
    bars: str | None,
    benchmark: str | None,
    second: str | None,
    score: str | None,
    caveats: bool,
    as_json: bool,
    **flags: Any,  # noqa: ANN401 - the flags that name columns
) -> None:
    """Judge a stored run again, or scores that you have, under any bars.

    RUNDIR is a folder from `assay try --save`. Nothing is run: the stored outputs are judged on the
    same data, which are read again and must have the same digest. Each scorecard is stored with its
    run, and earlier ones stay. With --all, every run in a folder is judged and shown with its
    earlier verdicts.

    SCORES is a file of a method's scores: a column `id` (or the name of --id) and a column `score`
    (or the name of --score), for the records of --benchmark; without ids they pair by line. Without
    --benchmark the file holds the records as well. The scorecard says that no run was observed.

    LOG is a log of an evaluation harness whose scores come from a method, such as a grader or a
    detector. They are judged on the records of --benchmark, paired by id, or on the log's own
    answers, which the metric --label calls right (1, positive) or wrong. Such scorecards are
    printed, not stored.

    In a study, --all judges every result under every version of the bars that it lacks, and enters
    it in the ledger; judging a single one prints it and stores nothing.

    \b
    Examples:
      assay try token-overlap --save runs/overlap
      assay score runs/overlap --bars v2
      assay score --all --bars v4
      assay score scores.jsonl --benchmark answers.csv --label wrong --bars plain
      assay score run.eval --label match --score model_graded_qa
    """
    root = study_root(scored or Path())
    if root is not None:
        if benchmark is not None or second is not None or any(words_from(flags).values()):
            raise SpecError("a study uses only the data that its study.toml names")
        _in_study(root, None if every else scored, bars, caveats=caveats, as_json=as_json)
        return
    if every:
        if benchmark is not None or second is not None or any(words_from(flags).values()):
            raise SpecError("--benchmark, --second and columns are for a single run")
        _show_all(judge_all(scored or Path("runs"), bars), as_json=as_json)
        return
    if scored is None:
        raise SpecError(
            "no run is named", hint="assay score RUNDIR, or judge every one: assay score --all"
        )
    card = score_run(scored, benchmark, bars, second=second, score=score, **words_from(flags))
    if (scored / HEAD).is_file():
        keep(scored, card)
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
