"""What the verbs of a study share: which study, what to commit, and what to type next."""

import os
import shlex
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.benchmark.load import BUNDLED
from assay.errors import SpecError
from assay.study.git import Repository, repository_of
from assay.study.locate import LEDGER
from assay.study.study import Study

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def study_flag(command: Decorated) -> Decorated:
    """--study: the study that one means, by default the one that one is in."""
    return click.option(
        "--study",
        "folder",
        type=click.Path(path_type=Path),
        default=".",
        help="The study's folder. Default: the one you are in.",
    )(command)


def typed(words: str, folder: Path) -> str:
    """A command to type next, from where the user is."""
    beside = "" if str(folder) == "." else f" --study {shlex.quote(str(folder))}"
    return f"assay {words}{beside}"


def committable(study: Study) -> Repository:
    """The repository to commit to; refused before anything is done where that cannot work."""
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


def plan_files(study: Study) -> list[str]:
    """What every seal rests on: the plan, the bars, and data that lie in the repository."""
    outside = outside_files(study)
    return [".gitattributes", "study.toml", "bars", *(p for p in _data(study) if p not in outside)]


def outside_files(study: Study) -> list[str]:
    """Data that no clone of the repository will have."""
    repository = repository_of(study.root)
    return [] if repository is None else [p for p in _data(study) if not repository.holds(p)]


def _data(study: Study) -> list[str]:
    """The study's own data files, as seen from its folder."""
    corpora = (study.config.benchmark, study.config.second)
    return [one.place for one in corpora if one is not None and one.place not in BUNDLED]


def commit(study: Study, names: Sequence[str], message: str) -> str:
    """Commit files of a study together with its ledger; the commit's name."""
    return committable(study).record(_there(study, names), message)


def how_to_commit(study: Study, names: Sequence[str], message: str) -> str:
    """The command that commits files of a study, as seen from here."""
    paths = [os.path.relpath(study.root / name) for name in _there(study, names)]
    start = "" if repository_of(study.root) is not None else "git init && "
    return f"{start}git add {shlex.join(paths)} && git commit -m {shlex.quote(message)}"


def _there(study: Study, names: Sequence[str]) -> list[str]:
    """Those of the files that exist, and the ledger."""
    return [name for name in (*names, LEDGER) if (study.root / name).exists()]


def wrote(path: Path, *, as_json: bool) -> None:
    """Say which file was written."""
    place = os.path.relpath(path)
    if as_json:
        from assay.report.json_output import as_json as written

        click.echo(written({"wrote": place}))
    else:
        click.echo(f"Wrote {place}.")
