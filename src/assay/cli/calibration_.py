"""`assay calibration`: how good the predictions of a study are."""

from pathlib import Path

import click

from assay.cli.options import json_flag, study_flag
from assay.cli.output import show, write_page
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
    from assay.report.study.calibration import calibration_markdown, draw_calibration
    from assay.study.views import calibration_of

    study = find_study(folder)
    if write:
        write_page(study, "CALIBRATION.md", as_json=as_json)
        return
    calibration = calibration_of(study)
    if markdown and not as_json:
        click.echo(calibration_markdown(study.config.name, calibration), nl=False)
    else:
        show(calibration, draw_calibration, as_json=as_json)
