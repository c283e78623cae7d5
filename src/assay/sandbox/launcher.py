"""Confine a job's process, then run its command: `python -I -S -c BOOT HOME JSON`.

The outer process, which the starter knows, is the keeper of the job. Orphans of the job become the
keeper's children, in any session. On SIGTERM, or when its starter ends, it kills the command. Once
the command has ended it kills and reaps all remaining processes, and only then reports how the
command ended, on a descriptor that no command inherits. A killed keeper reports nothing.

Without network there is also a process namespace: when its first process ends, the kernel kills all
others in it.

The command has its own session and its limits. An error before it runs, or the inode of its network
namespace, is reported on another descriptor that it does not inherit.
"""

import json
import os
import signal
import sys
from contextlib import suppress
from typing import Any, NoReturn

from assay.sandbox.confine import is_cut_off, isolate, restrict
from assay.sandbox.processes import end_children
from assay.sandbox.syscalls import become_subreaper, die_with_parent

_TOLD = {signal.SIGTERM}


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
        if is_cut_off(ending):  # the starter ended before we could notice
            os._exit(1)
        network = os.stat("/proc/self/ns/net").st_ino  # noqa: PTH116 - no more imports than needed
        alive, held = os.pipe()
        signal.pthread_sigmask(signal.SIG_BLOCK, _TOLD)  # until both processes can handle it
        child = os.fork()
    except OSError as error:
        os.write(report, f"no: {error.strerror}".encode())
        os._exit(1)
    if child:
        signal.signal(signal.SIGTERM, lambda *_: _kill(child))
        signal.pthread_sigmask(signal.SIG_UNBLOCK, _TOLD)
        _keep(child, report, ending)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, _TOLD)
    os.close(held)
    os.close(ending)
    if not restrictions["network"]:
        die_with_parent()
        command = os.fork()
        if command:
            _forward(command, report)
    _become(job["command"], restrictions, report, network, alive)


def _become(
    command: list[str], restrictions: dict[str, Any], report: int, network: int, alive: int
) -> NoReturn:
    """In the last child: apply the restrictions, report, and run the command."""
    try:
        restrict(restrictions, parent=alive)
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
    """Wait for a command to end, kill its remaining processes, and report how it ended."""
    os.close(report)
    _await(child)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)  # while the pid is still the child's
    code = _reaped(child)
    end_children()
    os.write(ending, f"{code}\n".encode())
    os._exit(code if code >= 0 else 128 - code)


def _forward(child: int, report: int) -> NoReturn:
    """Reap until the child ends, and exit with its code; 128 more than a signal that ended it."""
    os.close(report)
    _await(child)
    code = _reaped(child)
    os._exit(code if code >= 0 else 128 - code)


def _await(child: int) -> None:
    """Reap other children until this child has ended; it is not reaped, so its pid stays valid."""
    while True:
        ended = os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOWAIT)
        assert ended is not None  # noqa: S101 - None only without waiting
        if ended.si_pid == child:
            return
        os.waitpid(ended.si_pid, 0)


def _reaped(child: int) -> int:
    """The exit code of a child, or minus the signal that ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _kill(child: int) -> None:
    with suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
