"""Where a path leads that another process names: by its links, in its own view of the files.

The kernel is asked, from that process's root. It does not follow the links of `/proc` that are no
paths, and `/proc/self` would be this process; such ways are followed by hand, part by part.
"""

import ctypes
import errno
import os
import re
import stat

_HERE = -100 & 0xFFFFFFFF
_OPEN_2 = 437
_IN_ROOT, _NO_LINKS = 0x10, 0x04
_MOST_LINKS = 40
_HEAD = 256
_JUMP = re.compile(r"(/proc/\d+)(?:/task/\d+)?/(?:cwd|root|exe|fd/\d+|map_files/.+)")
_UNNAMED = ("/memfd:", "/anon_hugepage", "/dev/zero (deleted)", "/SYSV")
_BY_HAND = ("/proc/", "/dev/", " (deleted)")
"""Where what is not there from here may be there from where the process is."""

Led = tuple[str, int]
"""A path, and the mode of what is there: 0 where nothing is. The path of what has no name is ''."""


class Leading:
    """Follows the paths of a command's processes, which all see the same files: see `calls`."""

    def __init__(self, pid: int) -> None:
        self._root = os.open(f"/proc/{pid}/root", os.O_PATH | os.O_CLOEXEC)
        self._library = ctypes.CDLL(None, use_errno=True)
        self._call, self._size = ctypes.c_long(_OPEN_2), ctypes.c_size_t(24)
        flags, three = os.O_PATH | os.O_CLOEXEC, ctypes.c_uint64 * 3
        self._how = three(flags, 0, _IN_ROOT)
        self._without_links = three(flags, 0, _IN_ROOT | _NO_LINKS)

    def close(self) -> None:
        """Let go of the root."""
        os.close(self._root)

    def lead(self, pid: int, folder: int | None, text: str, *, made: bool = False) -> Led:
        """Where a path leads, its last link followed as well.

        `made` says that what is not there would be made there; else such a path leads nowhere.
        """
        path = text if text.startswith("/") else f"{_start(pid, folder)}/{text}"
        handle = self._open(path, self._without_links)
        plain = handle != -errno.ELOOP
        handle = handle if plain else self._open(path, self._how)
        if handle >= 0:
            try:
                found = _normal(path) if plain else os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115
                mode = os.fstat(handle).st_mode
            finally:
                os.close(handle)
            if not found.startswith("/proc/"):
                return found, mode
        elif handle == -errno.EACCES:
            return _normal(path), 0
        elif handle == -errno.ENAMETOOLONG:  # it is not, from where the process is
            return _normal(path), stat.S_IFREG
        elif handle == -errno.ENOENT and not made and not any(one in path for one in _BY_HAND):
            return "", 0
        found = self.walk(pid, folder, text, last=True)
        return found, self._mode(found)

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
        """What a file begins with; nothing where it cannot be read."""
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

    def _open(self, path: str, how: ctypes.Array[ctypes.c_uint64]) -> int:
        """A handle on what a path leads to, for looking only; or minus the number of the error."""
        name = os.fsencode(path)
        handle: int = self._library.syscall(self._call, self._root, name, how, self._size)
        return handle if handle >= 0 else -ctypes.get_errno()

    def _link(self, pid: int, path: str) -> str | None:
        """What a link says; None where there is none."""
        if path == "/proc/self":
            return str(pid)
        if path == "/proc/thread-self":
            return f"{pid}/task/{pid}"
        try:
            return os.readlink(path.lstrip("/"), dir_fd=self._root)
        except OSError:
            return None

    def _mode(self, path: str) -> int:
        try:
            return os.stat(path.lstrip("/"), dir_fd=self._root).st_mode if path else 0
        except OSError:
            return 0


def _normal(path: str) -> str:
    return os.path.normpath(f"/{path.lstrip('/')}")


def _start(pid: int, folder: int | None) -> str:
    """Where a process's relative paths begin: its own folder, or one that it has open."""
    low = _HERE if folder is None else folder & 0xFFFFFFFF
    return os.readlink(f"/proc/{pid}/{'cwd' if low == _HERE else f'fd/{low}'}")  # noqa: PTH115


def _is_elsewhere(pid: int, other: str) -> bool:
    """Whether another process sees other files, so that a path of its says nothing here."""
    try:
        one, two = os.stat(f"/proc/{pid}/ns/mnt"), os.stat(f"{other}/ns/mnt")  # noqa: PTH116
    except OSError:
        return True
    return one.st_ino != two.st_ino
