"""git as the public witness: which commit held a seal before its run began.

A commit proves content and order, never time: git accepts any date. So all that is asked of it is
whether one commit comes before another, and what it holds. Where git fails to answer, `NotHere` is
raised; that is not taken for a "no".
"""

import os
import posixpath
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from assay.bounds import MAX_FILE_BYTES
from assay.errors import NotHere, StorageError, storage
from assay.files import read_bounded, stays_inside
from assay.study.git_command import ask_git, complaint_of, output_of, tell_git

_LINK, _MODULE = "120000", "160000"
_LONGEST_LINK = 1 << 16


class Blob(NamedTuple):
    """A file in a commit, by the name of its bytes and how many they are."""

    name: str
    size: int


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
        output = output_of(self.top, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
        return output.decode().strip() if output else None

    def read(self, commit: str, name: str, *, place: str | None = None) -> bytes | None:
        """A file of the folder as a commit holds it; None where it does not.

        `place` is where the folder was then, where it has been moved since.
        """
        path = self.path(name) if place is None else _joined(place, name)
        if not stays_inside(path):
            return None
        return self._bytes_of(f"{commit}:{path}")

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether one commit comes before another, or is it."""
        done = ask_git(self.top, "merge-base", "--is-ancestor", commit, of)
        if done.returncode not in (0, 1):
            raise NotHere(
                f"git cannot tell whether {commit[:12]} comes first: {complaint_of(done)}"
            )
        return done.returncode == 0

    def is_shallow(self) -> bool:
        """Whether this clone was cut off, so that older commits are missing."""
        return output_of(self.top, "rev-parse", "--is-shallow-repository") == b"true\n"

    def ignored(self, names: Sequence[str]) -> list[str]:
        """Those of the files that git is told to leave out."""
        output = output_of(self.top, "check-ignore", "--", *(self.path(name) for name in names))
        return [] if not output else os.fsdecode(output).splitlines()

    def has_identity(self) -> bool:
        """Whether git knows in whose name to commit."""
        try:
            return bool(tell_git(self.top, "var", "GIT_COMMITTER_IDENT"))
        except StorageError:
            return False

    def holds(self, name: str) -> bool:
        """Whether a path, seen from the folder, lies in the work tree."""
        return not self.path(name).startswith("../")

    def folders(self, commit: str, marker: str) -> list[str]:
        """The folders, at or below this one, that hold a file of this name in a commit."""
        output = output_of(self.top, "ls-tree", "-r", "-z", "--name-only", commit)
        names = [] if output is None else os.fsdecode(output).split("\0")
        return [
            posixpath.dirname(name) or "."
            for name in names
            if posixpath.basename(name) == marker
            and (self.prefix == "." or name.startswith(f"{self.prefix}/"))
        ]

    def history(self, *names: str) -> tuple[list[str], list[str]]:
        """The commits up to HEAD that touched a file of these names, and the folders of those."""
        only = ("--", *(f":(glob)**/{name}" for name in names))
        listed = ask_git(self.top, "rev-list", "--full-history", "HEAD", *only)
        if listed.returncode != 0:
            raise NotHere(f"git cannot list the history here: {complaint_of(listed)}")
        words = (
            "diff-tree",
            "--stdin",
            "--no-commit-id",
            "--name-only",
            "--root",
            "-r",
            "-m",
            "-z",
        )
        changed = ask_git(self.top, *words, *only, given=listed.stdout)
        if changed.returncode != 0:
            raise NotHere(f"git cannot tell what changed here: {complaint_of(changed)}")
        paths = set(os.fsdecode(changed.stdout).split("\0")) - {""}
        folders = sorted({posixpath.dirname(path) or "." for path in paths})
        return listed.stdout.decode().split(), folders

    def blobs(self, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Blob]:
        """The blobs by commit and path, seen from the top; those that there are."""
        asked = [(commit, path) for commit, path in places if "\n" not in path]
        lines = "".join(f"{commit}:{path}\n" for commit, path in asked)
        words = ("cat-file", "--batch-check=%(objecttype) %(objectname) %(objectsize)")
        output = output_of(self.top, *words, given=os.fsencode(lines))
        if output is None:
            raise NotHere("git cannot look up files in older commits here")
        answers = zip(asked, os.fsdecode(output).split("\n"), strict=False)
        found = {}
        for key, answer in answers:
            if answer.startswith("blob "):
                _, name, size = answer.split(" ")
                found[key] = Blob(name, int(size))
        for commit, path in places:
            if "\n" in path:  # which ends a question
                asked_alone = ("rev-parse", "--verify", "--quiet", f"{commit}:{path}")
                name = (output_of(self.top, *asked_alone) or b"").decode().strip()
                if name:
                    found[commit, path] = Blob(name, self._size(name) or 0)
        return found

    def blob(self, name: str) -> bytes:
        """The bytes of a blob by its name."""
        data = self._bytes_of(name)
        if data is None:
            raise NotHere(f"git has not got the object {name[:12]} any more")
        return data

    def _bytes_of(self, name: str) -> bytes | None:
        """The bytes of a blob; a small object can unpack to any size, so that is asked first."""
        size = self._size(name)
        if size is not None and size > MAX_FILE_BYTES:
            raise NotHere(f"{name:.200} has {size:,} bytes, at most {MAX_FILE_BYTES:,} are read")
        return None if size is None else output_of(self.top, "cat-file", "blob", name)

    def _size(self, name: str) -> int | None:
        output = output_of(self.top, "cat-file", "-s", name)
        return None if output is None else int(output)

    def export(self, place: Path, *, endings: tuple[str, ...] = ("",)) -> None:
        """Lay out the exact bytes of what is staged; no filter of the repository is run."""
        listed = output_of(self.top, "ls-files", "--stage", "-z", staged=True)
        if listed is None:
            raise StorageError("git could not list what is staged")
        for line in os.fsdecode(listed).split("\0")[:-1]:
            head, _, name = line.partition("\t")
            mode, blob, _ = head.split(" ")
            path = place / name
            selected = mode != _MODULE and name.lower().endswith(endings) and _is_plain(name)
            if not selected or not path.resolve().is_relative_to(place):
                continue
            data = output_of(self.top, "cat-file", "blob", blob)
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
        tell_git(self.top, "add", "--", *paths)
        tell_git(self.top, "commit", "--quiet", "-m", message, "--only", "--", *paths)
        made = self.head()
        if made is None or made == before:
            raise StorageError("git made no commit here")
        return made


def repository_of(folder: Path) -> Repository | None:
    """The repository that a folder lies in; None outside git.

    The work tree is the folder that holds `.git`, whatever the configuration in there says.
    """
    here = folder.resolve()
    top = next((place for place in (here, *here.parents) if (place / ".git").exists()), None)
    if top is None:
        return None
    done = ask_git(top, "rev-parse", "--absolute-git-dir")
    taken = os.fsdecode(done.stdout).removesuffix("\n")
    if done.returncode != 0 or not taken:
        raise NotHere(f"git will not open the repository of {folder}: {complaint_of(done)}")
    named = _named_by(top / ".git")
    if Path(taken).resolve() != named:
        raise NotHere(f"git takes {taken:.300} for the repository of {folder}, expected {named}")
    alternates = output_of(top, "rev-parse", "--git-path", "objects/info/alternates")
    if alternates is None:
        raise NotHere(f"git does not say where the objects of {folder} are")
    _check_own_objects(top / os.fsdecode(alternates).removesuffix("\n"))
    return Repository(top, here.relative_to(top).as_posix())


def _named_by(path: Path) -> Path:
    """The repository that `.git` is, or names: where that is none, git may take another.

    It looks into the work tree's own folder, in which an archive can have laid one out.
    """
    with storage(path):
        if path.is_dir():
            return path.resolve()
        text = os.fsdecode(read_bounded(path, _LONGEST_LINK)).removesuffix("\n")
        return (path.parent / text.removeprefix("gitdir: ")).resolve()


def _check_own_objects(alternates: Path) -> None:
    """Refuse a repository that borrows objects, which git has no way to leave out."""
    with storage(alternates):
        borrowed = alternates.read_bytes().strip() if alternates.is_file() else b""
    if borrowed:
        raise NotHere(
            f"the repository borrows objects from elsewhere ({alternates}), and no clone will have"
            " them",
            hint="Copy them: git repack -a -d, and remove that file.",
        )


def _is_plain(name: str) -> bool:
    """Whether a path of the index leads down, and not into a repository's own folder."""
    return stays_inside(name) and ".git" not in name.lower().split("/")


def _joined(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"
