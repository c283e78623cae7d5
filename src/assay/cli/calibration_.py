"""`assay calibration`: how good the predictions of a study are."""

from pathlib import Path

import click

from assay.cli.options import json_flag, study_flag
from assay.cli.output import show_page
from assay.study.study import find_study


@click.command("calibration")
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--write", is_flag=True, help="Write CALIBRATION.md; `verify` checks it.")
@study_flag
@json_flag
def command(markdown: bool, write: bool, folder: Path, as_json: bool) -> None:
    """Show how good the predictions of a study are.

    How many ranges hold, at each level they were stated at; whether what was given 30 % happened
    three times in ten; each submission's counts; and the lesson, where there is one.

    \b
    Example:
      assay calibration
    """
    from assay.report.study.predictions import calibration_markdown, draw_calibration
    from assay.study.views import calibration_of

    study = find_study(folder)
    calibration = calibration_of(study)
    text = calibration_markdown(study.config.name, calibration) if markdown else None
    flags = {"write": write, "as_json": as_json}
    show_page(study, "CALIBRATION.md", calibration, draw_calibration, text=text, **flags)
