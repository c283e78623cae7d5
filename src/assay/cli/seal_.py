"""`assay seal`: fix a submission before it runs."""

from pathlib import Path

import click

from assay.cli.options import json_flag, study_flag, typed
from assay.cli.output import print_json
from assay.cli.study_commits import commit, committable, how_to_commit, outside_files, plan_files
from assay.errors import AlreadySealed, StorageError
from assay.study.study import StudyFolder, find_study
from assay.study.submissions.sealed import SealedPrereg

_MOST_NAMED = 5


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
    made-up question, to see that it answers; it sees nothing of the benchmark. What is sealed
    already is only committed, with --commit.

    \b
    Example:
      assay seal 019 --commit
    """
    from assay.report.study.views import refresh_views
    from assay.study.submissions.seal import seal
    from assay.study.submissions.sealed import load_sealed

    study = find_study(folder)
    if committing:
        committable(study)
    try:
        seal(study, submission, probe=not no_probe)
    except AlreadySealed:
        if not committing or _is_committed(study, submission):
            raise
    sealed = load_sealed(study, submission, distributions=False)
    names = [f"preregs/{submission}", *plan_files(study), *refresh_views(study)]
    done = _committed(study, sealed, names, folder) if committing else None
    if as_json:
        record = {"submission": submission, "digest": sealed.digest, "entry": sealed.entry}
        print_json({**record, "commit": done, "seal": sealed.seal})
    else:
        _print(study, sealed, names, done, folder)


def _committed(study: StudyFolder, sealed: SealedPrereg, names: list[str], folder: Path) -> str:
    """Commit the seal; where that fails, the seal stands all the same, and that is said."""
    try:
        return commit(study, names, f"Seal {sealed.id}")
    except StorageError as error:
        error.hint = (
            f"{sealed.id} IS sealed (entry {sealed.entry}); only the commit failed."
            f" Once that is mended: {typed(f'seal {sealed.id} --commit', folder)}"
        )
        raise


def _print(
    study: StudyFolder, sealed: SealedPrereg, names: list[str], done: str | None, folder: Path
) -> None:
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
                click.echo(f"{name}: sealed as they are, and {how} in its RECORD: {shown}")
    for place in outside_files(study):
        click.echo(f"{place} lies outside the repository: no clone will be able to verify this.")
    if done is not None:
        click.echo(f"Committed as {done[:12]}, its witness: do not amend, squash or rebase it.")
        click.echo("Push it, and run it, once:")
    else:
        click.echo("Commit it, so that git can bear witness:")
        click.echo(f"  {how_to_commit(study, names, f'Seal {sealed.id}')}")
        click.echo("Then run it, once:")
    click.echo(f"  {typed(f'run {sealed.id}', folder)}")


def _is_committed(study: StudyFolder, submission: str) -> bool:
    from assay.study.git import repository_of

    repository = repository_of(study.root)
    head = None if repository is None else repository.head()
    name = f"preregs/{submission}/seal.json"
    return repository is not None and head is not None and repository.read(head, name) is not None
