"""git as the public witness: which commit held a seal before its run began.

A commit proves content and order, never time: git accepts any date. So git is only asked whether
one commit comes before another, and what a commit holds. If git fails to answer, or lacks an object
that a commit names, `NotHere` is raised; it never counts as a "no".
"""

import os
import posixpath
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.bounds import MAX_FILE_BYTES
from assay.errors import NotHere, SpecError, StorageError, storage
from assay.files import read_bounded, stays_inside
from assay.study.git_command import ask_git, ask_within, complaint_of, output_of, tell_git
from assay.study.git_revisions import commit_of

_LINK, _MODULE = "120000", "160000"
_LONGEST_LINK = 1 << 16
_MOST_HISTORY = 1 << 27
"""The most bytes of git's answer about a history: a million changes of a plan or a ledger."""
_WHOLE = "A clone with a filter lacks objects: clone the whole repository."


class Blob(NamedTuple):
    """A file in a commit: the object name of its bytes, and their number."""

    name: str
    size: int


class FileChange(NamedTuple):
    """A file that a commit changed, and its new content; None if the commit deleted it."""

    commit: str
    path: str
    blob: Blob | None


class Repository:
    """The work tree around a folder, and the folder's path in it."""

    def __init__(self, top: Path, prefix: str) -> None:
        self.top = top
        self.prefix = prefix

    def head(self) -> str | None:
        """The commit that is checked out, if any."""
        return self.commit("HEAD")

    def commit(self, revision: str) -> str | None:
        """The full name of a revision's commit, if this clone has it."""
        return commit_of(self.top, revision)

    def read(self, commit: str, name: str, *, place: str | None = None) -> bytes | None:
        """A file of the folder as a commit holds it; None if it does not.

        `place` is the earlier path of the folder, if it was moved since.
        """
        path = self.path(name) if place is None else _joined(place, name)
        if not stays_inside(path):
            return None
        entry = self._entry(commit, path)
        return None if entry is None or entry[0] != "blob" else self.blob(entry[1])

    def modules(self, commit: str) -> dict[str, str]:
        """The commits of other repositories that a commit names in this folder, by path."""
        return {path: name for mode, name, path in self._listed(commit) if mode == _MODULE}

    def staged_modules(self) -> dict[str, str]:
        """The commits of other repositories that the index names, by path."""
        return {path: name for mode, name, path in self._staged() if mode == _MODULE}

    def _entry(self, commit: str, path: str) -> tuple[str, str] | None:
        """Kind and name of the object that a commit has at a path; None if it has none."""
        words = ("--literal-pathspecs", "ls-tree", "-z", "--full-tree", commit, "--", path)
        done = ask_git(self.top, *words)
        if done.returncode != 0:
            raise NotHere(
                f"git cannot list the files of {commit[:12]}: {complaint_of(done)}", hint=_WHOLE
            )
        head, _, found = os.fsdecode(done.stdout).removesuffix("\0").partition("\t")
        if found != path:
            return None
        _, kind, name = head.split(" ")
        return kind, name

    def is_ancestor(self, commit: str, of: str) -> bool:
        """Whether one commit comes before another, or equals it."""
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
        """Those of the files that git ignores."""
        if not names:
            return []
        output = output_of(self.top, "check-ignore", "--", *(self.path(name) for name in names))
        return [] if not output else os.fsdecode(output).splitlines()

    def has_identity(self) -> bool:
        """Whether git has an identity to commit with."""
        try:
            return bool(tell_git(self.top, "var", "GIT_COMMITTER_IDENT"))
        except StorageError:
            return False

    def holds(self, name: str) -> bool:
        """Whether a path, relative to the folder, is in the work tree."""
        return not self.path(name).startswith("../")

    def folders(self, commit: str, marker: str) -> list[str]:
        """The folders, at or below this one, that hold a file of this name in a commit."""
        return [
            posixpath.dirname(path) or "."
            for mode, _, path in self._listed(commit)
            if mode != _MODULE and posixpath.basename(path) == marker
        ]

    def _listed(self, commit: str) -> Iterator[tuple[str, str, str]]:
        """Mode, object and path of every file of a commit at or below this folder."""
        done = ask_git(self.top, "ls-tree", "-r", "-z", "--full-tree", commit)
        if done.returncode != 0:
            raise NotHere(
                f"git cannot list the files of {commit[:12]}: {complaint_of(done)}", hint=_WHOLE
            )
        for line in os.fsdecode(done.stdout).split("\0")[:-1]:
            head, _, path = line.partition("\t")
            if self.prefix == "." or path == self.prefix or path.startswith(f"{self.prefix}/"):
                mode, _, name = head.split(" ")
                yield mode, name, path

    def _staged(self) -> Iterator[tuple[str, str, str]]:
        """Mode, object and path of every staged file."""
        listed = output_of(self.top, "ls-files", "--stage", "-z", staged=True)
        if listed is None:
            raise StorageError("git cannot list the staged files")
        for line in os.fsdecode(listed).split("\0")[:-1]:
            head, _, path = line.partition("\t")
            mode, name, _ = head.split(" ")
            yield mode, name, path

    def history(self, *names: str) -> list[FileChange]:
        """The changes of the commits up to HEAD to files of these names, the newest first.

        A merge is compared with each of its parents.
        """
        only = ("--", *(f":(glob)**/{name}" for name in names))
        listed = ask_within(
            self.top, "rev-list", "--full-history", "HEAD", *only, most=_MOST_HISTORY
        )
        words = ("diff-tree", "--stdin", "--raw", "--no-abbrev", "--no-renames", "--root", "-r")
        told = ask_within(self.top, *words, "-m", "-z", *only, given=listed, most=_MOST_HISTORY)
        rows: list[tuple[str, str, str | None]] = []
        objects: set[str] = set()
        commit, parts = "", iter(os.fsdecode(told).split("\0")[:-1])
        for part in parts:
            if not part.startswith(":"):
                commit = part.split(" ")[0].strip()
                continue
            before, after = _sides(part)
            objects |= {name for name in (before, after) if name is not None}
            rows.append((commit, next(parts), after))
        sizes = self._sizes(sorted(objects))
        return [
            FileChange(commit, path, None if name is None else Blob(name, sizes[name]))
            for commit, path, name in rows
        ]

    def _sizes(self, objects: Sequence[str]) -> dict[str, int]:
        """The sizes of blobs; refuses a history with a missing blob."""
        lines = "".join(f"{name}\n" for name in objects).encode()
        words = ("cat-file", "--batch-check=%(objecttype) %(objectsize)")
        done = ask_git(self.top, *words, given=lines)
        answers = done.stdout.decode().split("\n")[:-1]
        is_whole = len(answers) == len(objects) and all(a.startswith("blob ") for a in answers)
        if done.returncode != 0 or not is_whole:
            raise NotHere(
                "this clone lacks some versions of the studies in its history",
                hint=_WHOLE,
            )
        sizes = (int(answer.split(" ")[1]) for answer in answers)
        return dict(zip(objects, sizes, strict=True))

    def blobs(self, places: Sequence[tuple[str, str]]) -> dict[tuple[str, str], Blob]:
        """The existing blobs by commit and path, relative to the top."""
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
                entry = self._entry(commit, path)
                if entry is not None and entry[0] == "blob":
                    found[commit, path] = Blob(entry[1], self._size(entry[1]))
        return found

    def blob(self, name: str) -> bytes:
        """The bytes of a blob by its name."""
        size = self._size(name)  # a small object can unpack to any size
        if size > MAX_FILE_BYTES:
            raise NotHere(f"{name} has {size:,} bytes, at most {MAX_FILE_BYTES:,} are read")
        data = output_of(self.top, "cat-file", "blob", name)
        if data is None:
            raise NotHere(f"git lacks the object {name[:12]}", hint=_WHOLE)
        return data

    def _size(self, name: str) -> int:
        output = output_of(self.top, "cat-file", "-s", name)
        if output is None:
            raise NotHere(f"git lacks the object {name[:12]}", hint=_WHOLE)
        return int(output)

    def export(self, place: Path, *, endings: tuple[str, ...] = ("",)) -> None:
        """Write out the exact bytes of the staged files; no filter of the repository is run."""
        for mode, blob, name in self._staged():
            path = place / name
            selected = mode != _MODULE and name.lower().endswith(endings) and _is_plain(name)
            if not selected or not path.resolve().is_relative_to(place):
                continue
            data = output_of(self.top, "cat-file", "blob", blob)
            if data is None:
                raise StorageError(f"git lacks the staged version of {name}")
            with storage(path):
                path.parent.mkdir(parents=True, exist_ok=True)
                if mode == _LINK:
                    path.symlink_to(os.fsdecode(data))
                else:
                    path.write_bytes(data)

    def path(self, name: str) -> str:
        """The name of a file of the folder in git."""
        return posixpath.normpath(_joined(self.prefix, name))

    def record(self, names: Sequence[str], message: str) -> str:
        """Commit these files and nothing else; the commit's name."""
        paths = [self.path(name) for name in names]
        before = self.head()
        tell_git(self.top, "add", "--", *paths)
        tell_git(self.top, "commit", "--quiet", "-m", message, "--only", "--", *paths)
        made = self.head()
        if made is None or made == before:
            raise StorageError("git did not make a commit")
        return made


