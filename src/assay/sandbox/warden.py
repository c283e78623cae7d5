"""The warden: a process that starts watched commands one at a time, watches them, and ends them.

`main` reads one JSON object a line (a `Job`) from its input and writes one (an `Outcome`) to its
output. A line that arrives while a command runs ends the command. If the input ends meanwhile, the
client is gone: the warden ends the command, restores production, and deletes the folder of the
jobs. It imports little, to start quickly, and has one thread, to be able to fork.
"""

import json
import os
import select
import signal
import socket
import sys
import time
from _thread import allocate_lock, start_new_thread
from contextlib import suppress
from typing import Any

from assay.sandbox.confine import can_enter_view, drop_capabilities, isolate, restrict
from assay.sandbox.observation.notifications import Noted, Notices
from assay.sandbox.observation.syscall_filter import install_filter
from assay.sandbox.processes import end_children, end_group, overrun
from assay.sandbox.syscalls import become_subreaper, hide_from_users

_GLANCE = 0.2
_UNWATCHED = "unwatched"


class Warden:
    """Starts, watches and ends commands."""

    def __init__(self) -> None:
        become_subreaper()  # so that a command's orphans become our children
        hide_from_users()  # a command could otherwise erase the record in our memory
        self.private = can_enter_view()
        self.requests = b""

    def serve(self) -> None:
        """Run jobs and report their outcomes, until the input ends."""
        self.send({"private": self.private})
        while (line := self.next_line()) is not None:
            outcome = self.run(json.loads(line))
            if outcome is None:
                break
            self.send(outcome)

    def next_line(self) -> bytes | None:
        """The next request; None at the end of the input."""
        while b"\n" not in self.requests:
            data = os.read(0, 1 << 16)
            if not data:
                return None
            self.requests += data
        line, _, self.requests = self.requests.partition(b"\n")
        return line

    def send(self, message: dict[str, Any]) -> None:
        """Send the client a message."""
        data = json.dumps(message).encode() + b"\n"
        while data:
            data = data[os.write(1, data) :]

    def run(self, job: dict[str, Any]) -> dict[str, Any] | None:
        """Run one command to its end; None if the client is gone."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        log = job["output"]
        if isinstance(log, str):
            log = os.open(log, os.O_WRONLY | os.O_APPEND | os.O_CLOEXEC | os.O_NOFOLLOW)
        child = os.fork()
        if child == 0:
            ours.close()
            _become(job, theirs, log)
        theirs.close()
        for descriptor in job["descriptors"]:  # the command has its own copies
            os.close(descriptor)
        with ours:
            error, listener = _receive(ours)
            if listener is None and error != _UNWATCHED:
                os.waitpid(child, 0)
                os.close(log)
                return {"failed": error}
            watched = None if listener is None else Notices(listener)
            try:
                if job["descriptors"]:  # a reader of the command sees the end of its output, too
                    os.close(log)
                    log = None
                trouble, wanted = self.watch(child, watched, job, log)
            finally:
                self.end_all(child)
                if watched is not None:
                    watched.close()
                if log is not None:
                    os.close(log)
            error = ours.recv(4096).decode("utf-8", "replace")
        if error and wanted:
            return {"failed": error}
        noted = Noted(full=True) if watched is None else watched.noted
        return _outcome(self.status, trouble, noted) if wanted else None

    def watch(
        self, child: int, watched: Notices | None, job: dict[str, Any], log: int | None
    ) -> tuple[str | None, bool]:
        """Answer notifications until the end: why it was killed, and whether the client waits."""
        handle = os.pidfd_open(child)
        poller = select.poll()
        for descriptor in (handle, 0) if watched is None else (watched.listener, handle, 0):
            poller.register(descriptor, select.POLLIN)
        deadline = time.monotonic() + job["seconds"]
        glance = 0.0
        try:
            while True:
                events = dict(poller.poll(_GLANCE * 1000.0))
                if handle in events:  # first, so that remaining processes cannot keep us busy
                    return None, True
                if 0 in events:
                    return None, self._input_goes_on()
                if watched is not None and events.get(watched.listener, 0) & select.POLLIN:
                    watched.answer()
                if time.monotonic() < glance:
                    continue
                glance = time.monotonic() + _GLANCE
                trouble = overrun(deadline, job["seconds"], log, job["log_bytes"])
                if trouble is not None:
                    return trouble, True
        finally:
            os.close(handle)

    def _input_goes_on(self) -> bool:
        """Whether the client is there; during a command it sends only the order to end it."""
        return bool(os.read(0, 1 << 16))

    def end_all(self, child: int) -> None:
        """End a command and all its processes, in any session."""
        self.status = 0
        end_group(child)
        with suppress(OSError):
            os.kill(child, signal.SIGKILL)
        self.status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        end_children()


class _Courier:
    """A thread that hands the listener to the warden.

    It starts before the filter, which therefore does not apply to it, and ends when the command
    starts. So the filter needs no exception, which would last as long as the command.
    """

    def __init__(self, socket_end: socket.socket) -> None:
        self._socket = socket_end
        self._listener = -1
        self._error: OSError | None = None
        self._wanted, self._done = allocate_lock(), allocate_lock()
        self._wanted.acquire()
        self._done.acquire()
        start_new_thread(self._run, ())

    def deliver(self, listener: int) -> None:
        """Send the listener, and wait until it is sent."""
        self._listener = listener
        self._wanted.release()
        self._done.acquire()
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        self._wanted.acquire()
        try:
            socket.send_fds(self._socket, [b"!"], [self._listener])
        except OSError as error:
            self._error = error
        finally:
            self._done.release()


def _become(job: dict[str, Any], socket_end: socket.socket, log: int) -> None:
    """In the child: confine it, install the filter, and run the command."""
    try:
        empty = os.open(os.devnull, os.O_RDONLY)
        os.dup2(empty, 0)
        os.dup2(log, 1)
        os.dup2(log, 2)
        for descriptor in job["descriptors"]:
            os.set_inheritable(descriptor, True)
        hide_from_users(on=False)  # otherwise a warden that is not root could not read its calls
        isolate(job["restrictions"])
        drop_capabilities()
        courier = _Courier(socket_end)
        restrict(job["restrictions"], parent=socket_end.fileno())
        try:
            listener = install_filter()
        except OSError:
            if not job["unwatched"]:
                raise
            os.write(socket_end.fileno(), _UNWATCHED.encode())
        else:
            courier.deliver(listener)
            os.close(listener)
        program, *_ = command = job["command"]
        os.execve(program, command, job["environment"])  # noqa: S606 - no shell
    except OSError as error:
        with suppress(OSError):
            os.write(socket_end.fileno(), f"{error.errno} {error.strerror or error}".encode())
    finally:
        os._exit(126)


def _receive(ours: socket.socket) -> tuple[str, int | None]:
    """What the child sends before it runs the command: a descriptor, or an error."""
    data, descriptors, _, _ = socket.recv_fds(ours, 4096, 1)
    if descriptors:
        os.set_inheritable(descriptors[0], False)
        return "", descriptors[0]
    return data.decode("utf-8", "replace"), None


def _outcome(status: int, trouble: str | None, noted: Noted) -> dict[str, Any]:
    return {
        "code": None if trouble is not None else status,
        "trouble": trouble,
        "read": sorted(noted.read),
        "made": sorted(noted.made),
        "written": sorted(noted.written),
        "run": sorted(noted.run),
        "connected": sorted(noted.connected),
        "metadata": sorted(noted.metadata),
        "full": noted.full,
    }


def main() -> None:
    """Serve on standard input and output.

    The last arguments are the folder to delete at the end and, if runs replace production, its
    path.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # an interrupted client ends us itself
    folder, root = sys.argv[-2:]
    for name in os.listdir("/proc/self/fd"):  # noqa: PTH208 - no command inherits the lock
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
            if folder:
                _throw_away(folder)


def _put_back(root: str) -> None:
    from pathlib import Path

    from assay.errors import AssayError
    from assay.sandbox.in_place import put_back

    with suppress(AssayError):  # the journal stays, and the next run reports it
        put_back(Path(root))


def _throw_away(folder: str) -> None:
    from pathlib import Path  # imported late, for a quick start

    from assay.folders import remove

    remove(Path(folder))
