"""Record what a running command opens, runs and connects to: seccomp user notifications.

Each call waits for an answer. It is allowed, so the record holds attempts; only a call that reaches
into a process outside the command is refused. The rules:

- A path is recorded as it resolves at that moment.
- A missing file that is only read is not recorded: looking for a module tries many places.
- Devices that hold no data, by their numbers, are not recorded.
- An opened folder may be listed: it is recorded with a slash at its end.
- A file or folder that did not exist before is the command's own. A moved one also counts as read.
- A process outside the command counts as a connection if the command opens its files in `/proc` or
  reaches its memory; so do objects that the kernel keeps for several processes.
- The target of a link and the extended attributes of a file are recorded where there are any.
"""

import errno
import fcntl
import os
import re
import socket
import stat
import struct
from contextlib import suppress
from dataclasses import dataclass, field

from assay.sandbox.observation.path_resolution import PathResolver
from assay.sandbox.observation.program_head import interpreter
from assay.sandbox.observation.syscall_filter import (
    KERNEL_OBJECTS,
    METADATA_ARGUMENTS,
    OTHER_PROCESS,
    PATH_ARGUMENTS,
    SWAP,
    names_by_number,
)
from assay.sandbox.processes import holds_terminal, is_descendant, leader
from assay.sandbox.syscalls import MemoryReader, copy_descriptor

_NOTICE = struct.Struct("QIIiIQ6Q")
_ANSWER = struct.Struct("QqiI")
_RECEIVE, _SEND, _SET_FLAGS = 0xC0502100, 0xC0182101, 0x40082104
_GO_ON = 1
_WAKE_AT_ONCE = 1
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
_PAGE, _LONGEST = 4096, 4096
_MOST, _MOST_TEXT = 200_000, 1 << 26
"""The most paths kept of a kind, and the most characters of all kinds."""
_MOST_PROGRAMS = 8
"""The kernel follows five script interpreters; the last program may name a loader."""
_MOST_MESSAGES, _MESSAGE_STEP = 1024, 64
_PROCESS = re.compile(r"/proc/(\d+)(?:/|$)")
_QUIET_DEVICES = frozenset(
    {
        *((1, minor) for minor in (3, 5, 7, 8, 9)),
        *((5, minor) for minor in (0, 2)),
    }
)
"""null, zero, full and random, which store nothing; and a process's own terminal, which it can only
open by name, and the device that makes new ones."""
_TERMINALS = range(136, 144)
_FOLDER_MADE = ("mkdir", "mkdirat")
_KIND = 0xF
"""The bits of a socket's type without its flags."""
_INTERNET = (socket.AF_INET, socket.AF_INET6)
_PROTOCOLS = (0, socket.IPPROTO_TCP, socket.IPPROTO_UDP)
"""Other families name a peer in other ways."""
_REFUSED = errno.EPERM
_FAILS_TOO = frozenset(
    {
        *(errno.EBADF, errno.EFAULT, errno.EIO, errno.ELOOP, errno.ENOENT, errno.ENOTDIR),
        *(errno.ENOTSOCK, errno.ESRCH),
    }
)
"""No such memory, descriptor, link, socket or process: the command's own call fails too."""


@dataclass(kw_only=True)
class Noted:
    """Files read, created, written and run, and the peers of connections.

    A created file did not exist before; it also counts as written. `metadata` are links whose
    targets, and files whose extended attributes, were read. `full` means that some are missing.
    """

    read: set[str] = field(default_factory=set)
    made: set[str] = field(default_factory=set)
    written: set[str] = field(default_factory=set)
    run: set[str] = field(default_factory=set)
    connected: set[str] = field(default_factory=set)
    metadata: set[str] = field(default_factory=set)
    full: bool = False


