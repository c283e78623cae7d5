"""`assay withdraw`: publicly withdraw a sealed submission that was never started."""

from pathlib import Path

import click

from assay.api.study.publication import committable, publish
from assay.cli.options import json_flag, study_flag
from assay.cli.output import print_json
from assay.cli.progress import quiet
from assay.study.commits.commit_files import how_to_commit
from assay.study.study import find_study


@click.command(
    "withdraw",
    epilog="Exit codes: 0 withdrawn; 2 bad usage or input; 3 it was started, or withdrawn before;"
    " 4 integrity broken.",
)
@click.argument("submission", metavar="ID")
@click.option("--because", required=True, metavar="TEXT", help="The reason; it is published.")
@click.option("--commit", "committing", is_flag=True, help="Commit the withdrawal to git at once.")
@study_flag
@json_flag
def command(submission: str, because: str, committing: bool, folder: Path, as_json: bool) -> None:
    """Withdraw a sealed submission that was never started, in public.

    It stays on the board as withdrawn, with the reason. It can never be run, and its ID stays
    taken. A submission that was started cannot be withdrawn.

    \b
    Example:
      assay withdraw 019 --because "the wrong file was copied" --commit
    """
    from assay.study.submissions.withdraw import withdraw
    from assay.wording import printable

    study = find_study(folder)
    if committing:
        committable(study)
    entry = withdraw(study, submission, because=because)
    with quiet():
        published = publish(study, f"Withdraw {submission}", commit=committing)
    reason = entry.said["because"]
    if as_json:
        record = {"submission": submission, "because": reason, "entry": entry.n}
        print_json({**record, "commit": published.commit})
        return
    click.echo(printable(f"{submission} is withdrawn: entry {entry.n}. {reason}"))
    if published.commit is not None:
        click.echo(f"Committed as {published.commit[:12]}.")
    else:
        click.echo(f"Publish it:\n  {how_to_commit(study, published.names, published.message)}")
