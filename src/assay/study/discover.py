"""Find every study below a folder, including those that vanished since a commit."""

import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from assay.errors import IntegrityError, SpecError, storage
from assay.files import read_inside
from assay.folders import walk
from assay.study.git import Repository, is_checkout, repository_of
from assay.study.git_modules import NamedCommit, commits_named
from assay.study.locate import FILE, LEDGER
from assay.study.study import StudyFolder, open_study

_PASSED_OVER = frozenset({".git", ".venv", "node_modules", "__pycache__"})


@dataclass(frozen=True, kw_only=True)
class Checkout:
    """A folder to search, and the repository with its history.

    `staged` means that the folder is a copy of what is about to be committed, outside the work
    tree.
    """

    folder: Path
    repository: Repository | None
    staged: bool = False

    def repository_of(self, study: StudyFolder) -> Repository | None:
        """The repository of a study in this folder, which may be a nested one."""
        if not self.staged:
            return repository_of(study.root)
        assert self.repository is not None  # noqa: S101 - only there is something staged
        return Repository(self.repository.top, self.place_of(study.root))

    def place_of(self, folder: Path) -> str:
        """A folder in this one, relative to the top of its repository."""
        inner = folder.resolve().relative_to(self.folder).as_posix()
        prefix = "." if self.repository is None else self.repository.prefix
        return inner if prefix == "." else prefix if inner == "." else f"{prefix}/{inner}"


@dataclass(frozen=True, kw_only=True)
class Below:
    """The studies below a folder, and the commits whose ledgers they must continue.

    These are HEAD and the named revision, with the commits that they name in nested repositories.
    """

    studies: list[StudyFolder]
    named: list[NamedCommit]


def checkout_of(folder: Path) -> Checkout:
    """A folder as it is on disk."""
    with storage(folder):
        if not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
        return Checkout(folder=folder.resolve(), repository=repository_of(folder))


@contextmanager
def staged(folder: Path, *, endings: tuple[str, ...] = ("",)) -> Iterator[Checkout]:
    """A copy of what is about to be committed in a folder: all files, or those with an ending."""
    repository = checkout_of(folder).repository
    if repository is None:
        raise SpecError(f"{folder} is not in a git repository, so nothing is staged")
    with storage("a temporary folder"):
        made = tempfile.TemporaryDirectory(prefix="assay-")
    with made as name:
        top = Path(name).resolve()
        repository.export(top, endings=endings)
        yield Checkout(folder=top / repository.prefix, repository=repository, staged=True)


def find_studies(tree: Checkout, *, since: str | None) -> Below:
    """The studies below a folder; every study in HEAD, or in the named revision, must be there.

    The same holds for nested repositories: their HEAD, and the commit that the revision names.
    """
    studies: list[StudyFolder] = []
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
        raise SpecError(f"no revision {since!r:.80}: {tree.folder} is not in a git repository")
    named: list[NamedCommit] = []
    if tree.repository is not None:
        for revision in dict.fromkeys(("HEAD", since or "HEAD")):
            named += commits_named(tree.repository, within, revision, staged=tree.staged)
    plans = {read_inside(study.root, FILE) for study in studies}
    inner_heads = [
        NamedCommit("HEAD", repository, commit)
        for repository in within
        if (commit := repository.head()) is not None
    ]
    for each in (*named, *inner_heads):
        _check_none_gone(tree, each, plans)
    return Below(studies=studies, named=named)


def _check_none_gone(tree: Checkout, named: NamedCommit, plans: Collection[bytes]) -> None:
    """Refuse if a study of a commit is missing: no study here has its plan."""
    repository = named.repository
    for place in repository.folders(named.commit, LEDGER):
        known = repository.read(named.commit, FILE, place=place)
        if known is not None and known not in plans:
            nested = repository is not tree.repository
            shown = tree.place_of(repository.top / place) if nested else place
            raise IntegrityError(
                f"the study {shown} is in {named.name}, but missing here",
                hint="Records must not be removed. Restore it.",
            )
