"""git as the public witness: which commit held a seal before its run began.

A commit proves content and order, never time: git accepts any date. So all that is asked of it is
whether one commit comes before another, and what it holds. Where git fails to answer, `NotHere` is
raised; that is not taken for a "no".
"""

import os
import posixpath
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.errors import NotHere, SpecError, StorageError, storage

_SECONDS = 60.0
# Reading a repository must not run commands that its configuration names.
_QUIET = (
    *("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null"),
    *("-c", "gc.auto=0", "-c", "core.quotePath=false"),
)
_LEADING_ASTRAY = frozenset(
    "GIT_DIR GIT_WORK_TREE GIT_IMPLICIT_WORK_TREE GIT_COMMON_DIR GIT_INDEX_FILE GIT_PREFIX"
    " GIT_GRAFT_FILE GIT_SHALLOW_FILE GIT_NAMESPACE".split()
)
_LINK, _MODULE = "120000", "160000"


class Repository:
    """The work tree that a folder lies in, and where the folder is in it."""

    def __init__(self, top: Path, prefix: str) -> None:
        self.top = top
        self.prefix = prefix

    def head(self) -> str | None:
        """The commit that is checked out, where there is one."""
        return self.commit("HEAD")

    def commit(self, revision: str) -> str | None:
        """The full name of a revision's commit, where this clone has it."""
        if revision.startswith("-") or not revision.isprintable():
            return None
        output = _git(self.top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return output.decode().strip() if output else None

    def read(self, commit: str, name: str, *, place: str | None = None) -> bytes | None:
        """A file of the folder as a commit holds it; None where it does not.

        `place` is where the folder was then, where it has been moved since.
        """
        path = self.path(name) if place is None else _joined(place, name)
        return _git(self.top, "cat-file", "blob", f"{commit}:{path}")

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether one commit comes before another, or is it."""
        return _git(self.top, "merge-base", "--is-ancestor", commit, of) is not None

    def is_shallow(self) -> bool:
        """Whether this clone was cut off, so that older commits are missing."""
        return _git(self.top, "rev-parse", "--is-shallow-repository") == b"true\n"

    def ignored(self, names: Sequence[str]) -> list[str]:
        """Those of the files that git is told to leave out."""
        output = _git(self.top, "check-ignore", "--", *(self.path(name) for name in names))
        return [] if not output else os.fsdecode(output).splitlines()

    def has_identity(self) -> bool:
        """Whether git knows in whose name to commit."""
        return _git(self.top, "var", "GIT_COMMITTER_IDENT") is not None

    def holds(self, name: str) -> bool:
        """Whether a path, seen from the folder, lies in the work tree."""
        return not self.path(name).startswith("../")

    def folders(self, commit: str, marker: str) -> list[str]:
        """The folders, at or below this one, that hold a file of this name in a commit."""
        output = _git(self.top, "ls-tree", "-r", "-z", "--name-only", commit)
        names = [] if output is None else os.fsdecode(output).split("\0")
        return [
            posixpath.dirname(name) or "."
            for name in names
            if posixpath.basename(name) == marker
            and (self.prefix == "." or name.startswith(f"{self.prefix}/"))
        ]

    def export(self, place: Path, *, endings: tuple[str, ...] = ("",)) -> None:
        """Lay out the exact bytes of what is staged; no filter of the repository is run."""
        listed = _git(self.top, "ls-files", "--stage", "-z", staged=True)
        if listed is None:
            raise StorageError("git could not list what is staged")
        for line in os.fsdecode(listed).split("\0")[:-1]:
            head, _, name = line.partition("\t")
            mode, blob, _ = head.split(" ")
            path = place / name
            selected = mode != _MODULE and name.lower().endswith(endings)
            if not selected or not path.resolve().is_relative_to(place):
                continue
            data = _git(self.top, "cat-file", "blob", blob)
            if data is None:
                raise StorageError(f"git has not got {name} as it is staged")
            with storage(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                if mode == _LINK:
                    path.symlink_to(os.fsdecode(data))
                else:
                    path.write_bytes(data)

    def path(self, name: str) -> str:
        """A file of the folder as git calls it."""
        return posixpath.normpath(_joined(self.prefix, name))

    def record(self, names: Sequence[str], message: str) -> str:
        """Commit these files and nothing else; the commit's name."""
        paths = [self.path(name) for name in names]
        before = self.head()
        _git_or_fail(self.top, "add", "--", *paths)
        _git_or_fail(self.top, "commit", "--quiet", "-m", message, "--only", "--", *paths)
        made = self.head()
        if made is None or made == before:
            raise StorageError("git made no commit here")
        return made


def repository_of(folder: Path) -> Repository | None:
    """The repository that a folder lies in; None outside git."""
    here = folder.resolve()
    if not any((place / ".git").exists() for place in (here, *here.parents)):
        return None
    done = _ask_git(here, "rev-parse", "--show-toplevel", staged=False)
    if done.returncode != 0 or not done.stdout:
        complaint = (done.stderr.decode("utf-8", "replace").strip().splitlines() or [""])[0][:300]
        raise NotHere(f"git will not open the repository of {folder}: {complaint}")
    top = Path(os.fsdecode(done.stdout.removesuffix(b"\n"))).resolve()
    return Repository(top, here.relative_to(top).as_posix())


def _joined(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"


def _git(folder: Path, *words: str, staged: bool = False) -> bytes | None:
    """The output of git; None where it fails. `staged` asks the index that a hook is given."""
    done = _ask_git(folder, *words, staged=staged)
    return done.stdout if done.returncode == 0 else None


def _ask_git(folder: Path, *words: str, staged: bool) -> subprocess.CompletedProcess[bytes]:
    try:
        return _call_git(folder, *_QUIET, *words, environment=_environment(staged=staged))
    except (OSError, subprocess.TimeoutExpired) as error:
        raise NotHere(f"git could not be asked: {error}") from None


def _call_git(
    folder: Path, *words: str, environment: Mapping[str, str], seconds: float = _SECONDS
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(  # noqa: S603 - fixed words and our own paths, no shell
        ["git", *words],  # noqa: S607 - the user's git
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=seconds,
        check=False,
    )


def _git_or_fail(folder: Path, *words: str) -> None:
    """Have git do something, with the user's own hooks and settings."""
    kept = {name: value for name, value in os.environ.items() if name not in _LEADING_ASTRAY}
    try:
        done = _call_git(folder, *words, environment=kept, seconds=10 * _SECONDS)
    except FileNotFoundError:
        raise SpecError(
            "there is no git here", hint="Install it, or leave out `commit=True`."
        ) from None
    except (OSError, subprocess.TimeoutExpired) as error:
        raise StorageError(f"git {words[0]}: {error}") from None
    if done.returncode != 0:
        complaint = (done.stderr or done.stdout).decode("utf-8", "replace").strip()
        last = " / ".join(line.strip() for line in complaint.splitlines()[-4:] if line.strip())
        raise StorageError(f"git {words[0]} failed: {last[-600:]}")


def _environment(*, staged: bool) -> Mapping[str, str]:
    """The user's environment, without what would point git at another repository than asked.

    A hook runs with GIT_DIR set. No protocol may be spoken: a repository can promise that what it
    lacks is to be had from somewhere, and name a command that fetches it.
    """
    astray = _LEADING_ASTRAY - ({"GIT_INDEX_FILE"} if staged else set())
    kept = {name: value for name, value in os.environ.items() if name not in astray}
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "GIT_NO_LAZY_FETCH": "1"}
    return {**kept, **quiet, "GIT_ALLOW_PROTOCOL": "none", "LC_ALL": "C"}
