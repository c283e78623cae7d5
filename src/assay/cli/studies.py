"""What the verbs of a study share: which study, and what to commit."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.study.folder import Study, find_study
from assay.study.place import LEDGER

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


def opened(folder: Path) -> Study:
    """The study that a folder is or lies in."""
    return find_study(folder)


def commit(study: Study, names: Sequence[str], message: str) -> str:
    """Commit files of a study together with its ledger; the commit's name."""
    from assay.errors import SpecError
    from assay.study.git import repository_of

    repository = repository_of(study.root)
    if repository is None:
        raise SpecError(
            "the study is in no git repository, so nothing can be committed",
            hint="Make it one: git init. Then commit by hand, or seal the next with --commit.",
        )
    return repository.record(_there(study, names), message)


def how_to_commit(study: Study, names: Sequence[str], message: str) -> str:
    """The command that commits files of a study, as seen from here."""
    import os
    import shlex

    from assay.study.git import repository_of

    paths = [os.path.relpath(study.root / name) for name in _there(study, names)]
    start = "" if repository_of(study.root) is not None else "git init && "
    return f"{start}git add {shlex.join(paths)} && git commit -m {shlex.quote(message)}"


def _there(study: Study, names: Sequence[str]) -> list[str]:
    """Those of the files that exist, and the ledger."""
    return [name for name in (*names, LEDGER) if (study.root / name).exists()]