class Notices:
    """Answers the notifications of a filter and records their subjects."""

    def __init__(self, listener: int) -> None:
        self.listener = listener
        self._resolver: PathResolver | None = None
        self.noted = Noted()
        self._room = _MOST_TEXT
        self._names = names_by_number()
        self._buffer = bytearray(_NOTICE.size)
        self._absent = bytes(_NOTICE.size)
        self._memory = MemoryReader(_PAGE)
        with suppress(OSError):  # Linux 6.6: the waiting process runs at once
            fcntl.ioctl(listener, _SET_FLAGS, _WAKE_AT_ONCE)

    def close(self) -> None:
        """Stop answering; calls that still wait are refused."""
        os.close(self.listener)
        if self._resolver is not None:
            self._resolver.close()

    def answer(self) -> None:
        """Take one notification, record it, and allow or refuse the call."""
        self._buffer[:] = self._absent
        try:
            fcntl.ioctl(self.listener, _RECEIVE, self._buffer)
        except OSError:  # the process was killed meanwhile
            return
        number, pid, _, call, _, _, *arguments = _NOTICE.unpack(self._buffer)
        name = self._names[call]
        refused = name in OTHER_PROCESS and self._reaches_out(name, arguments)
        try:
            self._resolver = self._resolver or PathResolver(pid)
            self._note(pid, self._resolver, name, arguments)
            self._note_ways(self._resolver)
        except OSError as error:
            self.noted.full = self.noted.full or error.errno not in _FAILS_TOO
        except Exception:  # no input of a command may crash the warden
            self.noted.full = True
        # An unanswered call would wait for ever: any other error ends the warden and the run.
        with suppress(FileNotFoundError):  # the process was killed meanwhile
            answer = (-_REFUSED, 0) if refused else (0, _GO_ON)
            fcntl.ioctl(self.listener, _SEND, _ANSWER.pack(number, 0, *answer))

    def _note(self, pid: int, paths: PathResolver, name: str, arguments: list[int]) -> None:
        match name:
            case "openat":
                self._open(pid, paths, arguments[0], arguments[1], arguments[2])
            case "open":
                self._open(pid, paths, None, arguments[0], arguments[1])
            case "creat":
                self._open(pid, paths, None, arguments[0], os.O_WRONLY | os.O_CREAT)
            case "execve":
                self._run(pid, paths, None, arguments[0])
            case "execveat":
                self._run(pid, paths, arguments[0], arguments[1])
            case "connect" | "bind" | "sendto":
                at = 4 if name == "sendto" else 1
                self._address(pid, paths, arguments[at], arguments[at + 1], binds=name == "bind")
            case "socket":
                self._socket(arguments[0], arguments[1], arguments[2])
            case "listen":
                self._listen(pid, arguments[0])
            case "sendmsg":
                self._message(pid, paths, arguments[1])
            case "sendmmsg":
                for number in range(min(arguments[2] & 0xFFFFFFFF, _MOST_MESSAGES)):
                    self._message(pid, paths, arguments[1] + number * _MESSAGE_STEP)
            case _ if name in METADATA_ARGUMENTS:
                self._metadata(pid, paths, name, arguments)
            case _ if name in KERNEL_OBJECTS:
                self._keep(self.noted.connected, KERNEL_OBJECTS[name])
            case _ if name in OTHER_PROCESS:
                pass  # these calls take pids, not paths: see `_reaches_out`
            case _:
                self._change(pid, paths, name, arguments)

    def _open(
        self, pid: int, paths: PathResolver, folder: int | None, address: int, flags: int
    ) -> None:
        writes = flags & _WRITING
        path, mode = paths.resolve(pid, folder, self._text(pid, address), made=bool(writes))
        if not path or (stat.S_ISCHR(mode) and _is_quiet(paths, path)):
            return
        process = _PROCESS.match(path)
        if process:
            self._process(int(process[1]))
        if writes:
            self._keep(self.noted.written, path)
            if flags & os.O_CREAT and not mode:
                self._keep(self.noted.made, path)
            if flags & os.O_ACCMODE == os.O_WRONLY:
                return
        if not stat.S_ISDIR(mode) and mode:
            self._keep(self.noted.read, path)
        elif mode and not flags & os.O_PATH:
            self._keep(self.noted.read, f"{path.rstrip('/')}/")

    def _note_ways(self, paths: PathResolver) -> None:
        """Record processes through whose `/proc` files a path led, whatever its target."""
        while paths.ways:
            self._process(paths.ways.pop())

    def _reaches_out(self, name: str, arguments: list[int]) -> bool:
        """Whether a call reaches into a process outside the command; if so, record that process.

        The pid is in a register, which no other thread can change meanwhile.
        """
        place = OTHER_PROCESS[name]
        if place.kind is not None and arguments[place.kind] & 0xFFFFFFFF == place.users:
            self._keep(self.noted.connected, "all processes of a user")
            return True
        return self._process(arguments[place.number] & 0xFFFFFFFF)

    def _process(self, other: int) -> bool:
        """Record a process if it is outside the command; True if it is."""
        outside = bool(other) and not is_descendant(other)
        if outside:
            self._keep(self.noted.connected, f"process {other}")
        return outside

    def _metadata(self, pid: int, paths: PathResolver, name: str, arguments: list[int]) -> None:
        """Record a link whose target, or a file whose extended attributes, the command reads."""
        place = METADATA_ARGUMENTS[name]
        folder = None if place.folder is None else arguments[place.folder]
        text = "" if place.path is None else self._text(pid, arguments[place.path])
        path = paths.walk(pid, folder, text, last=place.follows)
        process = _PROCESS.match(path)
        if process:
            self._process(int(process[1]))
        elif path and (paths.is_link(path) if "link" in name else paths.has_attributes(path)):
            self._keep(self.noted.metadata, path)

    def _run(self, pid: int, paths: PathResolver, folder: int | None, address: int) -> None:
        """Record a program and those the kernel runs for it: script interpreters and the loader."""
        text = self._text(pid, address)
        for _ in range(_MOST_PROGRAMS):
            path, _ = paths.resolve(pid, folder, text)
            handle = paths.open_resolved(path)
            if handle is None:
                return
            try:
                if path:
                    self._keep(self.noted.run, path)
                text, folder = interpreter(handle), None
            finally:
                os.close(handle)
            if not text:
                return

    def _change(self, pid: int, paths: PathResolver, name: str, arguments: list[int]) -> None:
        for place in PATH_ARGUMENTS[name]:
            folder = None if place.folder is None else arguments[place.folder]
            address = 0 if place.path is None else arguments[place.path]
            text = self._text(pid, address) if address else ""
            if place.follows_by(arguments):
                path, mode = paths.resolve(pid, folder, text)
                if not mode or (stat.S_ISCHR(mode) and _is_quiet(paths, path)):
                    continue
            else:
                text = (
                    text.rstrip("/") if name in _FOLDER_MADE else text
                )  # the call follows no link
                path = paths.walk(pid, folder, text, last=False)
                if not place.writes and not paths.mode(path):
                    continue
            if path:
                if name in _FOLDER_MADE and not paths.mode(path):
                    self._keep(self.noted.made, path)
                self._keep(self.noted.written if place.writes else self.noted.read, path)
                if place.carries or (place.swapped and arguments[place.swapped] & SWAP):
                    self._keep(self.noted.read, path)

    def _address(
        self, pid: int, paths: PathResolver, address: int, size: int, *, binds: bool
    ) -> None:
        """Record the peer of a socket, or the address at which others can reach it.

        The kernel is not a peer. A local address that is a path is recorded as it resolves now.
        """
        data = self._read(pid, address, min(size & 0xFFFFFFFF, 128))
        family = int.from_bytes(data[:2], "little")
        if family == socket.AF_NETLINK and not any(data[4:8]):
            return
        if family == socket.AF_UNIX and data[2:3] not in (b"", b"\0"):
            text = os.fsdecode(data[2:].partition(b"\0")[0])
            path = paths.walk(pid, None, text, last=not binds)
            self._keep(self.noted.connected, f"unix:{path or text}")
            if binds:
                self._keep(self.noted.written, path)
        else:
            self._keep(self.noted.connected, _peer(family, data))

    def _socket(self, family: int, kind: int, protocol: int) -> None:
        """Record a socket that can receive from others without an address.

        The only exempt netlink protocol is the one with which libc asks for network addresses.
        """
        family, kind, protocol = (value & 0xFFFFFFFF for value in (family, kind, protocol))
        if family == socket.AF_NETLINK and protocol != socket.NETLINK_ROUTE:
            self._keep(self.noted.connected, f"netlink protocol {protocol}")
        elif family in _INTERNET and kind & _KIND == socket.SOCK_RAW:
            self._keep(self.noted.connected, "a raw socket")
        elif family in _INTERNET and protocol not in _PROTOCOLS:
            self._keep(self.noted.connected, f"internet protocol {protocol}")
        elif family not in (*_INTERNET, socket.AF_UNIX, socket.AF_NETLINK):
            self._keep(self.noted.connected, f"address family {family}")

    def _listen(self, pid: int, number: int) -> None:
        """Record a socket that listens without a bind, on a port that the kernel chooses.

        A bound socket was recorded when it was bound; a local one must be bound. A thread may have
        its own descriptors; only those of its process can be copied.
        """
        process = os.pidfd_open(leader(pid))
        try:
            number &= 0xFFFFFFFF
            with socket.socket(fileno=copy_descriptor(process, number)) as listening:
                meant = os.stat(f"/proc/{pid}/fd/{number}").st_ino  # noqa: PTH116
                if os.fstat(listening.fileno()).st_ino != meant:
                    self._keep(self.noted.connected, "a socket of one thread")
                elif listening.family in _INTERNET:
                    host, port, *_ = listening.getsockname()
                    if not port:
                        self._keep(self.noted.connected, _at(host, 0))
        finally:
            os.close(process)

    def _message(self, pid: int, paths: PathResolver, address: int) -> None:
        """Record the receiver that a message names; without one, the socket has its peer."""
        receiver, size = struct.unpack("QI", self._read(pid, address, 12))
        if receiver and size:
            self._address(pid, paths, receiver, size, binds=False)

    def _keep(self, kind: set[str], path: str) -> None:
        if path in kind:
            return
        if len(kind) < _MOST and len(path) <= self._room:
            kind.add(path)
            self._room -= len(path)
        else:
            self.noted.full = True

    def _text(self, pid: int, address: int) -> str:
        """The text up to a NUL, read page by page: the next page may not exist."""
        data = b""
        while len(data) < _LONGEST:
            start = address + len(data)
            data += self._read(pid, start, _PAGE - start % _PAGE)
            end = data.find(b"\0")
            if end >= 0:
                return os.fsdecode(data[:end])
        raise FileNotFoundError(errno.ENOENT, "a path that is too long for any call")

    def _read(self, pid: int, address: int, size: int) -> bytes:
        """Read at most a page of memory, through `/proc` if the system call fails."""
        try:
            return self._memory.read(pid, address, size)
        except OSError:
            if address >= 1 << 63:
                raise OSError(errno.EFAULT, os.strerror(errno.EFAULT)) from None
        handle = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
        try:
            return os.pread(handle, size, address)
        finally:
            os.close(handle)


def _is_quiet(paths: PathResolver, path: str) -> bool:
    """Whether a device, by its number, holds no data of others, or is the command's terminal."""
    device = paths.device(path)
    terminal = path.removeprefix("/dev/pts/")
    if device[0] in _TERMINALS and terminal.isdecimal():
        return holds_terminal(int(terminal))
    return device in _QUIET_DEVICES


def _peer(family: int, data: bytes) -> str:
    """The address of a peer, as text."""
    if family == socket.AF_INET and len(data) >= 8:
        return _at(socket.inet_ntop(family, data[4:8]), int.from_bytes(data[2:4], "big"))
    if family == socket.AF_INET6 and len(data) >= 24:
        return _at(socket.inet_ntop(family, data[8:24]), int.from_bytes(data[2:4], "big"))
    if family == socket.AF_UNIX:
        return f"unix:@{data[3:].decode('utf-8', 'replace') or '*'}"
    return f"address family {family}"


def _at(host: str, port: int) -> str:
    """An address as text; `*` for a port that the kernel chooses."""
    return f"{f'[{host}]' if ':' in host else host}:{port or '*'}"
