"""File locks: held by every process that has the descriptor, freed when all of them end."""

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from assay.errors import AssayError, ProtocolError, StorageError, storage

LONGEST_WAIT = 30.0
"""Seconds to wait for a lock: any process that can read the file may hold one."""
_FLAGS = os.O_CLOEXEC | os.O_NOFOLLOW
_FIRST_PAUSE, _LONGEST_PAUSE = 0.001, 0.02
_MOST_NAMED = 3


def acquire(
    path: Path, *, create: bool = True, shared: bool = False, wait: bool = False
) -> int | None:
    """Lock a file and return its descriptor; None if it is locked and `wait` is off.

    Waiting ends after a time with a StorageError that names the holder.

    A holder may delete or replace the file. A lock on a file without its name protects nothing, so
    it is dropped; when waiting, the new file of that name is locked instead.
    """
    access = os.O_RDWR | os.O_CREAT if create else os.O_RDONLY
    operation = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    while True:
        handle = os.open(path, access | _FLAGS, 0o666)
        held = False
        try:
            if wait:
                lock_in_time(handle, path, shared=shared)
            else:
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
    """Hold the lock of a file; if it is taken, raise `busy`, or wait if `busy` is None.

    Yields the descriptor, so that another process may inherit the lock.
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


def lock_in_time(handle: int, path: Path, *, shared: bool = False) -> None:
    """Lock an open file; after too long a wait, a StorageError names the holder."""
    operation = (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB
    end, pause = None, _FIRST_PAUSE
    while True:
        try:
            return fcntl.flock(handle, operation)
        except BlockingIOError:
            end = end or time.monotonic() + LONGEST_WAIT
            if time.monotonic() > end:
                raise _held(path, os.fstat(handle).st_ino) from None
        time.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


@contextmanager
def shared_in_time(path: Path) -> Iterator[None]:
    """Hold a shared lock on the file that has this name, together with other readers."""
    named = False
    while not named:
        with storage(path):
            handle = os.open(path, os.O_RDONLY | _FLAGS)
        try:
            lock_in_time(handle, path, shared=True)
            named = _is_named(handle, path)
            if named:
                yield
        finally:
            os.close(handle)


def _held(path: Path, inode: int) -> StorageError:
    holders = _holders(inode)
    names = " and ".join(holders[:_MOST_NAMED]) or "another process"
    return StorageError(
        f"{path}: still locked by another process after {LONGEST_WAIT:g} s",
        hint=f"It may be held by {names}: another command, or a running method. End that process.",
    )


def _holders(inode: int) -> list[str]:
    """The processes that hold a lock on a file, if the system reports them (Linux)."""
    try:
        lines = Path("/proc/locks").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return []
    fields = [line.split() for line in lines]
    return list(
        dict.fromkeys(
            f"process {each[4]}"
            for each in fields
            if len(each) > 5 and each[1] == "FLOCK" and each[5].endswith(f":{inode}")
        )
    )


@contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keep other processes from writing runs into the same folder."""
    busy = ProtocolError(
        f"{folder}: another process is making runs there", hint="Wait for it to end, or stop it."
    )
    with locked(folder / ".lock", busy=busy):
        yield


def _is_named(handle: int, path: Path) -> bool:
    """Whether a path still names the open file."""
    try:
        named = path.lstat()
    except FileNotFoundError:
        return False
    return os.path.samestat(named, os.fstat(handle))
