"""A job that we speak to while it runs, under a warden of its own.

Where the kernel will not report its calls (another filter reports them already, or refuses), the
job runs all the same, and its outcome says that the record is incomplete.
"""

import json
import os
import subprocess
import time
from contextlib import suppress
from typing import Any

from assay.sandbox.job import Job, Outcome
from assay.sandbox.levels import Level
from assay.sandbox.process import interpreter, is_ready
from assay.sandbox.processes import module_command

_ENDED = b"end\n"
_UNKNOWN = Outcome(code=None, trouble="the process that watched it has ended", full=True)


class WatchedProcess:
    """A job that was started: as `Process`, and afterwards `outcome` tells what it reached.

    Its warden is its keeper, which ends all that it leaves; `unaccounted` says that it was killed.
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
        self._warden = subprocess.Popen(  # noqa: S603 - our own command
            module_command("assay.sandbox.warden", "", ""),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            pass_fds=(*job.descriptors, job.output),
            cwd="/",
            env={"PATH": os.environ.get("PATH", ""), "PYTHONDONTWRITEBYTECODE": "1"},
            start_new_session=True,
        )
        self._told = b""
        self._send(json.dumps(request).encode() + b"\n")

    def check_confined(self) -> None:
        """Nothing to wait for: a command that cannot be confined is not run."""

    def end(self) -> None:
        """Have the job ended, with all that it started, in any session."""
        if self.outcome is None:
            self._send(_ENDED)

    def reap(self, seconds: float | None = None) -> int:
        """Wait for the end: the exit code, or minus the number of the signal that ended it."""
        if self.outcome is None:
            self.outcome = self._outcome(seconds)
            assert self._warden.stdin is not None  # noqa: S101 - pipes, see above
            assert self._warden.stdout is not None  # noqa: S101
            with suppress(OSError):
                self._warden.stdin.close()
            self._warden.stdout.close()
            self._warden.wait()
        return 0 if self.outcome.code is None else self.outcome.code

    def _send(self, data: bytes) -> None:
        assert self._warden.stdin is not None  # noqa: S101 - a pipe, see above
        with suppress(OSError):  # it is gone, and its output says so
            self._warden.stdin.write(data)
            self._warden.stdin.flush()

    def _outcome(self, seconds: float | None) -> Outcome:
        """The second line of the warden's; the first is its greeting."""
        assert self._warden.stdout is not None  # noqa: S101 - a pipe, see above
        descriptor = self._warden.stdout.fileno()
        deadline = time.monotonic() + (float("inf") if seconds is None else seconds)
        while self._told.count(b"\n") < 2:
            left = deadline - time.monotonic()
            if left != float("inf") and not is_ready(descriptor, left):
                raise TimeoutError
            data = os.read(descriptor, 1 << 20)
            if not data:
                self.unaccounted = True
                return _UNKNOWN
            self._told += data
        return _read(json.loads(self._told.split(b"\n")[1]))


def _read(message: dict[str, Any]) -> Outcome:
    if "failed" in message:
        return Outcome(code=None, trouble=str(message["failed"]), full=True)
    lists = ("read", "made", "written", "run", "connected")
    return Outcome(
        code=message["code"],
        trouble=message["trouble"],
        full=bool(message["full"]),
        **{name: tuple(message[name]) for name in lists},
    )
