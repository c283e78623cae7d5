"""git as the public witness: which commit held a seal before its run began.

A commit proves content and order, never time: git accepts any date. So all that is asked of it is
whether one commit comes before another, and what it holds.
"""

import os
import posixpath
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from assay.errors import SpecError, StorageError

_SECONDS = 60.0
# Nothing that a repository's own configuration names is to be run when one only looks.
_QUIET = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "gc.auto=0")
_LEADING_ASTRAY = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_PREFIX"
    " GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_NAMESPACE".split()
)


class Repository:
    """The work tree that a folder lies in."""

    def __init__(self, top: Path, folder: Path) -> None:
        self.top = top
        self.prefix = folder.resolve().relative_to(top).as_posix()

    def head(self) -> str | None:
        """The commit that is checked out, where there is one."""
        return self.commit("HEAD")

    def commit(self, revision: str) -> str | None:
        """The full name of a revision's commit, where this clone has it."""
        if revision.startswith("-") or not revision.isprintable():
            return None
        found = _git(self.top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return found.decode().strip() if found else None

    def read(self, commit: str, name: str, *, place: str | None = None) -> bytes | None:
        """A file of the folder as a commit holds it; None where it does not.

        `place` is where the folder was then, where it has been moved since.
        """
        found = self.path(name) if place is None else _joined(place, name)
        return _git(self.top, "cat-file", "blob", f"{commit}:{found}")

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether one commit comes before another, or is it."""
        return _git(self.top, "merge-base", "--is-ancestor", commit, of) is not None

    def is_shallow(self) -> bool:
        """Whether this clone was cut off, so that older commits are missing."""
        return _git(self.top, "rev-parse", "--is-shallow-repository") == b"true\n"

    def ignored(self, names: Sequence[str]) -> list[str]:
        """Those of the files that git is told to leave out."""
        found = _git(self.top, "check-ignore", "--", *(self.path(name) for name in names))
        return [] if not found else found.decode("utf-8", "replace").splitlines()

    def has_identity(self) -> bool:
        """Whether git knows in whose name to commit."""
        return _git(self.top, "var", "GIT_COMMITTER_IDENT") is not None

    def holds(self, name: str) -> bool:
        """Whether a path, seen from the folder, lies in the work tree."""
        return not self.path(name).startswith("../")

    def studies(self, commit: str, marker: str) -> list[str]:
        """The folders below this one that hold a file of this name in a commit."""
        found = _git(self.top, "ls-tree", "-r", "-z", "--name-only", commit)
        names = [] if found is None else os.fsdecode(found).split("\0")
        below = "" if self.prefix == "." else f"{self.prefix}/"
        return [
            name.removeprefix(below).removesuffix(marker).rstrip("/")
            for name in names
            if name.startswith(below) and Path(name).name == marker
        ]

    def export(self, place: Path) -> None:
        """Lay out what is staged in a folder."""
        if _git(self.top, "checkout-index", "--all", f"--prefix={place}/", staged=True) is None:
            raise StorageError("git could not lay out what is staged")

    def path(self, name: str) -> str:
        """A file of the folder as git calls it."""
        return posixpath.normpath(_joined(self.prefix, name))

    def record(self, names: Sequence[str], message: str) -> str:
        """Commit these files and nothing else; the commit's name."""
        paths = [self.path(name) for name in names]
        _git_or_say(self.top, "add", "--", *paths)
        _git_or_say(self.top, "commit", "--quiet", "-m", message, "--only", "--", *paths)
        found = self.head()
        if found is None:
            raise StorageError("git made no commit")
        return found


def _joined(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"


_STANDING: dict[Path, Path] = {}


@contextmanager
def standing_for(copy: Path, top: Path) -> Iterator[None]:
    """While this lasts, a copy of a work tree has the history of the original."""
    _STANDING[copy] = top
    try:
        yield
    finally:
        del _STANDING[copy]


def repository_of(folder: Path) -> Repository | None:
    """The repository that a folder lies in; None outside git, and without git."""
    here = folder.resolve()
    for copy, top in _STANDING.items():
        if here.is_relative_to(copy):
            return Repository(top, top / here.relative_to(copy))
    found = _git(folder, "rev-parse", "--show-toplevel")
    if not found:
        return None
    top = Path(os.fsdecode(found.removesuffix(b"\n"))).resolve()
    return Repository(top, here)


def _git(folder: Path, *words: str, staged: bool = False) -> bytes | None:
    """What git says, or None where it fails or is not there.

    `staged` asks the index that a hook is given, which may not be the usual one.
    """
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and our own paths, no shell
            ["git", *_QUIET, *words],  # noqa: S607 - whichever git the user has
            cwd=folder,
            env=_environment(staged=staged),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def _git_or_say(folder: Path, *words: str) -> None:
    """Have git do something, with the user's own hooks and settings."""
    try:
        done = subprocess.run(  # noqa: S603 - fixed words and our own paths, no shell
            ["git", *words],  # noqa: S607 - whichever git the user has
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=10 * _SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise SpecError("there is no git here", hint="Install it, or leave out --commit.") from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StorageError(f"git {words[0]}: {error}") from None
    if done.returncode != 0:
        said = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        last = " / ".join(line.strip() for line in said.splitlines()[-4:] if line.strip())
        raise StorageError(f"git {words[0]} failed: {last[-600:]}")


def _environment(*, staged: bool) -> Mapping[str, str]:
    """The user's environment, without what would point git at another repository than asked.

    A hook runs with GIT_DIR set. No protocol may be spoken: a repository can promise that what it
    lacks is to be had from somewhere, and name a command that fetches it.
    """
    wanted = {"GIT_INDEX_FILE"} if staged else set()
    astray = _LEADING_ASTRAY - wanted
    kept = {name: value for name, value in os.environ.items() if name not in astray}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1"}
    return {**kept, **quiet, "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
