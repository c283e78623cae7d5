"""Every study below a folder, those that have vanished since a commit included."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import IntegrityError, SpecError, storage
from assay.study.folder import Study, open_study
from assay.study.git import repository_of, standing_for
from assay.study.place import FILE, LEDGER

_PASSED_OVER = frozenset({".git", ".venv", "node_modules", "__pycache__"})


@contextmanager
def staged(folder: Path) -> Iterator[Path]:
    """What is about to be committed of a folder, laid out elsewhere; git is still asked here."""
    repository = repository_of(folder)
    if repository is None:
        raise SpecError(f"{folder} is in no git repository, so nothing is staged")
    with storage("a temporary folder"):
        made = tempfile.TemporaryDirectory(prefix="assay-")
    with made as name:
        top = Path(name).resolve()
        repository.export(top)
        with standing_for(top, repository.top):
            yield top if repository.prefix == "." else top / repository.prefix


def find_studies(root: Path, *, since: str | None) -> list[Study]:
    """The studies below a folder; one that HEAD (or the revision named) has must be there."""
    found: dict[Path, Study] = {}
    with storage(root):
        for here, folders, files in os.walk(root.resolve()):
            folders[:] = sorted(name for name in folders if name not in _PASSED_OVER)
            if FILE in files and LEDGER in files:
                found[Path(here)] = open_study(Path(here))
    repository = repository_of(root)
    commit = None if repository is None else repository.commit(since or "HEAD")
    if repository is not None and commit is not None:
        for name in repository.studies(commit, LEDGER):
            folder = root.resolve() / name
            known = repository.read(commit, f"{name}/{FILE}" if name else FILE) is not None
            if known and folder not in found:
                raise IntegrityError(
                    f"the study {name or '.'} was there in {since or 'HEAD'}, and is gone",
                    hint="A record is not taken back: put it back.",
                )
    return list(found.values())
