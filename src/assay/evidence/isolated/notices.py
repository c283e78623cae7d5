"""What a running command is about to open, run or connect to, as the kernel tells of it.

Each call waits until it is answered, and is always let through; so what is noted is what was tried.
A path is kept as the command had it, made absolute. A file that is read and is not there is not
noted: looking for a module tries many places.
"""

import fcntl
import os
import socket
import struct
from contextlib import suppress
from dataclasses import dataclass, field

from assay.evidence.isolated.calls import PLACES, names_by_number

_NOTICE = struct.Struct("QIIiIQ6Q")
_ANSWER = struct.Struct("QqiI")
_RECEIVE, _SEND = 0xC0502100, 0xC0182101
_GO_ON = 1
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_HERE = -100
_PAGE, _LONGEST = 4096, 4096
_MOST = 200_000


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
        self.noted = Noted()
        self._names = names_by_number()
        self._buffer = bytearray(_NOTICE.size)
        self._absent = bytes(_NOTICE.size)

    def answer(self) -> None:
        """Take one notice, note what it is about, and let the call go on."""
        self._buffer[:] = self._absent
        try:
            fcntl.ioctl(self.listener, _RECEIVE, self._buffer)
        except OSError:  # the process was killed meanwhile
            return
        number, pid, _, call, _, _, *arguments = _NOTICE.unpack(self._buffer)
        try:
            self._note(pid, self._names.get(call, ""), arguments)
        except OSError:  # it is gone, or its memory cannot be read: then the call fails, too
            self.noted.full = self.noted.full or os.path.exists(f"/proc/{pid}")  # noqa: PTH110
        with suppress(OSError):
            fcntl.ioctl(self.listener, _SEND, _ANSWER.pack(number, 0, 0, _GO_ON))

    def _note(self, pid: int, name: str, arguments: list[int]) -> None:
        match name:
            case "open" | "creat":
                flags = _WRITING if name == "creat" else arguments[1]
                self._open(pid, None, arguments[0], flags)
            case "openat":
                self._open(pid, arguments[0], arguments[1], arguments[2])
            case "openat2":
                flags = struct.unpack("Q", _memory(pid, arguments[2], 8))[0]
                self._open(pid, arguments[0], arguments[1], flags)
            case "execve":
                self._keep(self.noted.run, _path(pid, None, arguments[0]))
            case "execveat":
                self._keep(self.noted.run, _path(pid, arguments[0], arguments[1]))
            case "connect":
                self._keep(self.noted.connected, _peer(pid, arguments[1], arguments[2]))
            case _:
                for place in PLACES[name]:
                    folder = None if place.folder is None else arguments[place.folder]
                    path = _path(pid, folder, arguments[place.path])
                    self._keep(self.noted.written if place.writes else self.noted.read, path)

    def _open(self, pid: int, folder: int | None, address: int, flags: int) -> None:
        path = _path(pid, folder, address)
        if flags & _WRITING:
            self._keep(self.noted.written, path)
            if flags & os.O_ACCMODE == os.O_WRONLY:
                return
        if path not in self.noted.read and os.path.isfile(path):  # noqa: PTH113 - fast
            self._keep(self.noted.read, path)

    def _keep(self, kind: set[str], path: str) -> None:
        if len(kind) < _MOST:
            kind.add(path)
        else:
            self.noted.full = True


def _path(pid: int, folder: int | None, address: int) -> str:
    """A path that a process named, made absolute."""
    text = os.fsdecode(_text(pid, address))
    if text.startswith("/proc/self/"):
        text = f"/proc/{pid}/{text.removeprefix('/proc/self/')}"
    if text.startswith("/"):
        return os.path.normpath(text)
    place = _signed(folder)
    base = f"/proc/{pid}/cwd" if place is None or place == _HERE else f"/proc/{pid}/fd/{place}"
    return os.path.normpath(os.path.join(os.readlink(base), text))  # noqa: PTH118, PTH115 - fast


def _signed(number: int | None) -> int | None:
    """A descriptor as the kernel takes it: the lower half of an argument, with its sign."""
    if number is None:
        return None
    low = number & 0xFFFFFFFF
    return low - (1 << 32) if low >= 1 << 31 else low


def _text(pid: int, address: int) -> bytes:
    """The bytes up to a NUL; a page may be the last, so they are read page by page."""
    found = b""
    while len(found) < _LONGEST:
        start = address + len(found)
        more = _memory(pid, start, _PAGE - start % _PAGE)
        found += more
        end = found.find(b"\0")
        if end >= 0 or not more:
            return found[:end] if end >= 0 else found
    return found[:_LONGEST]


def _memory(pid: int, address: int, size: int) -> bytes:
    handle = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(handle, size, address)
    finally:
        os.close(handle)


def _peer(pid: int, address: int, size: int) -> str:
    """Whom a process connects to, in words."""
    data = _memory(pid, address, min(size, 128))
    family = int.from_bytes(data[:2], "little")
    if family == socket.AF_INET:
        return f"{socket.inet_ntop(family, data[4:8])}:{int.from_bytes(data[2:4], 'big')}"
    if family == socket.AF_INET6:
        return f"[{socket.inet_ntop(family, data[8:24])}]:{int.from_bytes(data[2:4], 'big')}"
    if family == socket.AF_UNIX:
        path = data[2:]
        if path[:1] == b"\0":
            return f"unix:@{path[1:].decode('utf-8', 'replace')}"
        name, _, _ = path.partition(b"\0")
        return f"unix:{os.fsdecode(name)}"
    return f"address family {family}"
