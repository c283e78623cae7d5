"""`assay calibration`: how good the predictions of a study are."""

from pathlib import Path

import click

from assay.cli.options import json_flag, one_study, study_argument, study_flag
from assay.cli.output import show_page
from assay.study.study import find_study


@click.command("calibration")
@study_argument
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--write", is_flag=True, help="Write CALIBRATION.md; `verify` checks it.")
@study_flag
@json_flag
def command(named: Path | None, folder: Path, **flags: bool) -> None:
    """Show how good the predictions of a study are.

    How many ranges hold at each stated level; whether outcomes given 30 % happen three times in
    ten; each submission's counts; and the lesson, if there is one.

    \b
    Example:
      assay calibration
    """
    from assay.report.study.predictions import draw_calibration
    from assay.study.views import calibration_of

    study = find_study(one_study(named, folder))
    show_page(study, "CALIBRATION.md", calibration_of, draw_calibration, **flags)
