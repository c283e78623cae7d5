"""What a running command is about to open, run or connect to, as the kernel tells of it.

Each call waits until it is answered, and is always let through; so what is noted is what was tried.
A path is kept as it leads at that moment, links followed. A file that is read and is not there is
not noted: looking for a module tries many places. Devices like `/dev/null` hold nothing, and are
not noted either.
"""

import ctypes
import errno
import fcntl
import os
import socket
import stat
import struct
from contextlib import suppress
from dataclasses import dataclass, field

from assay.sandbox.path_resolution import Leading
from assay.sandbox.syscall_filter import NO_FOLLOW, PLACES, names_by_number

_NOTICE = struct.Struct("QIIiIQ6Q")
_ANSWER = struct.Struct("QqiI")
_RECEIVE, _SEND, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
_GO_ON = 1
_WAKE_AT_ONCE = 1
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_IN_ROOT = 0x10
_PAGE, _LONGEST = 4096, 4096
_MOST = 200_000
_MOST_SCRIPTS = 5
_FAILS_TOO = frozenset(
    {errno.EBADF, errno.EFAULT, errno.EIO, errno.ELOOP, errno.ENOENT, errno.ENOTDIR, errno.ESRCH}
)
"""No such memory, descriptor, link or process: then the command's own call fails, too."""


@dataclass(kw_only=True)
class Noted:
    """Files by what was done with them, and other ends of connections; `full` says: not all."""

    read: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    run: set[str] = field(default_factory=set)
    connected: set[str] = field(default_factory=set)
    full: bool = False


class Notices:
    """Answers a filter's notices, and notes what they are about."""

    def __init__(self, listener: int) -> None:
        self.listener = listener
        self._leading: Leading | None = None
        self.noted = Noted()
        self._names = names_by_number()
        self._buffer = bytearray(_NOTICE.size)
        self._absent = bytes(_NOTICE.size)
        self._memory = Memory()
        with suppress(OSError):  # Linux 6.6: whoever waits for the answer runs at once
            fcntl.ioctl(listener, _SET_FLAGS, _WAKE_AT_ONCE)

    def close(self) -> None:
        """Answer no more: what is still waiting is refused."""
        os.close(self.listener)
        if self._leading is not None:
            self._leading.close()

    def answer(self) -> None:
        """Take one notice, note what it is about, and let the call go on."""
        self._buffer[:] = self._absent
        try:
            fcntl.ioctl(self.listener, _RECEIVE, self._buffer)
        except OSError:  # the process was killed meanwhile
            return
        number, pid, _, call, _, _, *arguments = _NOTICE.unpack(self._buffer)
        try:
            self._leading = self._leading or Leading(pid)
            self._note(pid, self._leading, self._names[call], arguments)
        except OSError as error:
            self.noted.full = self.noted.full or error.errno not in _FAILS_TOO
        except Exception:  # whatever a command hands over, it must not end who watches it
            self.noted.full = True
        with suppress(OSError):
            fcntl.ioctl(self.listener, _SEND, _ANSWER.pack(number, 0, 0, _GO_ON))

    def _note(self, pid: int, way: Leading, name: str, arguments: list[int]) -> None:
        match name:
            case "openat":
                self._open(pid, way, arguments[0], arguments[1], arguments[2])
            case "open":
                self._open(pid, way, None, arguments[0], arguments[1])
            case "creat":
                self._open(pid, way, None, arguments[0], os.O_WRONLY | os.O_CREAT)
            case "openat2":
                flags, _, how = struct.unpack("QQQ", self._memory.read(pid, arguments[2], 24))
                inside = bool(how & _IN_ROOT)
                self._open(pid, way, arguments[0], arguments[1], flags, inside=inside)
            case "execve":
                self._run(pid, way, None, arguments[0])
            case "execveat":
                self._run(pid, way, arguments[0], arguments[1])
            case "connect" | "bind" | "sendto":
                at = 4 if name == "sendto" else 1
                self._address(pid, way, arguments[at], arguments[at + 1], binds=name == "bind")
            case _:
                self._change(pid, way, name, arguments)

    def _open(
        self,
        pid: int,
        way: Leading,
        folder: int | None,
        address: int,
        flags: int,
        *,
        inside: bool = False,
    ) -> None:
        text = self._text(pid, address)
        text = text.lstrip("/") if inside else text
        writes = flags & _WRITING
        path, mode = way.lead(pid, folder, text, made=bool(writes))
        if not path or stat.S_ISCHR(mode):
            return
        if writes:
            self._keep(self.noted.written, path)
            if flags & os.O_ACCMODE == os.O_WRONLY:
                return
        if stat.S_ISREG(mode) or stat.S_ISFIFO(mode):
            self._keep(self.noted.read, path)

    def _run(self, pid: int, way: Leading, folder: int | None, address: int) -> None:
        path, mode = way.lead(pid, folder, self._text(pid, address))
        for _ in range(_MOST_SCRIPTS):
            if not mode or not path:
                return
            self._keep(self.noted.run, path)
            first, _, _ = way.head(path).partition(b"\n")
            words = first.removeprefix(b"#!").split()
            if not first.startswith(b"#!") or not words:
                return
            path, mode = way.lead(pid, None, os.fsdecode(words[0]))  # the kernel runs that one

    def _change(self, pid: int, way: Leading, name: str, arguments: list[int]) -> None:
        for place in PLACES[name]:
            folder = None if place.folder is None else arguments[place.folder]
            address = 0 if place.path is None else arguments[place.path]
            text = self._text(pid, address) if address else ""
            told = 0 if place.unless is None else arguments[place.unless]
            if place.follows and not told & NO_FOLLOW:
                path, mode = way.lead(pid, folder, text)
                if not mode or stat.S_ISCHR(mode):
                    continue
            else:
                path = way.walk(pid, folder, text, last=False)
            if path:
                self._keep(self.noted.written if place.writes else self.noted.read, path)

    def _address(self, pid: int, way: Leading, address: int, size: int, *, binds: bool) -> None:
        """Note whom a process speaks to; a socket that it gives a name is a file."""
        data = self._memory.read(pid, address, min(size & 0xFFFFFFFF, 128))
        family = int.from_bytes(data[:2], "little")
        if not binds:
            self._keep(self.noted.connected, _peer(family, data))
        elif family == socket.AF_UNIX and data[2:3] not in (b"", b"\0"):
            text = os.fsdecode(data[2:].partition(b"\0")[0])
            self._keep(self.noted.written, way.walk(pid, None, text, last=False))

    def _keep(self, kind: set[str], path: str) -> None:
        if len(kind) < _MOST:
            kind.add(path)
        else:
            self.noted.full = True

    def _text(self, pid: int, address: int) -> str:
        """The bytes up to a NUL; a page may be the last, so they are read page by page."""
        found = b""
        while len(found) < _LONGEST:
            start = address + len(found)
            found += self._memory.read(pid, start, _PAGE - start % _PAGE)
            end = found.find(b"\0")
            if end >= 0:
                return os.fsdecode(found[:end])
        return os.fsdecode(found[:_LONGEST])


