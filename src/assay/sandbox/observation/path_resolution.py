"""Resolve paths that another process names, in that process's view of the files.

The kernel resolves them, from that process's root. It does not follow links of `/proc` that are not
paths, and `/proc/self` would be this process; such paths are walked here, part by part. A file
counts as missing only if the kernel says so; if it gives no answer, that is an error.
"""

import errno
import os
import re
import stat
from collections.abc import Callable
from typing import TypeVar

from assay.sandbox.processes import has_other_rights, is_descendant, leader
from assay.sandbox.syscalls import open_in_root

_HERE = -100 & 0xFFFFFFFF
_MOST_LINKS = 40
_LONGEST = 4096
_PROCESS = re.compile(r"/proc/(\d+)/")
_JUMP = re.compile(r"/proc/(\d+)(?:/task/\d+)?/(?:cwd|root|exe|fd/\d+|map_files/.+)")
_DELETED = " (deleted)"
_SELINUX = os.path.exists("/sys/fs/selinux/enforce")  # noqa: PTH110 - the warden starts quickly
_OF_THE_SYSTEM = frozenset({"security.selinux"} if _SELINUX else ())
"""An attribute that SELinux gives every file. Without SELinux it is an ordinary attribute."""

Resolved = tuple[str, int]
"""A path and the mode of its file, 0 if it is missing. A file without a name has the path ''."""
_Answer = TypeVar("_Answer")


class PathResolver:
    """Resolves the paths of a command's processes, which all see the same files."""

    def __init__(self, pid: int) -> None:
        self._root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_CLOEXEC)
        self.ways: set[int] = set()
        """Processes through whose root, folder or descriptors a path led; the caller clears it."""
        self._way = ""
        """The file of `/proc` at which the last resolved path ended, if any."""

    def close(self) -> None:
        """Close the descriptor of the root."""
        os.close(self._root)

    def resolve(self, pid: int, folder: int | None, text: str, *, made: bool = False) -> Resolved:
        """Resolve a path, including a link at its end.

        `made` means that the call creates a missing file; otherwise a missing file has no path.
        """
        self._way = ""
        start = "" if text.startswith("/") else _start(pid, folder)
        if not start.endswith(_DELETED):  # else the name is stale: another file may have it
            found = self._look_up(f"{start}/{text}")
            if found is not None and (found[0] or not made):
                return found
        resolved = self.walk(pid, folder, text, last=True)
        return resolved, self.mode(resolved)

    def _look_up(self, path: str) -> Resolved | None:
        """Let the kernel resolve a path; None if the process itself may find something else.

        A link may lead to `/proc/self`, which differs between the processes.
        """
        try:
            handle, followed = self._open(path)
        except OSError:
            return None
        if handle is None:
            return "", 0
        try:
            resolved = os.readlink(f"/proc/self/fd/{handle}") if followed else _normal(path)  # noqa: PTH115
            mode = os.fstat(handle).st_mode
        finally:
            os.close(handle)
        return None if resolved.startswith("/proc/") else (resolved, mode)

    def walk(self, pid: int, folder: int | None, text: str, *, last: bool) -> str:
        """Follow a path part by part; with `last`, a link at its end is followed too.

        A link with a slash after it is always followed.
        """
        place = "/" if text.startswith("/") else _start(pid, folder)
        self._way = "" if text else _way(pid, folder)
        if not place.startswith("/"):
            return ""
        rest = text.split("/")[::-1]
        links = 0
        while rest:
            part = rest.pop()
            if part in ("", "."):
                continue
            self._way = ""
            if part == "..":
                place = os.path.dirname(place)  # noqa: PTH120 - fast
                continue
            here = f"{place.rstrip('/')}/{part}"
            try:
                target = self._link(pid, here) if last or rest else None
            except PermissionError:
                if _is_of_another(here):
                    return "/".join((here, *rest[::-1]))
                if here.startswith("/proc/") or has_other_rights(pid):
                    raise
                raise _absent() from None  # the command's own call fails too
            if target is None:
                place = here
                continue
            links += 1
            if links > _MOST_LINKS:
                raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))
            jump = _JUMP.fullmatch(here)
            if jump is not None:
                self.ways.add(int(jump[1]))
                if _is_elsewhere(pid, jump[1]):
                    return "/".join((here, *rest[::-1]))
                self._way = here
                if _is_unnamed(here, target):
                    return ""
                place = target
                continue
            if target.startswith("/"):
                place = "/"
            rest += target.split("/")[::-1]
        return place

    def open_resolved(self, path: str) -> int | None:
        """A descriptor of the last resolved file; None if it is not executable.

        A file without a name, or whose name was deleted, is opened through the process.
        """
        flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
        way = self._way
        mode = os.stat(way).st_mode if way else self.mode(path)  # noqa: PTH116
        if not stat.S_ISREG(mode):
            return None
        return os.open(way, flags) if way else os.open(path.lstrip("/"), flags, dir_fd=self._root)

    def _open(self, path: str) -> tuple[int | None, bool]:
        """A descriptor of a path's target, and whether links were followed.

        None if the target is missing and there is no link on the way.
        """
        try:
            return open_in_root(self._root, path, links=False), False
        except FileNotFoundError:
            return None, False
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
        return open_in_root(self._root, path, links=True), True

    def _link(self, pid: int, path: str) -> str | None:
        """The target of a link; None if it is not a link."""
        if path == "/proc/self":
            return str(leader(pid))
        if path == "/proc/thread-self":
            return f"{leader(pid)}/task/{pid}"
        return self._target(path)

    def _target(self, path: str) -> str | None:
        try:
            return self._ask(os.readlink, path)
        except OSError as error:
            if error.errno != errno.EINVAL:  # not a link
                raise
        return None

    def device(self, path: str) -> tuple[int, int]:
        """The major and minor number of a device; zeros if it is missing."""
        found = self._ask(os.lstat, path)
        return (0, 0) if found is None else (os.major(found.st_rdev), os.minor(found.st_rdev))

    def is_link(self, path: str) -> bool:
        """Whether a path is a link itself."""
        return self._target(path) is not None

    def has_attributes(self, path: str) -> bool:
        """Whether a file has extended attributes beyond those that the system gives every file."""
        handle = self._ask(_look, path)
        if handle is None:
            return False
        try:
            return not set(os.listxattr(f"/proc/self/fd/{handle}")) <= _OF_THE_SYSTEM
        except OSError as error:
            if error.errno != errno.ENOTSUP:
                raise
            return False
        finally:
            os.close(handle)

    def mode(self, path: str) -> int:
        """The mode of a file; 0 if it is missing. A file we may not look at counts as existing."""
        try:
            found = self._ask(os.lstat, path) if path else None
        except PermissionError:
            return stat.S_IFREG
        return 0 if found is None else found.st_mode

    def _ask(self, call: Callable[..., _Answer], path: str) -> _Answer | None:
        """Make a call on a resolved path; None if the file is missing.

        If a part of a path is too long, the command's call fails too. If only the whole path is too
        long for our call, because the command's starts in a folder, that is an error.
        """
        try:
            return call(path.lstrip("/") or ".", dir_fd=self._root)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG and len(os.fsencode(path)) <= _LONGEST:
                raise _absent() from None
            raise


