"""What claims are checked against: files, tables and git, each read once and within bounds."""

import fnmatch
import os
import stat
import sys
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import cached_property
from itertools import takewhile
from pathlib import Path
from typing import Any, Self, TypeVar

from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.confined import Attribute, ConfinedProcesses, Pdf
from assay.claim_audit.confined_main import is_of_root
from assay.digests import parse_json
from assay.errors import AssayError
from assay.files import read_bounded, stays_inside
from assay.study.git_command import StandingGit, ask_git, ask_within

T = TypeVar("T")
MOST_TEXT_BYTES = 64 << 20
MOST_TABLE_BYTES = 256 << 20
MEMORY_OF_A_BYTE = 10
"""Bytes of memory that a byte of JSON or of a table takes when it is read, about."""
_BUDGET = 1 << 30
"""Bytes of memory for all that is kept; the least recently used is dropped first."""
_MOST_FILES = 200_000
_MOST_GIT_BYTES = 64 << 20
_LONGEST_PATTERN = 500
_PART = 1 << 20


class NotThere(Exception):
    """Something that a claim names is not there, which makes the claim false."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class EvidenceReader:
    """The files below one folder, and its repository. Nothing is written, nothing is fetched.

    What must be imported or run, and what a hostile file could keep busy for ever, is looked at by
    confined processes, which end with it. Commands run only with `allow_commands`.
    """

    def __init__(self, root: Path, *, allow_commands: bool = False) -> None:
        self.root = root.resolve()
        self.allow_commands = allow_commands
        self._confined = ConfinedProcesses(self.root)
        self._kept: OrderedDict[tuple[object, ...], tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._gits: dict[tuple[str, ...], StandingGit] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._confined.__exit__(*exception)
        for git in self._gits.values():
            git.close()
        self._gits.clear()

    def once(self, key: tuple[object, ...], make: Callable[[], T], *, size: int = 0) -> T:
        """The same answer to the same question, made once; a refusal is kept too.

        `size` is the memory that it takes, about: what is kept stays within a budget.
        """
        if key in self._kept:
            self._kept.move_to_end(key)
            kept = self._kept[key][0]
        else:
            try:
                kept = make()
            except (NotThere, Unverifiable) as refusal:
                kept, size = refusal, 0
            self._keep(key, kept, size or sys.getsizeof(kept))
        if isinstance(kept, (NotThere, Unverifiable)):
            raise kept
        made: T = kept
        return made

    def _keep(self, key: tuple[object, ...], made: object, size: int) -> None:
        if size > _BUDGET:
            return
        self._kept[key] = made, size
        self._size += size
        while self._size > _BUDGET:
            self._size -= self._kept.popitem(last=False)[1][1]

    def path(self, name: str) -> Path:
        """A path below the root; one that leads out of it cannot be checked."""
        if not isinstance(name, str) or not name:
            raise Unverifiable(f"{name!r:.80} is no path below {self.root.name}")
        return self.once(("path", name), lambda: self._path(name))

    def _path(self, name: str) -> Path:
        if not stays_inside(name.removeprefix("./")):
            raise Unverifiable(f"{name!r:.80} is no path below {self.root.name}")
        path = self.root / name
        try:
            folder = self._resolved(path.parent)
            resolved = path.resolve() if path.is_symlink() or path.name == ".." else folder
        except (OSError, RuntimeError, ValueError) as error:  # too long, a loop of links, no text
            why = error.strerror if isinstance(error, OSError) else error
            raise Unverifiable(f"{name!r:.80} cannot be looked at: {why}"[:300]) from None
        if not resolved.is_relative_to(self.root):
            raise Unverifiable(f"{name} leads out of {self.root.name} by a symbolic link")
        return path

    def _resolved(self, folder: Path) -> Path:
        """A folder without symbolic links; many files lie in one."""
        return self.once(("folder", folder), folder.resolve)

    def file(self, name: str, most: int = MOST_TEXT_BYTES) -> Path:
        """The path of a file that is there, and of at most so many bytes."""
        path, size = self._file(name)
        if size > most:
            raise Unverifiable(f"{name}: more than {most:,} bytes, which are not read")
        return path

    def _file(self, name: str) -> tuple[Path, int]:
        def look() -> tuple[Path, int]:
            path = self.path(name)
            try:
                found = path.stat()
            except FileNotFoundError:
                raise NotThere(f"there is no {name}") from None
            except OSError as error:
                raise Unverifiable(f"{name}: {error.strerror}") from None
            if not stat.S_ISREG(found.st_mode):
                raise Unverifiable(f"{name}: not a regular file")
            return path, found.st_size

        return self.once(("file", name), look)

    def size(self, name: str) -> int:
        """The bytes of a file; 0 where it cannot be told."""
        try:
            return self._file(name)[1]
        except (NotThere, Unverifiable):
            return 0

    def data(self, name: str) -> bytes:
        """The bytes of a file, which are not kept."""
        path = self.file(name)
        try:
            return read_bounded(path, MOST_TEXT_BYTES)
        except AssayError as error:
            raise Unverifiable(error.message) from None

    def same_bytes(self, first: str, second: str) -> bool:
        """Whether two files have the same bytes, compared part by part."""
        paths = [self.file(name, sys.maxsize) for name in (first, second)]
        try:
            with paths[0].open("rb") as one, paths[1].open("rb") as other:
                while True:
                    parts = one.read(_PART), other.read(_PART)
                    if parts[0] != parts[1] or not parts[0]:
                        return parts[0] == parts[1]
        except OSError as error:
            raise Unverifiable(f"{first}, {second}: {error.strerror}") from None

    def text(self, name: str) -> str:
        """The text of a file."""
        return self.once(("text", name), lambda: self._decoded(name))

    def _decoded(self, name: str) -> str:
        try:
            return self.data(name).decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise Unverifiable(f"{name}: byte {error.start} is not UTF-8") from None

    def json(self, name: str) -> Any:  # noqa: ANN401 - JSON is any of six types
        """The value of a JSON file."""

        def parse() -> Any:  # noqa: ANN401 - JSON is any of six types
            try:
                return parse_json(self._decoded(name), where=name)
            except AssayError as error:
                raise Unverifiable(error.message) from None

        return self.once(("json", name), parse, size=MEMORY_OF_A_BYTE * self.size(name))

    def matches(self, name: str, pattern: str) -> list[tuple[str, int]]:
        """What a regular expression captures in a file, each with its line."""
        return self.once(
            ("matches", name, pattern), lambda: self.matches_in(self.text(name), pattern)
        )

    def matches_in(self, text: str, pattern: str) -> list[tuple[str, int]]:
        """What a regular expression captures in a text, each with its line."""
        if len(pattern) > _LONGEST_PATTERN:
            raise Unverifiable(f"a pattern of more than {_LONGEST_PATTERN} characters")
        return self._confined.matches(pattern, text).found

    def pdf(self, name: str) -> Pdf:
        """The number of pages of a PDF, the titles of its outline, and the text of each page."""
        return self.once(
            ("pdf", name),
            lambda: self._confined.pdf(self.file(name)),
            size=self.size(name),
        )

    def attribute(self, module: str, attr: str) -> Attribute:
        """An attribute of a module of the root, imported in a confined process."""

        def look() -> Attribute:
            found = self._confined.attribute(module, attr)
            if not is_of_root(found.file, str(self.root)):
                raise Unverifiable(f"{module} is no module of the root: it is {found.file!r:.200}")
            if not found.present:
                raise NotThere(f"{module} has no {attr}")
            return found

        return self.once(("attribute", module, attr), look)

    def output(self, *command: str) -> str:
        """What a command prints, confined and without a network."""
        if not self.allow_commands:
            raise Unverifiable(
                f"{command[0]!r:.60} is not run: a claim runs a command only where that is"
                " allowed (`allow_commands=True`)"
            )
        return self.once(("output", *command), lambda: self._confined.output_of(list(command)))

    @cached_property
    def files(self) -> list[str]:
        """Every file below the root but git's own, by its path from there."""
        found: list[str] = []
        for folder, folders, names in os.walk(self.root):
            folders[:] = sorted(name for name in folders if name != ".git")
            inner = os.path.relpath(folder, self.root)
            found += [name if inner == "." else f"{inner}/{name}" for name in sorted(names)]
            if len(found) > _MOST_FILES:
                raise Unverifiable(f"more than {_MOST_FILES:,} files below {self.root.name}")
        return found

    @cached_property
    def known_files(self) -> list[str]:
        """The files that the repository has or would take; all of them outside of one."""
        try:
            listed = self.git("ls-files", "-z", "-c", "-o", "--exclude-standard", "--", ".")
        except Unverifiable:
            return self.files
        names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
        return [name for name in self.files if f"{self.inner}{name}" in names]

    def matching(self, pattern: str) -> list[str]:
        """The files that a pattern names: * within a folder, ** through folders.

        A folder that it names without a * must be there.
        """
        pattern = pattern.removeprefix("./")
        if len(pattern) > _LONGEST_PATTERN or not stays_inside(pattern):
            raise Unverifiable(f"{pattern!r:.80} is no pattern of files below {self.root.name}")
        parts = pattern.split("/")
        folder = "/".join(takewhile(lambda part: not set(part) & set("*?["), parts[:-1]))
        if folder and not self.path(folder).is_dir():
            raise NotThere(f"there is no folder {folder}")
        return [name for name in self.files if matches_glob(name.split("/"), parts)]

    def git(self, *words: str) -> bytes:
        """What git answers, within bounds; Unverifiable where it fails."""

        def ask() -> bytes:
            try:
                return ask_within(self.top, *words, most=_MOST_GIT_BYTES)
            except AssayError as error:
                raise Unverifiable(error.message) from None

        return self.once(("git", *words), ask)

    def commit(self, name: str) -> str | None:
        """The id of the commit that a name stands for; None if there is none."""

        def ask() -> str | None:
            if "\n" in name or "\0" in name:
                return None
            words = ("cat-file", "--batch-check=%(objectname) %(objecttype)")
            question = f"{name}^{{commit}}\n".encode()
            answer = self._standing(words, question, b"\n").split()
            return answer[0].decode("ascii", "replace") if answer[1:] == [b"commit"] else None

        return self.once(("commit", name), ask)

    def changes(self, commit: str) -> bytes:
        """What a commit changes against its first parent: git's list of files, then each change."""
        plain = ("--no-ext-diff", "--no-textconv", "--no-color", "--no-renames")
        words = ("diff-tree", "--stdin", "-r", "--root", "--diff-merges=first-parent", *plain)
        end = f"{os.urandom(16).hex()}\n".encode()  # a line that names no commit is answered by it
        question = f"{commit}\n".encode() + end
        return self._standing((*words, "--raw", "-z", "-p"), question, end)

    def _standing(self, words: tuple[str, ...], question: bytes, end: bytes) -> bytes:
        """The answer of a git that stays."""
        try:
            if words not in self._gits:
                self._gits[words] = StandingGit(self.top, *words)
            return self._gits[words].ask(question, end=end, most=_MOST_GIT_BYTES)
        except AssayError as error:
            if words in self._gits:
                self._gits.pop(words).close()
            raise Unverifiable(error.message) from None

    def git_line(self, *words: str) -> str | None:
        """The one line that git answers; None where it says no."""

        def ask() -> str | None:
            try:
                done = ask_git(self.top, *words)
            except AssayError as error:
                raise Unverifiable(error.message) from None
            return os.fsdecode(done.stdout.strip()) if done.returncode == 0 else None

        return self.once(("line", *words), ask)

    @cached_property
    def shallow(self) -> frozenset[str]:
        """The commits whose parents were not fetched; none in a whole clone."""
        name = self.git_line("rev-parse", "--git-path", "shallow")
        path = self.top / (name or ".git/shallow")
        try:
            text = read_bounded(path, MOST_TEXT_BYTES) if path.is_file() else b""
        except AssayError as error:
            raise Unverifiable(error.message) from None
        return frozenset(text.decode("ascii", "replace").split())

    @cached_property
    def top(self) -> Path:
        """The top of the repository that the root lies in."""
        for folder in (self.root, *self.root.parents):
            if (folder / ".git").exists():
                return folder
        raise Unverifiable(f"{self.root.name} is in no git repository")

    @property
    def inner(self) -> str:
        """The root's path from the top of its repository: empty, or with a slash at its end."""
        inner = self.root.relative_to(self.top).as_posix()
        return "" if inner == "." else f"{inner}/"


def matches_glob(parts: Sequence[str], pattern: Sequence[str]) -> bool:
    """Whether the parts of a path fit the parts of a pattern.

    `fits[n]` says whether the first n parts fit the pattern so far: one pass for each of its parts,
    however many ** it has.
    """
    fits = [True, *(False for _ in parts)]
    for one in pattern:
        if one == "**":
            first = fits.index(True) if True in fits else len(fits)
            fits = [n >= first for n in range(len(fits))]
        else:
            steps = enumerate(parts)
            fits = [False, *(fits[n] and fnmatch.fnmatchcase(part, one) for n, part in steps)]
        if not any(fits):
            return False
    return fits[-1]
