"""`assay falsified`: what was predicted and turned out otherwise."""

from pathlib import Path

import click

from assay.cli.options import json_flag, one_study, study_argument, study_flag
from assay.cli.output import show_page
from assay.study.study import find_study


@click.command("falsified")
@study_argument
@click.option("--markdown", is_flag=True, help="Print Markdown.")
@click.option("--write", is_flag=True, help="Write FALSIFIED.md; `verify` checks it.")
@study_flag
@json_flag
def command(named: Path | None, folder: Path, **flags: bool) -> None:
    """List what was predicted and turned out otherwise.

    Each line is a prediction that failed: what was predicted, what happened, and the version of
    the bars that was made because of it, with its entry in the ledger.

    \b
    Example:
      assay falsified
    """
    from assay.report.study.predictions import draw_falsified
    from assay.study.views import falsified_of

    study = find_study(one_study(named, folder))
    show_page(study, "FALSIFIED.md", falsified_of, draw_falsified, **flags)
