"""The warden's other end: hands it commands, one at a time, and hears what came of each."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Self

from assay.errors import SpecError, StorageError, storage
from assay.sandbox.levels import Level, confined
from assay.sandbox.strays import end_strays
from assay.sandbox.syscall_filter import known_machine

_HOME = Path(__file__).resolve().parents[2]
_BOOT = "import sys; sys.path.append(sys.argv[1]); from assay.sandbox.warden import main; main()"
_MOST_LOG = 1 << 28
_LAST_WORDS = 500
_STORAGE = frozenset({5, 11, 12, 23, 24, 28, 122})
"""What the system says when it is short of something, whatever the command is."""


@dataclass(frozen=True, kw_only=True)
class Job:
    """A command and where it runs: `covers` are pairs of a folder and the path it shows at."""

    words: Sequence[str]
    folder: Path
    environment: Mapping[str, str]
    log: Path
    seconds: float
    writable: Sequence[Path] = ()
    covers: Sequence[tuple[Path, Path]] = ()


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How a command ended, and the files that it opened to read and to write, ran, connected to.

    `trouble` is why it does not count as done. `full` says that not everything could be noted.
    """

    code: int | None
    trouble: str | None
    read: tuple[str, ...]
    written: tuple[str, ...]
    run: tuple[str, ...]
    connected: tuple[str, ...]
    full: bool


def can_observe() -> bool:
    """Whether this system can tell what a command opens: Linux, on a machine that we know."""
    return known_machine() and hasattr(os, "pidfd_open")


class Keeper:
    """A warden to ask; started when made, and heard when first asked."""

    def __init__(self, scratch: Path, *, in_place: Path | None = None, lock: int = -1) -> None:
        if not can_observe():
            raise SpecError(
                "this system cannot tell which files a command opens, so nothing can be shown of"
                " its state",
                hint="Run it on Linux (x86-64 or ARM, version 5.5 or later).",
            )
        root = "" if in_place is None else str(in_place)
        command = [sys.executable, "-I", "-S", "-c", _BOOT, str(_HOME), str(scratch), root]
        with storage("the process that watches over the runs"):
            self._process = subprocess.Popen(  # noqa: S603 - our own words
                confined(Level.L1, command),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                pass_fds=() if lock < 0 else (lock,),
                cwd="/",
                env={"PATH": os.environ.get("PATH", ""), "PYTHONDONTWRITEBYTECODE": "1"},
                start_new_session=True,
            )
        self._scratch = scratch
        self._turn = Lock()
        self._can_be_private: bool | None = None
        self._wanted = True

    @property
    def private(self) -> bool:
        """Whether commands get a view of their own: where one can be had, and is wanted."""
        if self._can_be_private is None:
            try:
                self._can_be_private = bool(self._hear()["private"])
            except BaseException:
                self.close()
                raise
        return self._can_be_private and self._wanted

    @private.setter
    def private(self, wanted: bool) -> None:
        self._wanted = wanted

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def stop(self) -> None:
        """Have the warden end whatever runs; `close` waits for it."""
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        with suppress(OSError):
            self._process.stdin.close()

    def close(self) -> None:
        """Have the warden end whatever runs, and wait until all of it has ended.

        Being interrupted does not end the waiting: a command that still runs would be left with
        whatever is in the place of its state afterwards.
        """
        assert self._process.stdout is not None  # noqa: S101 - a pipe, see above
        interrupted = None
        while self._process.returncode is None:
            try:
                self.stop()
                self._process.wait()
            except KeyboardInterrupt as interrupt:
                interrupted = interrupt
        self._process.stdout.close()
        if self._process.returncode != 0:
            end_strays(self._scratch)
        if interrupted is not None:
            raise interrupted

    def run(self, job: Job) -> Outcome:
        """Run a command to its end; when this raises, the command has ended all the same."""
        try:
            with self._turn:
                return self._run(job)
        except BaseException:
            self.close()
            raise

    def _run(self, job: Job) -> Outcome:
        with storage(job.log):
            job.log.touch()
        program = _program(job.words[0], job.folder, job.environment)
        if program is None:
            return _never(f"{job.words[0]}: there is no such program")
        told = {
            "words": [program, *job.words[1:]],
            "folder": str(job.folder),
            "environment": dict(job.environment),
            "log": str(job.log),
            "seconds": job.seconds,
            "log_bytes": _MOST_LOG,
            "private": self.private,
            "writable": [str(one) for one in job.writable],
            "covers": [[str(one), str(other)] for one, other in job.covers],
        }
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        try:
            self._process.stdin.write(json.dumps(told).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError):  # it is gone, or was told to end
            raise _gone() from None
        heard = self._hear()
        if "failed" in heard:
            number, _, said = str(heard["failed"]).partition(" ")
            if number.isdigit() and int(number) in _STORAGE:
                raise StorageError(f"{job.words[0]} cannot be started: {said}")
            return _never(f"{job.words[0]}: {said or 'it could not be started'}")
        return _outcome(heard, job.log)

    def _hear(self) -> dict[str, Any]:
        assert self._process.stdout is not None  # noqa: S101 - a pipe, see above
        line = self._process.stdout.readline()
        if not line.endswith(b"\n"):
            raise _gone()
        heard: dict[str, Any] = json.loads(line)
        return heard


def _gone() -> StorageError:
    return StorageError(
        "the process that watches over the runs has ended",
        hint="What was made is kept: type the same command to go on.",
    )


def _program(word: str, folder: Path, environment: Mapping[str, str]) -> str | None:
    """Where a program is; `python` is the one that runs this."""
    if word in ("python", "python3"):
        return sys.executable
    if "/" in word:
        return str(folder / word) if (folder / word).is_file() else None
    return shutil.which(word, path=environment.get("PATH"))


def _never(said: str) -> Outcome:
    return Outcome(code=None, trouble=said, read=(), written=(), run=(), connected=(), full=False)


def _outcome(heard: Mapping[str, Any], log: Path) -> Outcome:
    code, trouble = heard["code"], heard["trouble"]
    if trouble is None and code:
        how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
        trouble = f"{how}{_last_words(log)}"
    return Outcome(
        code=code,
        trouble=trouble,
        read=tuple(heard["read"]),
        written=tuple(heard["written"]),
        run=tuple(heard["run"]),
        connected=tuple(heard["connected"]),
        full=bool(heard["full"]),
    )


def _last_words(log: Path) -> str:
    with suppress(OSError), log.open("rb") as file:
        file.seek(max(log.stat().st_size - _LAST_WORDS, 0))
        last = file.read().decode("utf-8", "replace").strip().splitlines()[-1:]
        return f": {last[0]}" if last else ""
    return ""
