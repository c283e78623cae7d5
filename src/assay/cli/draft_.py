"""`assay draft`: begin a submission."""

import os
from pathlib import Path

import click

from assay.benchmark.benchmark import TASKS, Task
from assay.cli.options import PATH, json_flag, study_flag, typed
from assay.cli.output import print_json
from assay.errors import MethodError
from assay.method.classes import METHOD_CLASSES
from assay.models.recording import replayed
from assay.sandbox.environment import missing_variable
from assay.study.git import repository_of
from assay.study.study import find_study
from assay.study.submissions.spec import Prereg


@click.command("draft")
@click.argument("submission", metavar="ID")
@click.option("--method", required=True, help="FILE.py:FUNCTION, a module, or a registered name.")
@click.option("--task", type=click.Choice(TASKS), help="Default: by the method's parameters.")
@click.option(
    "--method-class",
    metavar="CLASS",
    help=f"The class of a method of your own, for `board --frontier`: {', '.join(METHOD_CLASSES)}.",
)
@click.option("--item-seconds", default=30.0, show_default=True, help="Seconds for one item.")
@click.option("--load-seconds", default=60.0, show_default=True, help="Seconds to import or fit.")
@click.option("--env", multiple=True, metavar="NAME", help="Pass this variable to the method.")
@click.option(
    "--cassette",
    type=PATH,
    metavar="FILE",
    help="Copy this recording of the calls of a method over models, to be replayed.",
)
@study_flag
@json_flag
def command(
    submission: str,
    method: str,
    task: Task | None,
    method_class: str | None,
    item_seconds: float,
    load_seconds: float,
    env: tuple[str, ...],
    cassette: Path | None,
    folder: Path,
    as_json: bool,
) -> None:
    """Begin a submission: a copy of the method, and a prediction.

    Copies the method's files into preregs/ID, with the files they import; not the standard
    library and installed packages. Add what else it needs there (weights, word lists):
    everything in that folder is sealed.

    \b
    Example:
      assay draft 019 --method my_method.py:detect
    """
    from assay.study.submissions.draft import draft

    study = find_study(folder)
    prereg = Prereg(
        method=method,
        task=task or "detection",
        item_seconds=item_seconds,
        load_seconds=load_seconds,
        environment=env,
        method_class=method_class,
    )
    try:
        place, copied = draft(
            study, submission, method, task=task, prereg=prereg, recording=replayed(cassette)
        )
    except MethodError as error:
        error.hint = missing_variable(error.message, env) or error.hint
        raise
    if as_json:
        print_json({"submission": submission, "folder": str(place), "copied": copied})
        return
    shown = os.path.relpath(place)
    files = f"{', '.join(copied)} copied" if copied else f"{method} is in the package"
    click.echo(f"{shown}: {files}.")
    click.echo(f"Write down what you expect in {shown}/prediction.toml, then:")
    commit = "" if repository_of(study.root) is None else " --commit"
    click.echo(f"  {typed(f'seal {submission}{commit}', folder)}")
