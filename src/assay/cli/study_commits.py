"""Commit the files of a study, or say how to."""

import os
import shlex
from collections.abc import Sequence

from assay.benchmark.benchmark import BUNDLED
from assay.errors import SpecError
from assay.study.git import Repository, repository_of
from assay.study.locate import LEDGER
from assay.study.study import StudyFolder


def committable(study: StudyFolder) -> Repository:
    """The repository to commit to; refused before anything is done if git could not commit."""
    repository = repository_of(study.root)
    if repository is None:
        raise SpecError(
            "the study is in no git repository, so nothing can be committed",
            hint="Make it one (git init), or leave out --commit.",
        )
    if not repository.has_identity():
        raise SpecError(
            "git does not know who you are, so it cannot commit",
            hint="Tell it: git config user.name NAME && git config user.email ADDRESS",
        )
    return repository


def plan_files(study: StudyFolder) -> list[str]:
    """The files that every seal names: the plan, the bars, and data inside the repository."""
    outside = outside_files(study)
    return [".gitattributes", "study.toml", "bars", *(p for p in _data(study) if p not in outside)]


def outside_files(study: StudyFolder) -> list[str]:
    """Data that no clone of the repository will have."""
    repository = repository_of(study.root)
    return [] if repository is None else [p for p in _data(study) if not repository.holds(p)]


def _data(study: StudyFolder) -> list[str]:
    """The study's own data files, as seen from its folder."""
    corpora = (study.config.benchmark, study.config.second)
    return [data.place for data in corpora if data is not None and data.place not in BUNDLED]


def commit(study: StudyFolder, names: Sequence[str], message: str) -> str:
    """Commit files of a study together with its ledger; the commit's name."""
    return committable(study).record(_present(study, names), message)


def how_to_commit(study: StudyFolder, names: Sequence[str], message: str) -> str:
    """The command that commits files of a study, as seen from here."""
    paths = [os.path.relpath(study.root / name) for name in _present(study, names)]
    start = "" if repository_of(study.root) is not None else "git init && "
    return f"{start}git add {shlex.join(paths)} && git commit -m {shlex.quote(message)}"


def _present(study: StudyFolder, names: Sequence[str]) -> list[str]:
    """Those of the files that exist, and the ledger."""
    return [name for name in (*names, LEDGER) if (study.root / name).exists()]
