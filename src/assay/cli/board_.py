"""`assay board`: every submission under every version of the bars."""

from pathlib import Path

import click

from assay.cli.options import json_flag, one_study, study_argument, study_flag
from assay.cli.output import check_shown, show_page
from assay.study.study import find_study


@click.command("board")
@study_argument
@click.option("--markdown", "form", flag_value="markdown", help="Print Markdown.")
@click.option(
    "--csv", "form", flag_value="csv", help="Print CSV, a line for each submission and version."
)
@click.option("--write", is_flag=True, help="Write BOARD.md into the study; `verify` checks it.")
@study_flag
@json_flag
def command(named: Path | None, form: str | None, write: bool, folder: Path, as_json: bool) -> None:
    """Show the leaderboard, from records alone.

    Every version of the bars has a column. A star marks the version that was sealed with the
    submission: its original result. The others are re-scores. PASS and FAIL are shown with 95 %
    confidence, else the cell is UNRESOLVED. Runs that were started and gave no result are listed.

    \b
    Examples:
      assay board
      assay board my-study --csv
    """
    from assay.report.study.board import board_csv, draw_board
    from assay.study.views import board_of

    study = find_study(one_study(named, folder))
    flags = {"write": write, "as_json": as_json}
    if form == "csv" and not any(flags.values()):
        click.echo(board_csv(board_of(study)), nl=False)
        check_shown(study)
    else:
        show_page(study, "BOARD.md", board_of, draw_board, markdown=form == "markdown", **flags)
