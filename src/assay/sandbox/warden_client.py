"""The client of the warden: sends it jobs, one at a time, and receives their outcomes.

A canary, a program that writes outside its folder on purpose, shows that the warden notices.
"""

import errno
import json
import os
import shutil
import signal
import socket
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from threading import Lock
from typing import Any, Self

from assay.errors import SpecError, StorageError, storage
from assay.sandbox.job import Job, Outcome, View
from assay.sandbox.observation.own_memory import hide_memory, show_memory
from assay.sandbox.observation.syscall_filter import known_machine
from assay.sandbox.process import exit_trouble, interpreter, is_ready
from assay.sandbox.processes import end_strays, is_stopped, module_command

_SHORTAGES = frozenset(
    {
        *(errno.EIO, errno.EAGAIN, errno.ENOMEM, errno.ENFILE, errno.EMFILE),
        *(errno.ENOSPC, errno.EDQUOT),
    }
)
"""Errors of a system short of resources; they say nothing about the command."""
_CANARY = """
import os, sys
try:
    handle = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT)
    os.write(handle, b"out")
except OSError:
    pass
"""
_CANARY_SECONDS = 60.0
_WAKE_SECONDS = 5.0
"""Seconds between two attempts to resume a silent warden: a command can stop it."""
_MOST_STOPS = 4
"""A warden that is stopped more often than this is killed, with all that it started."""


def can_observe() -> bool:
    """Whether this system can report what a command opens: Linux on a known machine."""
    return known_machine() and hasattr(os, "pidfd_open")


