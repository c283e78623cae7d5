"""The description of a run of untrusted code, and how it ended."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.sandbox.levels import Level


@dataclass(frozen=True, kw_only=True)
class View:
    """A private view of the files: all read-only, except what is named here.

    `covers` are pairs: a writable folder, and the path at which it appears.
    """

    writable: Sequence[Path] = ()
    covers: Sequence[tuple[Path, Path]] = ()


@dataclass(frozen=True, kw_only=True)
class Identity:
    """The user that a job runs as; `reads_all` lets it read every file, as root may."""

    uid: int
    reads_all: bool = False


@dataclass(frozen=True, kw_only=True)
class ResourceLimits:
    """Resource limits of each process of a job; None is no limit of ours."""

    memory: int | None = None
    cpu_seconds: int | None = None
    processes: int | None = None
    file_bytes: int | None = None
    open_files: int | None = None


@dataclass(frozen=True, kw_only=True)
class Job:
    """A command, what it is given, and what it is held to.

    `folder` is the working directory, None for ours. `output` takes what it prints: a descriptor, a
    file, or None for nothing. `descriptors` are passed on. `home` is a folder that no other job's
    environment names: processes that still name it after the end are killed. `seconds` and
    `log_bytes` bound a job that is run to its end. Without `network` it also has no processes and
    no shared memory in common with us. `identity` None is our user, `view` None our view.
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
        """Whether its process must be confined before the command runs."""
        return not self.network or any((self.identity, self.limits, self.view))

    def restrictions(self) -> dict[str, object]:
        """What `confine` holds its process to, as JSON."""
        identity, limits, view = self.identity, self.limits, self.view
        return {
            "folder": None if self.folder is None else str(self.folder),
            "network": self.network,
            "identity": None if identity is None else [identity.uid, identity.reads_all],
            "limits": None if limits is None else vars(limits),
            "view": None
            if view is None
            else {
                "writable": [str(path) for path in view.writable],
                "covers": [[str(folder), str(path)] for folder, path in view.covers],
            },
        }


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a job ended, and what a watched one read, wrote, ran and connected to.

    `trouble` is why it does not count as done. `full` says that the record is incomplete.
    """

    code: int | None
    trouble: str | None
    read: tuple[str, ...] = ()
    written: tuple[str, ...] = ()
    run: tuple[str, ...] = ()
    connected: tuple[str, ...] = ()
    full: bool = False
