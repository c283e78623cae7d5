"""`assay seal`: fix a submission before it runs."""

from pathlib import Path

import click

from assay.api.study.publication import Publication, seal_and_publish
from assay.cli.options import json_flag, study_flag, typed
from assay.cli.output import print_json
from assay.cli.progress import quiet
from assay.study.commits.commit_files import how_to_commit, outside_files
from assay.study.study import StudyFolder, find_study
from assay.study.submissions.sealed import SealedPrereg

_MOST_NAMED = 5


@click.command("seal")
@click.argument("submission", metavar="ID")
@click.option("--commit", "committing", is_flag=True, help="Commit the seal to git at once.")
@click.option("--no-probe", is_flag=True, help="Do not try the method on made-up input first.")
@study_flag
@json_flag
def command(submission: str, committing: bool, no_probe: bool, folder: Path, as_json: bool) -> None:
    """Seal a submission: nothing of it can change, and it can run once.

    The seal holds digests of the exact bytes of the method with all that it imports, the
    prediction, the bars, the benchmark and the settings. The method is loaded and asked one
    made-up question, to see that it answers; a learner is first fitted to made-up examples. It
    sees nothing of the benchmark. If the submission is already sealed, --commit only commits it.

    \b
    Example:
      assay seal 019 --commit
    """
    study = find_study(folder)
    with quiet():
        sealed, published = seal_and_publish(
            study, submission, commit=committing, probe=not no_probe
        )
    if as_json:
        record = {"submission": submission, "digest": sealed.digest, "entry": sealed.entry}
        print_json({**record, "commit": published.commit, "seal": sealed.seal})
    else:
        _print(study, sealed, published, folder)


def _print(study: StudyFolder, sealed: SealedPrereg, published: Publication, folder: Path) -> None:
    from assay.digests import short
    from assay.report.study.finished import prediction_lines

    made = sealed.seal
    click.echo(
        f"{sealed.id} is sealed: entry {sealed.entry}, digest {short(sealed.digest)};"
        f" {len(made.files)} files, and {', '.join(made.distributions)}."
    )
    for line in prediction_lines(sealed.prediction):
        click.echo(f"  {line}")
    for name, installed in made.distributions.items():
        for how, files in (
            ("not listed", installed.unlisted),
            ("not as listed", installed.altered),
        ):
            if files:
                shown = f"{', '.join(files[:_MOST_NAMED])}{', ...' * (len(files) > _MOST_NAMED)}"
                click.echo(f"{name}: sealed as they are, but {how} in its RECORD: {shown}")
    for place in outside_files(study):
        click.echo(f"{place} is outside the repository: a clone will not be able to verify this.")
    if published.commit is not None:
        click.echo(
            f"Committed as {published.commit[:12]}, the witness of the seal: do not amend, squash"
            " or rebase it."
        )
        click.echo("Push it. Then run it, once, and commit its start and its result:")
        click.echo(f"  {typed(f'run {sealed.id} --commit', folder)}")
    else:
        how = how_to_commit(study, published.names, published.message)
        click.echo("Commit it: the commit is the witness that the seal came before the run.")
        click.echo(f"  {how}")
        click.echo("Then run it, once:")
        click.echo(f"  {typed(f'run {sealed.id}', folder)}")
