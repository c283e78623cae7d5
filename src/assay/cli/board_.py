"""`assay board`: every submission under every version of the bars, or the best of each class."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from assay.cli.options import json_flag, one_study, study_argument, study_flag
from assay.cli.output import check_shown, show, show_page
from assay.errors import SpecError
from assay.study.study import find_study

if TYPE_CHECKING:
    from assay.study.study import StudyFolder


@click.command("board")
@study_argument
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option(
    "--csv", "form", flag_value="csv", help="Print CSV, a line for each submission and version."
)
@click.option("--write", is_flag=True, help="Write BOARD.md into the study; `verify` checks it.")
@click.option(
    "--frontier", is_flag=True, help="Show the best of each class of method, and what stops it."
)
@click.option("--bars", metavar="VERSION", help="With --frontier: the bars. Default: the newest.")
@study_flag
@json_flag
def command(
    named: Path | None,
    form: str | None,
    write: bool,
    frontier: bool,
    bars: str | None,
    folder: Path,
    as_json: bool,
) -> None:
    """Show the leaderboard, from records alone.

    Every version of the bars has a column. A star marks the version that was sealed with the
    submission: its original result. The others are re-scores. PASS and FAIL are shown with 95 %
    confidence, else the cell is UNRESOLVED. Runs that were started and gave no result are listed.

    With --frontier: for each class of method the best submission, the bar that stops it, and by
    how much; and the classes that were not tried.

    \b
    Examples:
      assay board
      assay board my-study --csv
      assay board --frontier
    """
    from assay.report.study.board import board_csv, draw_board
    from assay.study.views import board_of

    study = find_study(one_study(named, folder))
    flags = {"write": write, "as_json": as_json}
    if frontier:
        if write:
            raise SpecError(
                "the frontier is no page of the study, so `frontier=True` takes no `write=True`",
                hint="Print it: `markdown=True`.",
            )
        _show_frontier(study, bars, form=form, as_json=as_json)
    elif bars is not None:
        raise SpecError(
            "the board shows every version of the bars, so it takes no `bars=`",
            hint="For the best of each class under one version, add `frontier=True`.",
        )
    elif form == "csv" and not any(flags.values()):
        click.echo(board_csv(board_of(study)), nl=False)
        check_shown(study)
    else:
        show_page(study, "BOARD.md", board_of, draw_board, markdown=form == "markdown", **flags)


def _show_frontier(
    study: "StudyFolder", bars: str | None, *, form: str | None, as_json: bool
) -> None:
    from assay.report.study.frontier import draw_frontier, frontier_csv, frontier_markdown
    from assay.study.views import frontier_of

    found = frontier_of(study, bars=bars)
    if form is None or as_json:
        show(found, draw_frontier, as_json=as_json)
    else:
        write = frontier_csv if form == "csv" else frontier_markdown
        click.echo(write(found), nl=False)
    check_shown(study, named=not as_json and form != "csv")
