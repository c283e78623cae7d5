"""`assay export`: logs in the form of Every Eval Ever."""

from pathlib import Path

import click

from assay.cli.options import PATH, json_flag
from assay.cli.output import print_json


@click.command(
    "export",
    epilog="Exit codes: 0 written; 2 bad usage or input; 4 a log reports a mean that its rows"
    " do not give.",
)
@click.argument("logs", nargs=-1, required=True, type=PATH, metavar="LOG...")
@click.option("--out", required=True, type=PATH, metavar="DIR", help="The folder of the datastore.")
@click.option("--task", metavar="NAME", help="Write only runs of this task.")
@click.option("--no-texts", is_flag=True, help="Leave out questions, responses and targets.")
@json_flag
def command(
    logs: tuple[Path, ...], out: Path, task: str | None, no_texts: bool, as_json: bool
) -> None:
    """Write logs in the form of Every Eval Ever.

    LOG is a log of an evaluation harness, or a folder of logs. Each run becomes two files:
    `DIR/data/TASK/DEVELOPER/MODEL/UUID.json` describes it, `UUID_samples.jsonl` has a line for
    each sample and metric. `assay compare` reads them like the log: the same trials, the same
    means. Compare exported runs only with exported runs: a source log has another harness and
    another name for the scorer. Failed and unscored samples stay in the file, without a score. A
    run has the same UUID each time, and nothing is overwritten.

    \b
    Examples:
      assay export logs/ --out datastore
      assay export baseline.eval candidate.eval --out datastore --no-texts
    """
    from assay.api.trials import export
    from assay.wording import printable

    exported = export(*logs, out=out, task=task, texts=not no_texts)
    if as_json:
        print_json(exported.runs)
        return
    for run in exported.runs:
        click.echo(printable(run.said))
        for place in run.files:
            click.echo(printable(f"  {place}"))
    click.echo(exported.lines()[0])
