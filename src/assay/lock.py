"""Locks on files, held by every process that has the descriptor and freed when all have ended."""

import fcntl
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, ProtocolError, storage

_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW


def acquire(
    path: Path, *, create: bool = True, shared: bool = False, wait: bool = False
) -> int | None:
    """Lock a file and give its descriptor; None if another holder has it and we do not wait.

    A holder may unlink or replace the file. A lock on a file that lost its name protects nothing,
    so it is dropped: where we wait, the file of that name is locked instead.
    """
    access = os.O_RDWR | os.O_CREAT if create else os.O_RDONLY
    operation = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | (0 if wait else fcntl.LOCK_NB)
    while True:
        handle = os.open(path, access | _FLAGS, 0o666)
        held = False
        try:
            fcntl.flock(handle, operation)
            held = _is_named(handle, path)
        except BlockingIOError:
            pass
        finally:
            if not held:
                os.close(handle)
        if held or not wait:
            return handle if held else None


@contextmanager
def locked(
    path: Path, *, busy: AssayError | None, create: bool = True, shared: bool = False
) -> Iterator[int]:
    """Hold the lock of a file; if it is taken, raise `busy`, or wait where that is None.

    Gives the descriptor, so that another process may inherit the lock.
    """
    with storage(path):
        handle = acquire(path, create=create, shared=shared, wait=busy is None)
    if handle is None:
        assert busy is not None  # noqa: S101 - a lock that is waited for is never refused
        raise busy
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other processes from filling the same folder."""
    busy = ProtocolError(f"{folder}: runs are being made there just now")
    with locked(folder / ".lock", busy=busy):
        yield


def _is_named(handle: int, path: Path) -> bool:
    """Whether a path still names the open file."""
    try:
        named = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(named, os.fstat(handle))
