"""Commit the files of a study after each event, or say how to."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.errors import AlreadySealed, SpecError, StorageError
from assay.report.study.views import refresh_views
from assay.study.commits.commit_files import (
    data_files,
    outside_files,
    present_files,
    seal_files,
)
from assay.study.git import Repository, repository_of
from assay.study.study import StudyFolder
from assay.study.submissions.run import Finished
from assay.study.submissions.seal import seal
from assay.study.submissions.sealed import SealedPrereg, load_sealed

_ANEW = "move it into {}, remove this study and create it again"


@dataclass(frozen=True, kw_only=True)
class Publication:
    """Files of a study for one commit, its message, and the commit once made."""

    names: tuple[str, ...]
    message: str
    commit: str | None


UNSHARED = "others will not be able to run or verify this study"
"""What follows from data that are not shared."""


def committable(study: StudyFolder) -> Repository:
    """The repository to commit to; refused before anything is done if git could not commit."""
    repository = repository_of(study.root)
    if repository is None:
        raise SpecError(
            "the study is not in a git repository, so nothing can be committed",
            hint="Make it one (git init), or leave out `commit=True`.",
        )
    if not repository.has_identity():
        raise SpecError(
            "git does not know who you are, so it cannot commit",
            hint="Set it: git config user.name NAME && git config user.email ADDRESS",
        )
    return repository


def unshared_data(study: StudyFolder) -> dict[str, str]:
    """Data that others will not get with the study: the reason, and the remedy."""
    repository, data = repository_of(study.root), data_files(study)
    if repository is None:
        anew = _ANEW.format("the study's folder")
        mend = f"Make a folder that holds both a git repository (git init), or {anew}."
        fact = "{} is outside the study, which is not in a git repository"
        return {fact.format(place): mend for place in data if place.startswith("../")}
    outside = outside_files(study)
    ignored = repository.ignored([place for place in data if place not in outside])
    anew = f"{_ANEW.format('the repository').capitalize()}."
    facts = dict.fromkeys((f"{place} is outside the repository" for place in outside), anew)
    return facts | {f"git ignores {place}": "Take it out of .gitignore." for place in ignored}


def record_commit(study: StudyFolder, names: Sequence[str], message: str) -> str:
    """Commit files of a study together with its ledger; the commit's name."""
    return committable(study).record(present_files(study, names), message)


def publish(
    study: StudyFolder, message: str, *, commit: bool, names: Sequence[str] = ()
) -> Publication:
    """Update the pages of a study, and commit them with some files if requested."""
    files = (*names, *refresh_views(study))
    done = record_commit(study, files, message) if commit else None
    return Publication(names=files, message=message, commit=done)


def seal_and_publish(
    study: StudyFolder, submission: str, *, commit: bool, probe: bool
) -> tuple[SealedPrereg, Publication]:
    """Seal a submission; if it is already sealed, only commit it."""
    if commit:
        committable(study)
    try:
        seal(study, submission, probe=probe)
    except AlreadySealed:
        if not commit or _is_committed(study, submission):
            raise
    sealed = load_sealed(study, submission, distributions=False)
    names = seal_files(study, submission)
    try:
        return sealed, publish(study, f"Seal {submission}", commit=commit, names=names)
    except StorageError as error:
        error.hint = (
            f"{submission} IS sealed (entry {sealed.entry}); only the commit failed."
            f" Once that is mended: assay seal {submission} `commit=True`"
        )
        raise


def publish_result(study: StudyFolder, finished: Finished, *, commit: bool) -> Publication:
    """Update the pages after a run, and commit its result if requested."""
    names = [f"runs/{finished.submission}", "scorecards", "grades"]
    return publish(study, f"Result of {finished.submission}", commit=commit, names=names)


def _is_committed(study: StudyFolder, submission: str) -> bool:
    repository = repository_of(study.root)
    head = None if repository is None else repository.head()
    name = f"preregs/{submission}/seal.json"
    return repository is not None and head is not None and repository.read(head, name) is not None
