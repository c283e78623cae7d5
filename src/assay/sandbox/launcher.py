"""Confine a job's process, then run its command: `python -I -S -c BOOT HOME JSON`.

Three processes stand in a row:

1. the outer one, which the starter knows. On SIGTERM it kills the second; it ends after the second,
   and then nothing of a job without a network is left.
2. the first of the job's process namespace. When it ends, the kernel kills all others in it,
   in any session.
3. the command, in a session of its own, under its limits, able to signal only what it started.

An error before the command runs, or the inode of its network namespace, is reported on a descriptor
that the command does not inherit.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any

from assay.sandbox.confine import isolate, restrict
from assay.sandbox.syscalls import die_with_parent


def main() -> None:
    """Run the job that the last argument describes."""
    job: dict[str, Any] = json.loads(sys.argv[-1])
    report: int = job["report"]
    os.set_inheritable(report, False)
    try:
        isolate(job["restrictions"])
        network = os.stat("/proc/self/ns/net").st_ino  # noqa: PTH116 - no more imports than needed
        first = os.fork()
    except OSError as error:
        os.write(report, f"no: {error.strerror}".encode())
        os._exit(1)
    if first:
        signal.signal(signal.SIGTERM, lambda *_: os.kill(first, signal.SIGKILL))
        _forward(first, report)
    die_with_parent()
    second = os.fork()
    if second:
        _forward(second, report)
    command: list[str] = job["command"]
    try:
        restrict(job["restrictions"])
        os.write(report, f"{network}".encode())
        os.execvp(command[0], command)  # noqa: S606 - the command as it was given, and no shell
    except OSError as error:
        os.write(report, f" no: {error.strerror}".encode())
        os._exit(1)


def _forward(child: int, report: int) -> None:
    """Reap until the child ends, and exit with its code; 128 more than a signal that ended it."""
    os.close(report)
    while True:
        with suppress(InterruptedError):
            pid, status = os.wait()
            if pid == child:
                code = os.waitstatus_to_exitcode(status)
                os._exit(code if code >= 0 else 128 - code)
