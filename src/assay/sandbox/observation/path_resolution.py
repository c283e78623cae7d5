"""Resolve paths that another process names, in that process's view of the files.

The kernel resolves them, from that process's root. It does not follow the links of `/proc` that are
no paths, and `/proc/self` would be this process; such paths are walked here, part by part.
"""

import errno
import os
import re
import stat

from assay.sandbox.processes import is_descendant
from assay.sandbox.syscalls import open_in_root

_HERE = -100 & 0xFFFFFFFF
_MOST_LINKS = 40
_HEAD = 256
_JUMP = re.compile(r"/proc/(\d+)(?:/task/\d+)?/(?:cwd|root|exe|fd/\d+|map_files/.+)")
_UNNAMED = ("/memfd:", "/anon_hugepage", "/dev/zero (deleted)", "/SYSV")
_OF_THE_SYSTEM = frozenset({"security.selinux", "system.posix_acl_access"})
_BY_HAND = ("/proc/", "/dev/", " (deleted)")
"""Parts of paths that may not exist for us and exist for the process."""

Resolved = tuple[str, int]
"""A path and the mode of its file, 0 where there is none. A file without a name has the path ''."""


class PathResolver:
    """Resolves the paths of a command's processes, which all see the same files."""

    def __init__(self, pid: int) -> None:
        self._root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_CLOEXEC)
        self.ways: set[int] = set()
        """Processes through whose root, folder or descriptors a path has led; the caller's."""

    def close(self) -> None:
        """Let go of the root."""
        os.close(self._root)

    def resolve(self, pid: int, folder: int | None, text: str, *, made: bool = False) -> Resolved:
        """Resolve a path, its last link included.

        `made` says that the call creates a missing file; otherwise a missing file has no path.
        """
        path = text if text.startswith("/") else f"{_start(pid, folder)}/{text}"
        try:
            handle, followed = self._open(path)
        except OSError as error:
            if error.errno == errno.EACCES:
                return _normal(path), 0
            if error.errno == errno.ENAMETOOLONG:  # it is not, from where the process is
                return _normal(path), stat.S_IFREG
            walks = made or any(part in path for part in _BY_HAND)
            if error.errno == errno.ENOENT and not walks:
                return "", 0
        else:
            try:
                resolved = os.readlink(f"/proc/self/fd/{handle}") if followed else _normal(path)  # noqa: PTH115
                mode = os.fstat(handle).st_mode
            finally:
                os.close(handle)
            if not resolved.startswith("/proc/"):
                return resolved, mode
        resolved = self.walk(pid, folder, text, last=True)
        return resolved, self.mode(resolved)

    def walk(self, pid: int, folder: int | None, text: str, *, last: bool) -> str:
        """Follow a path part by part; `last` says whether its last part is followed, if a link."""
        place = "/" if text.startswith("/") else _start(pid, folder)
        if not place.startswith("/"):
            return ""
        rest = text.split("/")[::-1]
        links = 0
        while rest:
            part = rest.pop()
            if part in ("", "."):
                continue
            if part == "..":
                place = os.path.dirname(place)  # noqa: PTH120 - fast
                continue
            here = f"{place.rstrip('/')}/{part}"
            target = self._link(pid, here) if last or any(rest) else None
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
                if not target.startswith("/") or target.startswith(_UNNAMED):
                    return ""
                place = target
                continue
            if target.startswith("/"):
                place = "/"
            rest += target.split("/")[::-1]
        return place

    def head(self, path: str) -> bytes:
        """The first bytes of a file; none where it cannot be read."""
        try:
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC
            handle = os.open(path.lstrip("/"), flags, dir_fd=self._root)
        except OSError:
            return b""
        try:
            return os.pread(handle, _HEAD, 0)
        except OSError:
            return b""
        finally:
            os.close(handle)

    def _open(self, path: str) -> tuple[int, bool]:
        """A handle on what a path leads to, and whether links were followed."""
        try:
            return open_in_root(self._root, path, links=False), False
        except OSError as error:
            if error.errno != errno.ELOOP:
                raise
        return open_in_root(self._root, path, links=True), True

    def _link(self, pid: int, path: str) -> str | None:
        """The target of a link; None where there is none."""
        if path == "/proc/self":
            return str(pid)
        if path == "/proc/thread-self":
            return f"{pid}/task/{pid}"
        try:
            return os.readlink(path.lstrip("/"), dir_fd=self._root)
        except OSError:
            return None

    def device(self, path: str) -> tuple[int, int]:
        """The numbers of a device; of none where there is none."""
        try:
            number = os.stat(path.lstrip("/"), dir_fd=self._root).st_rdev
        except OSError:
            return 0, 0
        return os.major(number), os.minor(number)

    def is_link(self, path: str) -> bool:
        """Whether a path is a link itself."""
        try:
            os.readlink(path.lstrip("/"), dir_fd=self._root)
        except OSError:
            return False
        return True

    def has_attributes(self, path: str) -> bool:
        """Whether a file has extended attributes, but for those that the system gives all files."""
        try:
            handle, _ = self._open(path)
        except OSError:
            return False
        try:
            return not set(os.listxattr(f"/proc/self/fd/{handle}")) <= _OF_THE_SYSTEM
        except OSError:
            return False
        finally:
            os.close(handle)

    def mode(self, path: str) -> int:
        """The mode of a file; 0 where there is none."""
        try:
            return os.stat(path.lstrip("/"), dir_fd=self._root).st_mode if path else 0
        except OSError:
            return 0


def _normal(path: str) -> str:
    return os.path.normpath(f"/{path.lstrip('/')}")


def _start(pid: int, folder: int | None) -> str:
    """Where a relative path begins: the process's working directory, or a folder it has open."""
    low = _HERE if folder is None else folder & 0xFFFFFFFF
    return os.readlink(f"/proc/{pid}/{'cwd' if low == _HERE else f'fd/{low}'}")  # noqa: PTH115


def _is_elsewhere(pid: int, other: str) -> bool:
    """Whether another process has another view of the files.

    None of the command's own has: a namespace of mounts is a copy, and it can mount nothing there.
    """
    if is_descendant(int(other)):
        return False
    try:
        ours, theirs = (os.stat(f"/proc/{one}/ns/mnt") for one in (pid, other))  # noqa: PTH116
    except OSError:
        return True
    return ours.st_ino != theirs.st_ino
