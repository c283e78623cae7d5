"""`assay export`: logs in the form of Every Eval Ever."""

from pathlib import Path

import click

from assay.cli.options import PATH, json_flag
from assay.cli.output import print_json
from assay.errors import SpecError


@click.command(
    "export",
    epilog="Exit codes: 0 written; 2 bad usage or input; 4 the rows of a log do not give the mean"
    " that it reports.",
)
@click.argument("logs", nargs=-1, required=True, type=PATH, metavar="LOG...")
@click.option("--out", required=True, type=PATH, metavar="DIR", help="The datastore to write into.")
@click.option("--task", metavar="NAME", help="Write runs of this task alone.")
@click.option("--no-texts", is_flag=True, help="Leave out questions, responses and targets.")
@json_flag
def command(
    logs: tuple[Path, ...], out: Path, task: str | None, no_texts: bool, as_json: bool
) -> None:
    """Write logs in the form of Every Eval Ever.

    LOG is a log of an evaluation harness, or a folder of logs. Each run becomes two files,
    `DIR/data/TASK/DEVELOPER/MODEL/UUID.json` with what it is, `UUID_samples.jsonl` with a
    line a sample and metric. `assay compare` reads them as it reads the log: the same trials and
    the same means. Compare an exported run with another exported one: its source log is of
    another harness, and names the scorer otherwise. Failed and unscored samples keep their place
    and have no score. A run has the same UUID whenever it is written, and nothing is overwritten.

    \b
    Examples:
      assay export logs/ --out datastore
      assay export baseline.eval candidate.eval --out datastore --no-texts
    """
    from assay.logs.format_table import FORMATS, read_log
    from assay.logs.harnesses.every_eval_ever.files import export_runs
    from assay.wording import counted, printable, some

    runs = []
    for path in logs:
        found = read_log(path, texts=not no_texts)
        if not found:
            raise SpecError(
                f"{path}: no log of a harness here",
                hint=f"Logs are known of {', '.join(known.name for known in FORMATS)}.",
            )
        runs += found
    chosen = [run for run in runs if task in (None, run.task)]
    if not chosen:
        known = some(list(dict.fromkeys(run.task for run in runs)))
        raise SpecError(f"no run of a task {task!r:.60}; there are {known}")
    exported = export_runs(chosen, out)
    if as_json:
        print_json(exported)
        return
    for run in exported:
        who = "" if run.model is None else f", {run.model}"
        click.echo(printable(f"{run.harness}, {run.task}{who}: {counted(run.samples, 'sample')}"))
        for place in run.files:
            click.echo(printable(f"  {place}"))
    click.echo(f"Wrote {counted(len(exported), 'run')}.")
