"""The description of a run of untrusted code, and how it ended.

A command is a list of words, never a shell line; it may have placeholders such as `{seed}`.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.errors import SpecError
from assay.sandbox.levels import Level

_PLACE = re.compile(r"\{(\w*)\}")


@dataclass(frozen=True, kw_only=True)
class View:
    """A private view of the files: read-only, except for the folders named here.

    `covers` are pairs: a writable folder, and the path at which it appears. With a `root`, an empty
    folder of the job, only the files of `only` and the writable folders are visible.
    """

    writable: Sequence[Path] = ()
    covers: Sequence[tuple[Path, Path]] = ()
    only: Sequence[Path] = ()
    root: Path | None = None


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The user that a job runs as."""

    uid: int


@dataclass(frozen=True, kw_only=True)
class ResourceLimits:
    """Resource limits of each process of a job; None sets no limit.

    `memory` limits the address space, of which some programs reserve far more than they use; `data`
    limits private writable memory.
    """

    memory: int | None = None
    data: int | None = None
    cpu_seconds: int | None = None
    processes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None


@dataclass(frozen=True, kw_only=True)
class Job:
    """A command, its inputs, and its restrictions.

    `folder` is the working directory, None for ours. `output` receives what it prints: a
    descriptor, a file, or None to discard it. `descriptors` are passed on. `home` is a folder in
    the environment of this job only: processes that still name it after the end are killed.
    `seconds` and `log_bytes` limit a job that is run to its end. Without `network` it also shares
    no processes and no memory with us. `identity` None is our user, `view` None our view.
    """

    command: Sequence[str]
    environment: Mapping[str, str]
    folder: Path | None = None
    output: int | Path | None = None
    descriptors: Sequence[int] = ()
    home: Path | None = None
    seconds: float = float("inf")
    log_bytes: int = 1 << 28
    network: bool = True
    identity: Identity | None = None
    limits: ResourceLimits | None = None
    view: View | None = None
    level: Level = Level.L1

    @property
    def restricted(self) -> bool:
        """Whether the process must be confined before the command runs."""
        return not self.network or any((self.identity, self.limits, self.view))

    def restrictions(self) -> dict[str, object]:
        """The restrictions that `confine` applies, as JSON."""
        identity, limits, view = self.identity, self.limits, self.view
        return {
            "folder": None if self.folder is None else str(self.folder),
            "network": self.network,
            "identity": None if identity is None else identity.uid,
            "limits": None if limits is None else vars(limits),
            "view": None
            if view is None
            else {
                "writable": [str(path) for path in view.writable],
                "covers": [[str(folder), str(path)] for folder, path in view.covers],
                "only": [str(path) for path in view.only],
                "root": None if view.root is None else str(view.root),
            },
        }


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a job ended, and what a watched job read, created, wrote, ran and connected to.

    `metadata` are links whose targets, and files whose extended attributes, it read. `trouble` says
    why the job failed, if it did. `full` means that the record is incomplete.
    """

    code: int | None
    trouble: str | None
    read: tuple[str, ...] = ()
    made: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    connected: tuple[str, ...] = ()
    metadata: tuple[str, ...] = ()
    full: bool = False


def check_places(words: Sequence[str], where: str, *, allowed: Sequence[str]) -> None:
    """Refuse a word with an unknown placeholder."""
    for word in words:
        for name in _PLACE.findall(word):
            if name not in allowed:
                known = ", ".join(f"{{{name}}}" for name in allowed)
                raise SpecError(f"{where}: unknown {{{name}}}, expected one of {known}")


def has_place(words: Sequence[str], name: str) -> bool:
    """Whether a command has this placeholder."""
    return any(name in _PLACE.findall(word) for word in words)


def fill_in(words: Sequence[str], values: Mapping[str, str]) -> list[str]:
    """A command with its placeholders filled in."""
    return [_PLACE.sub(lambda match: values.get(match[1], match[0]), word) for word in words]
