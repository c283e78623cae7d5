"""Ending what a warden that was killed has left running: it could not do so itself.

A run's environment names the folder that it was given, under a name that nothing else has. What is
left cannot open any file, since nobody answers for it, but would stay for good.
"""

import os
import select
import signal
from contextlib import suppress
from pathlib import Path

_ROUNDS = 50
_MILLISECONDS = 5000.0


def end_strays(scratch: Path) -> None:
    """End every process whose environment names a folder below `scratch`."""
    mark = os.fsencode(scratch) + b"/"
    for _ in range(_ROUNDS):
        found = [pid for pid in _processes() if _has(pid, mark)]
        if not found:
            return
        for pid in found:
            with suppress(OSError):
                _end(pid, mark)


def _processes() -> list[int]:
    names = os.listdir("/proc")  # noqa: PTH208 - names are all we want
    return [int(name) for name in names if name.isdigit() and int(name) != os.getpid()]


def _has(pid: int, mark: bytes) -> bool:
    with suppress(OSError):
        return mark in Path(f"/proc/{pid}/environ").read_bytes()
    return False


def _end(pid: int, mark: bytes) -> None:
    """End a process; a number may have passed to another meanwhile, so it is looked at again."""
    handle = os.pidfd_open(pid)
    try:
        if _has(pid, mark):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            ended = select.poll()
            ended.register(handle, select.POLLIN)
            ended.poll(_MILLISECONDS)
    finally:
        os.close(handle)
