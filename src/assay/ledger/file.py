"""A ledger on disk: each append is locked, follows the last complete line and is synced.

An append returns only when its line is on the disk. If it is interrupted (a full disk, a kill, a
power cut), at most the beginning of a line follows the last newline; that is not an entry, and the
next append removes it. Bytes before the last newline are never written again.
"""

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Self

from assay.bounds import MAX_FILE_BYTES, MAX_LINE_BYTES
from assay.errors import BrokenChain, SpecError, StorageError, storage
from assay.files import read_parts, sync
from assay.ledger.chain import MAX_ENTRIES, Chain, read_chain
from assay.ledger.entry import Entry, encode_line
from assay.lock import lock_in_time, shared_in_time

_ALONE = fcntl.LOCK_EX | fcntl.LOCK_NB
_SYNC = getattr(os, "fdatasync", os.fsync)  # not on every system


def create_ledger(path: Path) -> None:
    """Create an empty ledger and make it durable, together with its name."""
    with storage(path):
        path.touch(exist_ok=False)
        sync(path)
        sync(path.parent)


def read_ledger(path: Path) -> Chain:
    """Every entry of a ledger, every link checked; takes no lock."""
    with storage(path):
        if path.is_symlink() or not path.is_file():
            raise SpecError(f"{path}: not a regular file")
        with path.open("rb") as file:
            _check_end(file.fileno(), str(path))
            data = b"".join(read_parts(file, MAX_FILE_BYTES))
    return read_chain(data, where=str(path))


@contextmanager
def reading(path: Path) -> Iterator[Chain]:
    """Every entry of a ledger, read while no other process appends."""
    with shared_in_time(path):
        yield read_ledger(path)


class LedgerFile:
    """A ledger opened for appending; for one thread at a time.

    Within `with ledger:` no other process appends, and `entries` has been read and checked.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._name = str(path)
        self._handle: int | None = None
        self._node: tuple[int, int] | None = None
        self._process = os.getpid()
        self._locked = False
        self._chain = Chain(where=str(path))

    def __enter__(self) -> Self:
        """Lock the ledger and read the entries that others appended since."""
        if self._process != os.getpid():
            self.close()  # a fork shares its parent's descriptor and so its lock
            self._process = os.getpid()
        try:
            handle, size = self._lock()
            if size == self._chain.size:
                self._chain.torn = 0
            else:
                self._catch_up(handle, size)
        except OSError as error:
            self.close()
            raise self._failed(error) from None
        except BaseException:
            self.close()
            raise
        self._locked = True
        return self

    def __exit__(self, *exception: object) -> None:
        self._locked = False
        if self._process != os.getpid():
            self.close()  # only the parent may release its lock
        elif self._handle is not None:
            fcntl.flock(self._handle, fcntl.LOCK_UN)

    def close(self) -> None:
        """Close the file; the next use opens and reads it again."""
        self._locked = False
        self._node = None  # the inode number of a deleted file can be reused
        if self._handle is not None:
            os.close(self._handle)
            self._handle = None

    @property
    def entries(self) -> Sequence[Entry]:
        """Every entry at the time of locking, and those appended since."""
        return self._chain.entries

    def append(
        self,
        *,
        time: str,
        kind: str,
        subject: str,
        files: Mapping[str, str] | None = None,
        said: Mapping[str, str] | None = None,
    ) -> Entry:
        """Append one entry, which is on the disk when this returns; only under the lock."""
        if self._handle is None or not self._locked or self._process != os.getpid():
            raise RuntimeError("the ledger is not locked")
        if len(self._chain.lines) >= MAX_ENTRIES:
            raise SpecError(f"{self.path}: the ledger is full: at most {MAX_ENTRIES:,} entries")
        entry = Entry(
            n=len(self._chain.lines),
            previous=self._chain.last,
            time=time,
            kind=kind,
            subject=subject,
            files=files or {},
            said=said or {},
        )
        line = encode_line(entry)
        if self._chain.size + len(line) >= MAX_FILE_BYTES:
            raise SpecError(f"{self.path}: the ledger is full: at most {MAX_FILE_BYTES:,} bytes")
        try:
            self._write(self._handle, line)
        except OSError as error:
            raise self._failed(error) from None
        return entry

    def _lock(self) -> tuple[int, int]:
        """Lock the file that has the ledger's name now; its descriptor and size."""
        while True:
            if self._handle is None:
                flags = os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW
                self._handle = os.open(self._name, flags)
            try:  # usually no other process holds it
                fcntl.flock(self._handle, _ALONE)
            except BlockingIOError:
                lock_in_time(self._handle, self.path)
            named = os.lstat(self._name)
            node = named.st_dev, named.st_ino
            if node != self._node:  # opened just now, or replaced while we waited
                mine = os.fstat(self._handle)
                if (mine.st_dev, mine.st_ino) == node:
                    self._node, self._chain = node, Chain(where=str(self.path))
            if node == self._node:
                return self._handle, named.st_size
            self.close()  # the file was replaced while we waited, by a checkout perhaps

    def _catch_up(self, handle: int, size: int) -> None:
        """Read the entries that others appended since; a file that shrank is read again."""
        if size < self._chain.size:
            self._chain = Chain(where=str(self.path))
        _check_end(handle, str(self.path))
        data = _read(handle, self._chain.size, size)
        try:
            self._chain.extend(data)
        except BrokenChain:
            self._chain = Chain(where=str(self.path))
            raise

    def _write(self, handle: int, line: bytes) -> None:
        chain, data = self._chain, line + b"\n"
        try:
            if chain.torn:
                os.ftruncate(handle, chain.size)
            done = os.pwrite(handle, data, chain.size)
            while done < len(data):
                done += os.pwrite(handle, data[done:], chain.size + done)
            _SYNC(handle)
            chain.push(line)
        except BaseException:
            with suppress(OSError):  # the next append would do the same
                os.ftruncate(handle, chain.size)
            self._chain = Chain(where=str(self.path))
            self.close()  # this unlocks; the next use reads the file again
            raise

    def _failed(self, error: OSError) -> StorageError:
        return StorageError(f"{self.path}: {error.strerror or error}")


def _check_end(handle: int, where: str) -> None:
    """Refuse a file that is too long, or whose end no interrupted append can explain.

    The last bytes show this before the file is read into memory.
    """
    size = os.fstat(handle).st_size
    if size > MAX_FILE_BYTES:
        raise BrokenChain(f"{where}: {size:,} bytes, at most {MAX_FILE_BYTES:,} allowed")
    longest = MAX_LINE_BYTES + 1
    if size >= longest and b"\n" not in os.pread(handle, longest, size - longest):
        raise BrokenChain(
            f"{where}: the last {MAX_LINE_BYTES:,} bytes are neither a line nor a cut-off write"
        )


def _read(handle: int, start: int, end: int) -> bytes:
    parts = []
    while start < end:
        part = os.pread(handle, end - start, start)
        if not part:
            break
        parts.append(part)
        start += len(part)
    return b"".join(parts)
