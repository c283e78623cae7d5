"""Every study below a folder, those that have vanished since a commit included."""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import IntegrityError, NotHere, SpecError, storage
from assay.files import read_inside
from assay.folders import walk
from assay.study.git import Repository, repository_of
from assay.study.locate import FILE, LEDGER
from assay.study.study import Study, open_study

_PASSED_OVER = frozenset({".git", ".venv", "node_modules", "__pycache__"})


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """A folder to look through, and the repository whose history it has.

    For what is staged, that is another folder than the work tree's own.
    """

    folder: Path
    repository: Repository | None

    def repository_of(self, study: Study) -> Repository | None:
        """The repository, seen from a study in this folder."""
        if self.repository is None:
            return None
        inner = study.root.relative_to(self.folder).as_posix()
        prefix = self.repository.prefix
        joined = inner if prefix == "." else prefix if inner == "." else f"{prefix}/{inner}"
        return Repository(self.repository.top, joined)


def checkout_of(folder: Path) -> Checkout:
    """A folder as it lies there."""
    with storage(folder):
        if not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
        return Checkout(folder=folder.resolve(), repository=repository_of(folder))


@contextmanager
def staged(folder: Path, *, endings: tuple[str, ...] = ("",)) -> Iterator[Checkout]:
    """What is about to be committed of a folder, laid out elsewhere; all of it or by ending."""
    repository = checkout_of(folder).repository
    if repository is None:
        raise SpecError(f"{folder} is in no git repository, so nothing is staged")
    with storage("a temporary folder"):
        made = tempfile.TemporaryDirectory(prefix="assay-")
    with made as name:
        top = Path(name).resolve()
        repository.export(top, endings=endings)
        yield Checkout(folder=top / repository.prefix, repository=repository)


def find_studies(tree: Checkout, *, since: str | None) -> list[Study]:
    """The studies below a folder; one that HEAD (or the revision named) has must be there."""
    studies: list[Study] = []
    with storage(tree.folder):
        for here, _, files in walk(tree.folder, skipped=lambda path: path.name in _PASSED_OVER):
            if FILE in files and LEDGER in files:
                studies.append(open_study(here))
    repository = tree.repository
    if since is not None and set(since) == {"0"}:  # a push of a new branch names zeros
        since = None
    commit = None if repository is None else repository.commit(since or "HEAD")
    if since is not None and repository is None:
        raise SpecError(f"no revision {since!r:.80}: {tree.folder} is in no git repository")
    if since is not None and commit is None:
        raise NotHere(
            f"no revision {since!r:.80} in this clone: it was not fetched, or history was rewritten"
        )
    if repository is not None and commit is not None:
        plans = {read_inside(study.root, FILE) for study in studies}
        for place in repository.folders(commit, LEDGER):
            known = repository.read(commit, FILE, place=place)
            if known is not None and known not in plans:
                raise IntegrityError(
                    f"the study {place} was there in {since or 'HEAD'}, and is gone",
                    hint="A record is not taken back: put it back.",
                )
    return studies