class Memory:
    """The memory of other processes."""

    def __init__(self) -> None:
        library = ctypes.CDLL(None, use_errno=True)
        self._call = getattr(library, "process_vm_readv", None)
        self._buffer = ctypes.create_string_buffer(_PAGE)
        self._here = (ctypes.c_size_t * 2)(ctypes.addressof(self._buffer), _PAGE)
        self._there = (ctypes.c_size_t * 2)()
        self._one, self._none = ctypes.c_ulong(1), ctypes.c_ulong(0)

    def read(self, pid: int, address: int, size: int) -> bytes:
        """At most a page of it; an OSError where there is none, or where it may not be read."""
        if self._call is not None:
            self._there[0], self._there[1] = address, size
            count = self._call(pid, self._here, self._one, self._there, self._one, self._none)
            if count == size:
                return ctypes.string_at(self._buffer, count)
        if address >= 1 << 63:
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
        handle = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(handle, size, address)
        finally:
            os.close(handle)


def _peer(family: int, data: bytes) -> str:
    """Whom a process connects to, in words."""
    if family == socket.AF_INET and len(data) >= 8:
        return f"{socket.inet_ntop(family, data[4:8])}:{int.from_bytes(data[2:4], 'big')}"
    if family == socket.AF_INET6 and len(data) >= 24:
        return f"[{socket.inet_ntop(family, data[8:24])}]:{int.from_bytes(data[2:4], 'big')}"
    if family == socket.AF_UNIX:
        path = data[2:]
        if path[:1] == b"\0":
            return f"unix:@{path[1:].decode('utf-8', 'replace')}"
        name, _, _ = path.partition(b"\0")
        return f"unix:{os.fsdecode(name)}"
    return f"address family {family}"