def repository_of(folder: Path) -> Repository | None:
    """The repository that a folder lies in; None outside git.

    The work tree is the folder that holds `.git`, whatever its configuration says.
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


def is_checkout(place: Path) -> bool:
    """Whether a folder has its own repository; an empty `.git` does not count."""
    inner = place / ".git"
    try:
        named = read_bounded(inner, _LONGEST_LINK) if inner.is_file() else b""
        return (inner / "HEAD").is_file() or named.startswith(b"gitdir: ")
    except (OSError, SpecError, StorageError):
        return False


def _named_by(path: Path) -> Path:
    """The repository that `.git` is, or names; if that is not a repository, git may use another.

    It would look in the work tree's own folder, where an archive may have placed one.
    """
    with storage(path):
        if path.is_dir():
            return path.resolve()
        text = os.fsdecode(read_bounded(path, _LONGEST_LINK)).removesuffix("\n")
        return (path.parent / text.removeprefix("gitdir: ")).resolve()


def _check_own_objects(alternates: Path) -> None:
    """Refuse a repository that borrows objects: git cannot ignore them."""
    with storage(alternates):
        is_long = alternates.is_file() and alternates.stat().st_size > _LONGEST_LINK
        is_short = alternates.is_file() and not is_long
    if is_long or (is_short and read_bounded(alternates, _LONGEST_LINK).strip()):
        raise NotHere(
            f"the repository borrows objects from elsewhere ({alternates}), which a clone would"
            " lack",
            hint="Copy them (git repack -a -d), then remove that file.",
        )


def _sides(change: str) -> tuple[str | None, str | None]:
    """The objects before and after a change; None for a missing file and for a module."""
    first, second, before, after, _ = change.removeprefix(":").split(" ")
    return (
        None if first == _MODULE or set(before) == {"0"} else before,
        None if second == _MODULE or set(after) == {"0"} else after,
    )


def _is_plain(name: str) -> bool:
    """Whether a path of the index stays below the folder and outside a repository's own folder."""
    return stays_inside(name) and ".git" not in name.lower().split("/")


def _joined(place: str, name: str) -> str:
    return name if place == "." else f"{place}/{name}"
