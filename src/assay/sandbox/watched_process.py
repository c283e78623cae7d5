"""A job that exchanges messages with us while it runs, under its own warden.

If the kernel cannot report its calls (another filter already does, or refuses), the job still runs,
and its outcome says that the record is incomplete.
"""

import json
import signal
import socket
import subprocess
import time
from contextlib import suppress

from assay.sandbox.job import Job, Outcome
from assay.sandbox.levels import Level
from assay.sandbox.observation.own_memory import show_memory
from assay.sandbox.process import interpreter, is_ready
from assay.sandbox.processes import end_group
from assay.sandbox.warden_client import start_warden

_ENDED = b"end\n"
_END_SECONDS = 10.0
_LONGEST = 1 << 29
"""The most bytes of an outcome; a warden keeps fewer paths than that."""
_UNKNOWN = Outcome(code=None, trouble="the process that watched it has ended", full=True)


class WatchedProcess:
    """A started job: like `Process`, with an `outcome` at the end that lists what it reached.

    Its warden is its keeper and ends all its processes. `unaccounted` means that the warden was
    killed or did not answer, so that processes of the job may still run.
    """

    def __init__(self, job: Job) -> None:
        if job.level is not Level.L1 or not isinstance(job.output, int) or not job.descriptors:
            raise TypeError("a watched process has a level, an output and descriptors")
        self.outcome: Outcome | None = None
        self.unaccounted = False
        program, *words = job.command
        request = {
            "command": [interpreter(program), *words],
            "environment": dict(job.environment),
            "output": job.output,
            "descriptors": list(job.descriptors),
            "unwatched": True,
            "seconds": job.seconds,
            "log_bytes": job.log_bytes,
            "restrictions": job.restrictions(),
        }
        self._warden, self._socket = start_warden(
            "", "", descriptors=(*job.descriptors, job.output)
        )
        self._parts: list[bytes] = []
        self._lines = self._size = 0
        self._send(json.dumps(request).encode() + b"\n")

    def check_confined(self) -> None:
        """Return at once: a command that cannot be confined is not run."""

    def end(self) -> None:
        """End the job with all its processes, in any session.

        The job can signal its warden. A stopped one is resumed; one that does not end is killed.
        """
        if self.outcome is None:
            self._send(_ENDED)
            self._warden.send_signal(signal.SIGCONT)
            with suppress(TimeoutError):
                self.reap(_END_SECONDS)
                return
            self._give_up()

    def reap(self, seconds: float | None = None) -> int | None:
        """Wait for the end: the exit code, or minus the number of the signal that ended it.

        None if there is none; `outcome.trouble` says why.
        """
        if self.outcome is None:
            outcome = self._outcome(seconds)
            if outcome is None:
                self._give_up()
            else:
                self._close(outcome)
        return None if self.outcome is None else self.outcome.code

    def _give_up(self) -> None:
        """Kill the warden: which processes it ended, and what it saw, is then unknown."""
        self.unaccounted = True
        end_group(self._warden.pid)
        self._close(_UNKNOWN)

    def _close(self, outcome: Outcome) -> None:
        """Wait for the warden to end, after its last message."""
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_WR)
        try:
            more = self._read(time.monotonic() + _END_SECONDS)
            self._warden.wait(_END_SECONDS)
        except (TimeoutError, subprocess.TimeoutExpired):
            more = b""
            self.unaccounted = True
            end_group(self._warden.pid)
            self._warden.wait()
        self._socket.close()
        show_memory()
        if more:
            self.unaccounted = True
        self.outcome = _UNKNOWN if more else outcome

    def _send(self, data: bytes) -> None:
        with suppress(OSError):  # it has ended, which its output shows
            self._socket.sendall(data)

    def _outcome(self, seconds: float | None) -> Outcome | None:
        """The warden's second and last line, the outcome; None if it is missing or invalid."""
        deadline = time.monotonic() + (float("inf") if seconds is None else seconds)
        while self._lines < 2:
            data = self._read(deadline)
            self._size += len(data)
            if not data or self._size > _LONGEST:
                return None
            self._parts.append(data)
            self._lines += data.count(b"\n")
        _, line, more = b"".join(self._parts).split(b"\n", 2)
        return None if more else _parsed(line)

    def _read(self, deadline: float) -> bytes:
        """The next bytes from the warden; empty if it has ended."""
        left = deadline - time.monotonic()
        if left != float("inf") and not is_ready(self._socket.fileno(), left):
            raise TimeoutError
        try:
            return self._socket.recv(1 << 20)
        except ConnectionError:
            return b""


def _parsed(line: bytes) -> Outcome | None:
    """The outcome in a line; None if the line is not a warden's."""
    try:
        message = json.loads(line)
        if "failed" in message:
            why = str(message["failed"]).partition(" ")[2]
            trouble = f"it could not be started: {why}" if why else "it could not be started"
            return Outcome(code=None, trouble=trouble, full=True)
        lists = ("read", "made", "written", "run", "connected", "metadata")
        return Outcome(
            code=message["code"],
            trouble=message["trouble"],
            full=bool(message["full"]),
            **{name: tuple(message[name]) for name in lists},
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
