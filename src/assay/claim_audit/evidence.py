"""The evidence for claims: files, tables and git, each read once and within limits."""

import fnmatch
import os
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import Any, Self, TypeVar

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.confined import ConfinedProcesses
from assay.digests import parse_json
from assay.errors import AssayError
from assay.files import read_bounded, stays_inside
from assay.study.git_command import ask_git

T = TypeVar("T")
_MOST_FILES = 200_000
_LONGEST_PATTERN = 500


class NotThere(Exception):
    """Something that a claim names does not exist, so the claim is false."""

    def __init__(self, what: str) -> None:
        super().__init__(what)
        self.what = what


class EvidenceReader:
    """The files below one folder, and its repository. Nothing is written or fetched.

    Confined processes do everything that imports or runs code, or that a hostile file could slow
    down without limit. They end with the reader.
    """

    def __init__(self, root: Path) -> None:
        self.root = root.resolve()
        self._confined = ConfinedProcesses(self.root)
        self._kept: dict[tuple[object, ...], Any] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self._confined.__exit__(*exception)

    def once(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """Cache the result of a request, including a refusal."""
        if key not in self._kept:
            try:
                self._kept[key] = make()
            except (NotThere, Unverifiable) as refusal:
                self._kept[key] = refusal
        kept = self._kept[key]
        if isinstance(kept, (NotThere, Unverifiable)):
            raise kept
        made: T = kept
        return made

    def path(self, name: str) -> Path:
        """A path below the root; a path that leads outside is refused."""
        if not isinstance(name, str) or not name or not stays_inside(name.removeprefix("./")):
            raise Unverifiable(f"{name!r:.80} is not a path below {self.root.name}")
        path = self.root / name
        if not path.resolve().is_relative_to(self.root):
            raise Unverifiable(f"{name} leads out of {self.root.name} by a symbolic link")
        return path

    def data(self, name: str) -> bytes:
        """The bytes of a file."""

        def read() -> bytes:
            path = self.path(name)
            if not path.exists():
                raise NotThere(f"there is no {name}")
            try:
                return read_bounded(path, MAX_FILE_BYTES)
            except AssayError as error:
                raise Unverifiable(error.message) from None

        return self.once(("data", name), read)

    def text(self, name: str) -> str:
        """The text of a file."""

        def decode() -> str:
            try:
                return self.data(name).decode("utf-8-sig")
            except UnicodeDecodeError as error:
                raise Unverifiable(f"{name}: byte {error.start} is not UTF-8") from None

        return self.once(("text", name), decode)

    def json(self, name: str) -> Any:  # noqa: ANN401 - JSON is any of six types
        """The value of a JSON file."""

        def parse() -> Any:  # noqa: ANN401 - JSON is any of six types
            try:
                return parse_json(self.text(name), where=name)
            except AssayError as error:
                raise Unverifiable(error.message) from None

        return self.once(("json", name), parse)

    def matches(self, name: str, pattern: str) -> list[tuple[str, int]]:
        """What a regular expression captures in a file, each with its line."""
        return self.once(
            ("matches", name, pattern), lambda: self.matches_in(self.text(name), pattern)
        )

    def matches_in(self, text: str, pattern: str) -> list[tuple[str, int]]:
        """What a regular expression captures in a text, each with its line."""
        if len(pattern) > _LONGEST_PATTERN:
            raise Unverifiable(f"a pattern of more than {_LONGEST_PATTERN} characters")
        found = self._confined.ask("texts", pattern=pattern, text=text)["matches"]
        return [(captured, line) for captured, line in found]

    def pdf(self, name: str) -> dict[str, Any]:
        """The number of pages of a PDF, the titles of its outline, and the text of each page."""

        def read() -> dict[str, Any]:
            self.data(name)  # says so where there is none
            found: dict[str, Any] = self._confined.ask("texts", pdf=str(self.path(name)))
            return found

        return self.once(("pdf", name), read)

    def attribute(self, module: str, attr: str) -> Any:  # noqa: ANN401 - any value of JSON
        """The value of an attribute of a module, imported in a confined process."""

        def look() -> Any:  # noqa: ANN401 - any value of JSON
            answer = self._confined.ask("code", module=module, attr=attr)
            if "missing" in answer:
                raise NotThere(answer["missing"])
            return answer["value"]

        return self.once(("attribute", module, attr), look)

    def output(self, *command: str) -> str:
        """What a command prints, confined and without a network."""
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
        """The files that the repository tracks or does not ignore; without one, all files."""
        try:
            listed = self.git("ls-files", "-z", "-c", "-o", "--exclude-standard", "--", ".")
        except Unverifiable:
            listed = None
        if listed is None:
            return self.files
        inner = self.root.relative_to(self.top).as_posix()
        start = "" if inner == "." else f"{inner}/"
        names = {os.fsdecode(name) for name in listed.split(b"\0") if name}
        return [name for name in self.files if f"{start}{name}" in names]

    def matching(self, pattern: str) -> list[str]:
        """The files that match a pattern: * within a folder, ** across folders."""
        parts = pattern.split("/")
        return [name for name in self.files if _matches(name.split("/"), parts)]

    def git(self, *words: str) -> bytes | None:
        """The output of git; None if it fails."""

        def ask() -> bytes | None:
            try:
                done = ask_git(self.top, *words)
            except AssayError as error:
                raise Unverifiable(error.message) from None
            return done.stdout if done.returncode == 0 else None

        return self.once(("git", *words), ask)

    @cached_property
    def top(self) -> Path:
        """The top of the repository that the root lies in."""
        for folder in (self.root, *self.root.parents):
            if (folder / ".git").exists():
                return folder
        raise Unverifiable(f"{self.root.name} is in no git repository")


def _matches(parts: list[str], pattern: list[str]) -> bool:
    """Whether the parts of a path match the parts of a pattern."""
    if not pattern:
        return not parts
    if pattern[0] == "**":
        return any(_matches(parts[skip:], pattern[1:]) for skip in range(len(parts) + 1))
    return bool(parts) and fnmatch.fnmatchcase(parts[0], pattern[0]) and _matches(
        parts[1:], pattern[1:]
    )  # fmt: skip
