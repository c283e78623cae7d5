"""Every study below a folder, those that have vanished since a commit included."""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import IntegrityError, NotHere, SpecError, storage
from assay.files import read_inside
from assay.folders import walk
from assay.study.git import Repository, is_checkout, repository_of
from assay.study.git_revisions import NAMES
from assay.study.locate import FILE, LEDGER
from assay.study.study import Study, open_study

_PASSED_OVER = frozenset({".git", ".venv", "node_modules", "__pycache__"})


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """A folder to look through, and the repository whose history it has.

    `staged` is what is about to be committed, laid out in another folder than the work tree's own.
    """

    folder: Path
    repository: Repository | None
    staged: bool = False

    def repository_of(self, study: Study) -> Repository | None:
        """The repository that a study in this folder lies in, which may be one within."""
        if not self.staged:
            return repository_of(study.root)
        assert self.repository is not None  # noqa: S101 - only there is something staged
        return Repository(self.repository.top, self.place_of(study.root))

    def place_of(self, folder: Path) -> str:
        """A folder in this one, seen from the top of its repository."""
        inner = folder.resolve().relative_to(self.folder).as_posix()
        prefix = "." if self.repository is None else self.repository.prefix
        return inner if prefix == "." else prefix if inner == "." else f"{prefix}/{inner}"

    def revision_of(self, study: Study, since: str | None) -> str | None:
        """A revision for a study in a submodule: the commit of it that the revision names."""
        inner = self.repository_of(study)
        if since is None or self.repository is None or inner is None:
            return since
        commit = None if set(since) == {"0"} else self.repository.commit(since)
        if commit is None or inner.top == self.repository.top:
            return since
        if not inner.top.is_relative_to(self.repository.top):
            return since
        place = inner.top.relative_to(self.repository.top).as_posix()
        return self.repository.module(commit, place) or since


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
        yield Checkout(folder=top / repository.prefix, repository=repository, staged=True)


def find_studies(tree: Checkout, *, since: str | None) -> list[Study]:
    """The studies below a folder; one that HEAD (or the revision named) has must be there.

    So must one that HEAD has in a repository within.
    """
    studies: list[Study] = []
    within: list[Repository] = []
    with storage(tree.folder):
        for here, _, files in walk(tree.folder, skipped=lambda path: path.name in _PASSED_OVER):
            if FILE in files and LEDGER in files:
                studies.append(open_study(here))
            if here != tree.folder and not tree.staged and is_checkout(here):
                inner = repository_of(here)
                within += [] if inner is None else [inner]
    if since is not None and set(since) == {"0"}:  # a push of a new branch names zeros
        since = None
    if since is not None and tree.repository is None:
        raise SpecError(f"no revision {since!r:.80}: {tree.folder} is in no git repository")
    plans = {read_inside(study.root, FILE) for study in studies}
    if tree.repository is not None:
        _check_none_gone(tree, tree.repository, plans, since or "HEAD")
    for repository in within:
        _check_none_gone(tree, repository, plans, "HEAD")
    return studies


def _check_none_gone(
    tree: Checkout, repository: Repository, plans: Collection[bytes], revision: str
) -> None:
    """Refuse a study of a revision whose plan none of those that are here has."""
    commit = repository.commit(revision)
    if commit is None and revision != "HEAD":
        raise NotHere(
            f"no revision {revision!r:.80} in this clone: it was not fetched, or history was"
            " rewritten",
            hint=NAMES,
        )
    for place in [] if commit is None else repository.folders(commit, LEDGER):
        known = repository.read(commit or "", FILE, place=place)
        if known is not None and known not in plans:
            nested = repository is not tree.repository
            shown = tree.place_of(repository.top / place) if nested else place
            raise IntegrityError(
                f"the study {shown} was there in {revision}, and is gone",
                hint="A record is not taken back: put it back.",
            )
