"""The warden: a process that starts commands one at a time, watches them, and ends them.

`main` reads one JSON object a line (a `Job`) from its input and writes one (an `Outcome`) to its
output. When its input ends while a command runs, whoever asked is gone: the command is ended, what
was to be undone is undone, and the folder in which all ran is thrown away. It imports little, so
that it is there at once, and has one thread, so that it may fork.
"""

import ctypes
import json
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from typing import Any

from assay.sandbox.namespace import can_enter, enter
from assay.sandbox.notifications import Noted, Notices
from assay.sandbox.syscall_filter import die_with_parent, install_filter

_REAPS = 36
_GLANCE = 0.2


class Warden:
    """Starts, watches and ends; `private` says whether commands get a view of their own."""

    def __init__(self) -> None:
        self.library = ctypes.CDLL(None, use_errno=True)
        self.library.prctl(_REAPS, 1, 0, 0, 0)  # what a command leaves behind becomes ours to end
        self.private = can_enter()
        self.requests = b""

    def serve(self) -> None:
        """One job, one outcome, until the input ends."""
        self.say({"private": self.private})
        while (line := self.next_line()) is not None:
            job = json.loads(line)
            outcome = self.run(job)
            if outcome is None:
                break
            self.say(outcome)

    def next_line(self) -> bytes | None:
        """The next request; None where there will be none."""
        while b"\n" not in self.requests:
            more = os.read(0, 1 << 16)
            if not more:
                return None
            self.requests += more
        line, _, self.requests = self.requests.partition(b"\n")
        return line

    def say(self, told: dict[str, Any]) -> None:
        """Tell whoever asked."""
        data = json.dumps(told).encode() + b"\n"
        while data:
            data = data[os.write(1, data) :]

    def run(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """One command to its end; None where nobody waits for it any more."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        log = os.open(job["log"], os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        child = os.fork()
        if child == 0:
            ours.close()
            self.become(job, theirs, log)
        theirs.close()
        with ours:
            said, listener = _hear(ours)
            if listener is None:
                os.waitpid(child, 0)
                os.close(log)
                return {"failed": said}
            watched = Notices(listener)
            try:
                trouble, wanted = self.watch(child, watched, job, log)
            finally:
                self.end_all(child)
                watched.close()
                os.close(log)
            said = ours.recv(4096).decode("utf-8", "replace")
        if said and wanted:
            return {"failed": said}
        return _outcome(self.status, trouble, watched.noted) if wanted else None

    def become(self, job: dict[str, Any], told: socket.socket, log: int) -> None:
        """In the child: a view of its own, a filter, and then the command."""
        try:
            os.setsid()
            die_with_parent(self.library)
            empty = os.open(os.devnull, os.O_RDONLY)
            os.dup2(empty, 0)
            os.dup2(log, 1)
            os.dup2(log, 2)
            if job["private"]:
                places = {"writable": job["writable"], "covers": job["covers"]}
                enter(self.library, **places, folder=job["folder"])
            os.chdir(job["folder"])
            listener = install_filter(self.library)
            socket.send_fds(told, [b"!"], [listener])
            os.close(listener)
            program, *_ = words = job["words"]
            os.execve(program, words, job["environment"])  # noqa: S606 - no shell
        except OSError as error:
            with suppress(OSError):
                os.write(told.fileno(), f"{error.errno} {error.strerror or error}".encode())
        finally:
            os._exit(126)

    def watch(
        self, child: int, watched: Notices, job: dict[str, Any], log: int
    ) -> tuple[str | None, bool]:
        """Answer notices until the command ends; why it had to be ended, and if anyone waits."""
        handle = os.pidfd_open(child)
        poller = select.poll()
        for descriptor in (watched.listener, handle, 0):
            poller.register(descriptor, select.POLLIN)
        deadline = time.monotonic() + job["seconds"]
        glance = 0.0
        try:
            while True:
                found = dict(poller.poll(_GLANCE * 1000.0))
                if handle in found:  # first, lest what it left running keep us busy
                    return None, True
                if 0 in found and not self._more():
                    return None, False
                if found.get(watched.listener, 0) & select.POLLIN:
                    watched.answer()
                now = time.monotonic()
                if now < glance:
                    continue
                glance = now + _GLANCE
                if now > deadline:
                    return f"still running after {job['seconds']:g} s", True
                if os.fstat(log).st_size > job["log_bytes"]:
                    return f"it printed more than {job['log_bytes']:,} bytes", True
        finally:
            os.close(handle)

    def _more(self) -> bool:
        """Whether the input goes on; nothing is expected on it while a command runs."""
        more = os.read(0, 1 << 16)
        self.requests += more
        return bool(more)

    def end_all(self, child: int) -> None:
        """End a command and everything that it left running, wherever it went."""
        self.status = 0
        with suppress(OSError):
            os.killpg(child, signal.SIGKILL)
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)
        wait = 0
        while True:
            try:
                ended, status = os.waitpid(-1, wait)
            except ChildProcessError:
                return
            if ended == child:
                self.status = os.waitstatus_to_exitcode(status)
            if ended:  # there may be more that have ended
                wait = os.WNOHANG
                continue
            for stray in _children():
                with suppress(OSError):
                    os.kill(stray, signal.SIGKILL)
            wait = 0


def _children() -> list[int]:
    """Who is ours to end, by what the kernel lists or, where it does not, by looking at all."""
    with suppress(OSError), open(f"/proc/self/task/{os.getpid()}/children", "rb") as file:  # noqa: PTH123
        return [int(word) for word in file.read().split()]
    found = []
    for name in os.listdir("/proc"):  # noqa: PTH208 - in a process of little
        with suppress(OSError, ValueError), open(f"/proc/{int(name)}/stat", "rb") as file:  # noqa: PTH123
            parent = file.read().rpartition(b")")[2].split()[1]
            if int(parent) == os.getpid():
                found.append(int(name))
    return found


def _hear(ours: socket.socket) -> tuple[str, int | None]:
    """What the child says before it becomes the command: a descriptor, or why it cannot."""
    said, descriptors, _, _ = socket.recv_fds(ours, 4096, 1)
    if descriptors:
        os.set_inheritable(descriptors[0], False)
        return "", descriptors[0]
    return said.decode("utf-8", "replace"), None


def _outcome(status: int, trouble: str | None, noted: Noted) -> dict[str, Any]:
    return {
        "code": None if trouble is not None else status,
        "trouble": trouble,
        "read": sorted(noted.read),
        "written": sorted(noted.written),
        "run": sorted(noted.run),
        "connected": sorted(noted.connected),
        "full": noted.full,
    }


def main() -> None:
    """Serve on standard input and output.

    `argv` ends with the folder to throw away at the end and, where a run takes the place of
    production, with where that is.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asked ends us when it is interrupted
    folder, root = sys.argv[-2:]
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - the lock is ours, and no command's
        if int(name) > 2:  # standard input, output and errors
            with suppress(OSError):
                os.set_inheritable(int(name), False)
    try:
        with suppress(BrokenPipeError, ConnectionError):
            Warden().serve()
    finally:
        if root:
            _put_back(root)
        with suppress(OSError):
            _throw_away(folder)


def _put_back(root: str) -> None:
    from pathlib import Path

    from assay.errors import AssayError
    from assay.sandbox.in_place import put_back

    with suppress(AssayError):  # the journal stays, and whoever comes next is told
        put_back(Path(root))


def _throw_away(folder: str) -> None:
    from pathlib import Path  # at the end, so that the beginning is quick

    from assay.folders import remove

    remove(Path(folder))
