"""`assay seal`: fix a submission before it runs."""

from pathlib import Path

import click

from assay.cli.options import json_flag
from assay.cli.studies import commit, how_to_commit, opened, study_flag


@click.command("seal")
@click.argument("submission", metavar="ID")
@click.option("--commit", "committing", is_flag=True, help="Commit the seal to git at once.")
@click.option("--no-probe", is_flag=True, help="Do not first ask the method a question.")
@study_flag
@json_flag
def command(submission: str, committing: bool, no_probe: bool, folder: Path, as_json: bool) -> None:
    """Seal a submission: nothing of it can change any more, and it can run once.

    The seal names, by the digest of exact bytes, the method with all that it imports, the
    prediction, the bars, the benchmark and the settings. The method is loaded and asked one
    made-up question, to see that it answers; it sees nothing of the benchmark.

    \b
    Example:
      assay seal 019 --commit
    """
    from assay.digests import short
    from assay.study.sealing import seal

    study = opened(folder)
    made, entry = seal(study, submission, probe=not no_probe)
    (digest,) = entry.files.values()
    names = (f"preregs/{submission}", ".gitattributes", "study.toml", "bars")
    message = f"Seal {submission}"
    done = commit(study, names, message) if committing else None
    if as_json:
        from assay.report.records import as_json as written

        said = {"submission": submission, "digest": digest, "entry": entry.n, "commit": done}
        click.echo(written({**said, "seal": made}))
        return
    click.echo(
        f"{submission} is sealed: {len(made.files)} files,"
        f" {len(made.distributions)} distributions, entry {entry.n}, digest {short(digest)}."
    )
    if done is not None:
        click.echo(f"Committed as {done[:12]}. Run it, once:")
    else:
        click.echo("Commit it, so that git can bear witness:")
        click.echo(f"  {how_to_commit(study, names, message)}")
        click.echo("Then run it, once:")
    click.echo(f"  assay run {submission}")