def _look(path: str, *, dir_fd: int) -> int:
    return os.open(path, os.O_PATH | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=dir_fd)


def _absent() -> OSError:
    return FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT))


def _normal(path: str) -> str:
    return os.path.normpath(f"/{path.lstrip('/')}")


def _start(pid: int, folder: int | None) -> str:
    """Where a relative path begins: the process's working directory, or a folder it has open."""
    return os.readlink(_way(pid, folder))  # noqa: PTH115


def _way(pid: int, folder: int | None) -> str:
    low = _HERE if folder is None else folder & 0xFFFFFFFF
    return f"/proc/{pid}/{'cwd' if low == _HERE else f'fd/{low}'}"


def _is_unnamed(way: str, target: str) -> bool:
    """Whether a link of `/proc` leads to a pipe, memory or a deleted file, which have no name."""
    if not target.startswith("/"):
        return True
    if not target.endswith(_DELETED):  # any folder may have such a name
        return False
    found = os.stat(way)  # noqa: PTH116
    return found.st_nlink == 0 and not stat.S_ISDIR(found.st_mode)


def _is_of_another(path: str) -> bool:
    """Whether a path leads to a process outside the command."""
    process = _PROCESS.match(path)
    return process is not None and not is_descendant(int(process[1]))


def _is_elsewhere(pid: int, other: str) -> bool:
    """Whether another process has a different view of the files.

    The command's own processes have not: a new mount namespace is a copy, and they cannot mount.
    """
    if is_descendant(int(other)):
        return False
    try:
        ours, theirs = (os.stat(f"/proc/{one}/ns/mnt") for one in (pid, other))  # noqa: PTH116
    except OSError:
        return True
    return ours.st_ino != theirs.st_ino
