"""Confine a job's process, then run its command: `python -I -S -c BOOT HOME JSON`.

The outer process, which the starter knows, is the keeper of the job. Orphans of the job become its
children, in whatever session they are. On SIGTERM, or when its starter ends, it kills the command;
once the command has ended it kills and reaps all that is left, and only then tells how the command
ended, on a descriptor that no command inherits. A keeper that was killed tells nothing.

Without a network a process namespace stands between, and its first process: when that ends, the
kernel kills all others in the namespace.

The command is in a session of its own, under its limits. An error before it runs, or the inode of
its network namespace, is reported on another descriptor that it does not inherit.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

from assay.sandbox.confine import isolate, restrict
from assay.sandbox.processes import end_children
from assay.sandbox.syscalls import become_subreaper, die_with_parent


def main() -> None:
    """Run the job that the last argument describes."""
    job: dict[str, Any] = json.loads(sys.argv[-1])
    report: int = job["report"]
    ending: int = job["ending"]
    for descriptor in (report, ending):
        os.set_inheritable(descriptor, False)
    restrictions = job["restrictions"]
    try:
        become_subreaper()
        isolate(restrictions)
        die_with_parent(signal.SIGTERM)
        network = os.stat("/proc/self/ns/net").st_ino  # noqa: PTH116 - no more imports than needed
        child = os.fork()
    except OSError as error:
        os.write(report, f"no: {error.strerror}".encode())
        os._exit(1)
    if child:
        signal.signal(signal.SIGTERM, lambda *_: _kill(child))
        _keep(child, report, ending)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    os.close(ending)
    if not restrictions["network"]:
        die_with_parent()
        command = os.fork()
        if command:
            _forward(command, report)
    _become(job["command"], restrictions, report, network)


def _become(
    command: list[str], restrictions: dict[str, Any], report: int, network: int
) -> NoReturn:
    """In the last child: restrict it, say so, and run the command."""
    try:
        restrict(restrictions)
        os.write(report, f"{network}".encode())
    except (OSError, ValueError) as error:
        os.write(report, f"no: {error}".encode())
        os._exit(1)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the command as it was given, and no shell
    except OSError as error:
        os.write(report, f" {error.errno} {error.strerror}".encode())
    os._exit(1)


def _keep(child: int, report: int, ending: int) -> NoReturn:
    """Wait for the end of a command, end all that it left, and tell how it ended."""
    os.close(report)
    code = _reaped(child)
    end_children()
    os.write(ending, f"{code}\n".encode())
    os._exit(code if code >= 0 else 128 - code)


def _forward(child: int, report: int) -> NoReturn:
    """Reap until the child ends, and exit with its code; 128 more than a signal that ended it."""
    os.close(report)
    code = _reaped(child)
    os._exit(code if code >= 0 else 128 - code)


def _reaped(child: int) -> int:
    """Reap children until one ends: its exit code, or minus the signal that ended it."""
    while True:
        with suppress(InterruptedError):
            pid, status = os.wait()
            if pid == child:
                return os.waitstatus_to_exitcode(status)


def _kill(child: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
