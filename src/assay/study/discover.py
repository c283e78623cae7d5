"""Every study below a folder, those that have vanished since a commit included."""

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
    """A folder to look through, and the repository whose history it has.

    `staged` is what is about to be committed, laid out in another folder than the work tree's own.
    """

    folder: Path
    repository: Repository | None
    staged: bool = False

    def repository_of(self, study: StudyFolder) -> Repository | None:
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


@dataclass(frozen=True, kw_only=True)
class Below:
    """The studies below a folder, and the commits whose ledgers they must continue.

    Those are HEAD and the revision that was named, with all that they name of repositories within.
    """

    studies: list[StudyFolder]
    named: list[NamedCommit]


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


def find_studies(tree: Checkout, *, since: str | None) -> Below:
    """The studies below a folder; one that HEAD (or the revision named) has must be there.

    So must one in a repository within, in its HEAD and in the commit that the revision names of it.
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
        raise SpecError(f"no revision {since!r:.80}: {tree.folder} is in no git repository")
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
    """Refuse a study of a commit whose plan none of those that are here has."""
    repository = named.repository
    for place in repository.folders(named.commit, LEDGER):
        known = repository.read(named.commit, FILE, place=place)
        if known is not None and known not in plans:
            nested = repository is not tree.repository
            shown = tree.place_of(repository.top / place) if nested else place
            raise IntegrityError(
                f"the study {shown} was there in {named.name}, and is gone",
                hint="A record is not taken back: put it back.",
            )
