"""The commits that a revision names: its own, and those of nested repositories (submodules).

A name such as `origin/main` is resolved once, in the outer repository. In a nested repository it
can be another branch, which that repository's author moves.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.errors import NotHere
from assay.study.git import Repository, is_checkout
from assay.study.git_revisions import NAMES


class NamedCommit(NamedTuple):
    """A commit that a revision names; `within` is the path of a nested repository."""

    revision: str
    repository: Repository
    commit: str
    within: str = ""

    @property
    def name(self) -> str:
        """Its name in a finding."""
        return f"{self.revision}, {self.within}" if self.within else self.revision


def commits_named(
    outer: Repository, within: Sequence[Repository], revision: str, *, staged: bool = False
) -> list[NamedCommit]:
    """The commit of a revision, and every commit that it names in a nested repository.

    A commit that no nested repository has raises `NotHere`, unless its repository is only not
    checked out: then the name is kept. Staged files have no nested repositories.
    """
    commit = outer.commit(revision)
    if commit is None and revision != "HEAD":
        raise NotHere(
            f"no revision {revision!r:.80} in this clone: it was not fetched, or history was"
            " rewritten",
            hint=NAMES,
        )
    tops = {repository.top: repository for repository in within}
    found = [] if commit is None else [NamedCommit(revision, outer, commit)]
    known = {(each.repository.top, each.commit) for each in found}
    for each in found:  # which grows
        top = each.repository.top
        present = _present_modules(each.repository, staged=staged)
        for path, name in each.repository.modules(each.commit).items():
            repository = _holding(tops, top / path, name)
            if repository is None:
                kept = path in present if staged else present.get(path) == name
                if not kept or (not staged and is_checkout(top / path)):
                    raise _lost(path, name, each.name)
            elif (repository.top, name) not in known:
                known.add((repository.top, name))
                found.append(NamedCommit(each.revision, repository, name, path))
    return found


def _present_modules(repository: Repository, *, staged: bool) -> Mapping[str, str]:
    """The commits that HEAD, or the index, names in nested repositories."""
    if staged:
        return repository.staged_modules()
    head = repository.head()
    return {} if head is None else repository.modules(head)


def _holding(within: Mapping[Path, Repository], place: Path, commit: str) -> Repository | None:
    """The repository that has a commit: the one at its path, or else any other."""
    there = [within[place]] if place in within else []
    every = (*there, *(each for each in within.values() if each.top != place))
    return next((each for each in every if each.commit(commit) == commit), None)


def _lost(path: str, commit: str, name: str) -> NotHere:
    return NotHere(
        f"{name} names commit {commit[:12]} of the nested repository {path:.300}, which no"
        " repository here has: a study may be missing",
        hint="Fetch it: git submodule update. If it was removed, restore it, or verify it by"
        " itself.",
    )
