"""The files of a study that a commit must hold, and the command that commits them."""

import os
import shlex
from collections.abc import Sequence

from assay.benchmark.benchmark import BUNDLED
from assay.study.git import repository_of
from assay.study.locate import LEDGER
from assay.study.study import StudyFolder


def seal_files(study: StudyFolder, submission: str) -> list[str]:
    """The files that the witness of a seal holds, beside the ledger."""
    return [f"preregs/{submission}", *plan_files(study)]


def plan_files(study: StudyFolder) -> list[str]:
    """The files that every seal names: the plan, the bars, and data inside the repository."""
    outside = outside_files(study)
    return [
        ".gitattributes",
        "study.toml",
        "bars",
        *(p for p in data_files(study) if p not in outside),
    ]


def outside_files(study: StudyFolder) -> list[str]:
    """Data that no clone of the repository will have."""
    repository = repository_of(study.root)
    return [] if repository is None else [p for p in data_files(study) if not repository.holds(p)]


def data_files(study: StudyFolder) -> list[str]:
    """The study's own data files, as seen from its folder."""
    corpora = (study.config.benchmark, study.config.second)
    return [data.place for data in corpora if data is not None and data.place not in BUNDLED]


def how_to_commit(study: StudyFolder, names: Sequence[str], message: str) -> str:
    """The command that commits files of a study, as seen from here."""
    paths = [os.path.relpath(study.root / name) for name in present_files(study, names)]
    start = "" if repository_of(study.root) is not None else "git init && "
    return f"{start}git add {shlex.join(paths)} && git commit -m {shlex.quote(message)}"


def present_files(study: StudyFolder, names: Sequence[str]) -> list[str]:
    """The files that exist, and the ledger."""
    return [name for name in (*names, LEDGER) if (study.root / name).exists()]
