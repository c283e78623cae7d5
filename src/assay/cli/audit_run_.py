"""`assay audit-run`: run a submission again, only to compare."""

import sys
from pathlib import Path

import click

from assay.cli.options import json_flag
from assay.cli.run_ import Following
from assay.cli.study_options import study_flag
from assay.study.study import find_study
from assay.wording import counted


@click.command("audit-run", epilog="Exit codes: 0 every output the same; 1 some differ.")
@click.argument("submission", metavar="ID")
@study_flag
@json_flag
def command(submission: str, folder: Path, as_json: bool) -> None:
    """Run a submission again and report the largest difference.

    The outputs are compared with those that are stored and then thrown away: an audit never makes
    a result, and the study stays as it is.

    \b
    Example:
      assay audit-run 019
    """
    from assay.study.submissions.rerun import rerun

    study = find_study(folder)
    shown = Following()
    try:
        found = rerun(study, submission, listener=shown)
    finally:
        shown.close()
    if as_json:
        from assay.report.json_output import as_json as written

        click.echo(written(found))
    else:
        differ = found.changed + found.unmatched
        said = "every output is the same"
        if differ:
            said = f"{counted(differ, 'output')} came out differently"
        click.echo(f"{submission}: {found.items} items run again, {said}.")
        if found.largest:
            click.echo(f"The largest difference is {found.largest:.3g}, on item {found.item}.")
        if found.unmatched:
            click.echo(f"{found.unmatched} items have an output on one side only.")
        if not found.same_installed:
            click.echo("What is installed here is not what it was sealed with.")
    sys.stdout.flush()
    sys.exit(1 if found.changed or found.unmatched else 0)