def start_warden(
    *arguments: str, descriptors: Sequence[int] = ()
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start a warden, and return it with the socket to talk to it.

    Not a pipe: through `/proc` a job could open the warden's end of it and write its own outcome.
    Our memory is protected until `show_memory` is called, once for each warden.
    """
    ours, theirs = socket.socketpair()
    hide_memory()
    try:
        with theirs:
            process = subprocess.Popen(  # noqa: S603 - our own command
                module_command("assay.sandbox.warden", *arguments),
                stdin=theirs.fileno(),
                stdout=theirs.fileno(),
                stderr=subprocess.DEVNULL,
                pass_fds=descriptors,
                cwd="/",
                env={"PATH": os.environ.get("PATH", ""), "PYTHONDONTWRITEBYTECODE": "1"},
                start_new_session=True,
            )
    except BaseException:
        ours.close()
        show_memory()
        raise
    return process, ours


class WardenClient:
    """A warden: started on creation, waited for on first use."""

    def __init__(self, scratch: Path, *, in_place: Path | None = None, lock: int = -1) -> None:
        if not can_observe():
            raise SpecError(
                "this system cannot report which files a command opens, so the state cannot be"
                " checked",
                hint="Run it on Linux 5.5 or later (x86-64 or ARM).",
            )
        root = "" if in_place is None else str(in_place)
        with storage("the process that watches the runs"):
            held = () if lock < 0 else (lock,)
            self._process, self._socket = start_warden(str(scratch), root, descriptors=held)
        self._answers = self._socket.makefile("rb")
        self._scratch = scratch
        self._turn = Lock()
        self._can_be_private: bool | None = None
        self._wanted = True
        self._stops = 0
        self._hides = True

    @property
    def private(self) -> bool:
        """Whether jobs get the private view they ask for: if it is wanted and available."""
        if self._can_be_private is None:
            try:
                self._can_be_private = bool(self._receive()["private"])
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
        """Tell the warden to end the running command; `close` waits for it."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        """Tell the warden to end the running command, and wait until all its processes have ended.

        An interrupt does not end the wait: a command that still runs would work on the state that
        is restored afterwards.
        """
        interrupted = None
        while self._process.returncode is None:
            try:
                self.stop()
                self._process.wait(_WAKE_SECONDS)
            except subprocess.TimeoutExpired:
                self._wake()
            except KeyboardInterrupt as interrupt:
                interrupted = interrupt
        self._answers.close()
        self._socket.close()
        if self._hides:
            self._hides = False
            show_memory()
        if self._process.returncode != 0:
            end_strays(self._scratch)
        if interrupted is not None:
            raise interrupted

    def run(self, job: Job) -> Outcome:
        """Run a job to its end; the command has ended even if this raises."""
        if not isinstance(job.output, Path) or job.folder is None:
            raise TypeError("the warden has no descriptor and no working directory of ours")
        if not job.network or job.identity is not None or job.descriptors:
            raise TypeError("the warden's jobs have our network, our user and no descriptors")
        try:
            with self._turn:
                return self._run(job, job.folder, job.output)
        except BaseException:
            self.close()
            raise

    def _run(self, job: Job, folder: Path, log: Path) -> Outcome:
        with storage(log):
            log.touch()
        program = _program(job.command[0], folder, job.environment)
        if program is None:
            return Outcome(code=None, trouble=f"{job.command[0]}: there is no such program")
        if not self.private:
            job = replace(job, view=None)
        request = {
            "command": [program, *job.command[1:]],
            "environment": dict(job.environment),
            "output": str(log),
            "descriptors": [],
            "unwatched": False,
            "seconds": job.seconds,
            "log_bytes": job.log_bytes,
            "restrictions": job.restrictions(),
        }
        try:
            self._socket.sendall(json.dumps(request).encode() + b"\n")
        except OSError:  # it has ended, or was told to
            raise _gone() from None
        return _outcome(self._receive(), job.command[0], log)

    def _wake(self) -> None:
        """Resume a warden that a command has stopped; after too many times, kill it."""
        self._stops += is_stopped(self._process.pid)
        often = self._stops > _MOST_STOPS
        self._process.send_signal(signal.SIGKILL if often else signal.SIGCONT)

    def _receive(self) -> dict[str, Any]:
        while not is_ready(self._socket.fileno(), _WAKE_SECONDS):
            self._wake()
        line = self._answers.readline()
        if not line.endswith(b"\n"):
            raise _gone()
        message: dict[str, Any] = json.loads(line)
        return message


def _gone() -> StorageError:
    return StorageError(
        "the process that watches the runs has ended",
        hint="Finished runs are kept. Repeat the command to continue.",
    )


def _program(word: str, folder: Path, environment: Mapping[str, str]) -> str | None:
    """The path of a program; None if it is not found."""
    program = interpreter(word)
    if "/" in program:
        return str(folder / program) if (folder / program).is_file() else None
    return shutil.which(program, path=environment.get("PATH"))


def _outcome(message: Mapping[str, Any], program: str, log: Path) -> Outcome:
    if "failed" in message:
        number, _, text = str(message["failed"]).partition(" ")
        if number.isdigit() and int(number) in _SHORTAGES:
            raise StorageError(f"{program} cannot be started: {text}")
        return Outcome(code=None, trouble=f"{program}: {text or 'it could not be started'}")
    code, trouble = message["code"], message["trouble"]
    if trouble is None:
        trouble = exit_trouble(code, log)
    return Outcome(
        code=code,
        trouble=trouble,
        read=tuple(message["read"]),
        made=tuple(message["made"]),
        written=tuple(message["written"]),
        run=tuple(message["run"]),
        connected=tuple(message["connected"]),
        metadata=tuple(message["metadata"]),
        full=bool(message["full"]),
    )


def send_canary(warden: WardenClient, scratch: Path) -> tuple[bool, str]:
    """Whether a write outside was seen and, with private views, prevented; and a sentence on it."""
    root, outside = scratch / "canary", scratch / "outside"
    with storage(scratch):
        root.mkdir()
        outside.mkdir()
    target = outside / "file"
    job = Job(
        command=["python", "-I", "-S", "-c", _CANARY, str(target)],
        folder=root,
        environment={},
        output=root / "log.txt",
        seconds=_CANARY_SECONDS,
        view=View(writable=(root,)),
    )
    seen = str(target) in warden.run(job).written
    held = not target.exists()
    if not seen:
        return False, "a program that wrote outside its folder was not seen"
    if warden.private and not held:
        return False, "a program that wrote outside its folder was seen, and not held back"
    return True, f"a program that wrote outside its folder was seen{' and held back' * held}"
