"""`assay new`: open a study."""

import shlex
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import msgspec

from assay.benchmark.benchmark import TASKS
from assay.benchmark.load import load_benchmark
from assay.cli.options import PATH, column_flags, columns_from, json_flag, note_changes
from assay.cli.output import print_json
from assay.gauntlet.load import DEFAULT_BARS

if TYPE_CHECKING:
    from assay.study.study import StudyFolder


@click.command("new")
@click.argument("folder", metavar="STUDY", type=PATH)
@click.option(
    "--benchmark", default="darkcore", show_default=True, help="A bundled name, or a file."
)
@click.option("--second", metavar="NAME|FILE", help="The second corpus, if a bar needs one.")
@click.option(
    "--bars",
    help=f"A version, or a TOML file, to begin with. Default: {DEFAULT_BARS}, or `plain` for data"
    " without the classes truth and folklore.",
)
@click.option("--task", type=click.Choice(TASKS), help="Default: every task that the data allow.")
@click.option("--name", help="Default: the folder's name.")
@column_flags
@json_flag
def command(folder: Path, **flags: Any) -> None:  # noqa: ANN401 - click hands over what was parsed
    """Open a study: one benchmark, its bars, and an empty record.

    In a study, predictions are sealed before anything runs, every method runs once, and the ledger
    gets a line for every event. Put the folder under git: its commits are the witness that a seal
    came before its run.

    \b
    Example:
      assay new my-study --benchmark darkcore --bars v1
    """
    from assay.api.study.study import Study
    from assay.study.git import repository_of

    benchmark = load_benchmark(flags["benchmark"], columns=columns_from(flags))
    note_changes(benchmark)
    named = ("name", "bars", "task", "second")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # said below, as a command does
        study = Study.create(folder, benchmark, **{name: flags[name] for name in named}).folder
    _warn(study)
    if flags["as_json"]:
        print_json({"study": str(study.root), **msgspec.to_builtins(study.config)})
        return
    bars = ", ".join(f"{task} {version}" for task, version in study.config.bars.items())
    click.echo(f"{folder}: a study on {benchmark.name}, bars {bars}.")
    if repository_of(study.root) is None:
        click.echo("Put it under git.")
    click.echo(
        "A commit of a seal shows that it came before its run: `assay seal ID --commit` makes it."
    )
    click.echo("Now draft a submission:")
    click.echo(f"  cd {shlex.quote(str(folder))}")
    click.echo("  assay draft 001 --method FILE.py:FUNCTION")


def _warn(study: "StudyFolder") -> None:
    """Say which data others will not get, while nothing is sealed and it can still be mended."""
    from assay.api.study.publication import UNSHARED, unshared_data
    from assay.wording import printable

    for fact, mend in unshared_data(study).items():
        click.echo(printable(f"Warning: {fact}: {UNSHARED}. {mend}"), err=True)
