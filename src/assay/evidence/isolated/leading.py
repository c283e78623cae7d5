"""Where a path leads that another process names: by its links, in its own view of the files.

The kernel is asked first, through that process's root (`/proc/PID/root`). Where links were followed
on the way they are followed once more by hand, since `/proc/self` would be this process.
"""

import errno
import os
import re
import stat

_HERE = -100
_MOST_LINKS = 40
_JUMP = re.compile(r"(/proc/\d+)(?:/task/\d+)?/(?:cwd|root|exe|fd/\d+|map_files/.+)")
_UNNAMED = ("/memfd:", "/anon_hugepage", "/dev/zero (deleted)", "/SYSV")

Led = tuple[str, int]
"""A path, and the mode of what is there: 0 where nothing is. The path of what has no name is ''."""


def start_of(pid: int, folder: int | None) -> str:
    """Where a process's relative paths begin: its own folder, or one that it has open."""
    low = _HERE & 0xFFFFFFFF if folder is None else folder & 0xFFFFFFFF
    return f"/proc/{pid}/cwd" if low == _HERE & 0xFFFFFFFF else f"/proc/{pid}/fd/{low}"


def lead(pid: int, start: str, text: str, *, made: bool = False) -> Led:
    """Where a path leads, its last link followed as well.

    `made` says that what is not there would be made there; else such a path leads nowhere.
    """
    if text.startswith("/"):
        through, expected = f"/proc/{pid}/root{text}", os.path.normpath(text)
    else:
        through = f"{start}/{text}" if text else start
        expected = os.path.normpath(f"{os.readlink(start)}/{text}")  # noqa: PTH115 - fast
    try:
        handle = os.open(through, os.O_PATH | os.O_CLOEXEC)
    except FileNotFoundError:
        if not made and "/proc/" not in text and "/dev/" not in text:
            return "", 0
        handle = -1
    except PermissionError:
        return expected, 0
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        return expected, stat.S_IFREG  # too long with what we put before it
    if handle >= 0:
        try:
            found = os.readlink(f"/proc/self/fd/{handle}")  # noqa: PTH115 - fast
            mode = os.fstat(handle).st_mode
        finally:
            os.close(handle)
        if found == expected:
            return found, mode
    path = walk(pid, start, text, last=True)
    return path, _mode(pid, path)


def walk(pid: int, start: str, text: str, *, last: bool) -> str:
    """Follow a path part by part; `last` says whether its last part is followed, if a link."""
    place = "/" if text.startswith("/") else os.readlink(start)  # noqa: PTH115 - fast
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
        target = _link(pid, here) if last or any(rest) else None
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


def _link(pid: int, path: str) -> str | None:
    """What a link says; None where there is none."""
    if path == "/proc/self":
        return str(pid)
    if path == "/proc/thread-self":
        return f"{pid}/task/{pid}"
    try:
        return os.readlink(f"/proc/{pid}/root{path}")  # noqa: PTH115 - fast
    except OSError:
        return None


def _is_elsewhere(pid: int, other: str) -> bool:
    """Whether another process sees other files, so that a path of its says nothing here."""
    try:
        one, two = os.stat(f"/proc/{pid}/ns/mnt"), os.stat(f"{other}/ns/mnt")  # noqa: PTH116
    except OSError:
        return True
    return one.st_ino != two.st_ino


def _mode(pid: int, path: str) -> int:
    try:
        return os.stat(f"/proc/{pid}/root{path}").st_mode if path else 0  # noqa: PTH116 - fast
    except OSError:
        return 0
