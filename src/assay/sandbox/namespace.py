"""A private view of the file system: everything read-only, but for what is the run's own.

Needs Linux 5.12 and either the right to mount or user namespaces; `can_enter` tries it.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Sequence
from pathlib import Path

_NEW_MOUNTS, _NEW_USER, _NEW_IPC = 0x00020000, 0x10000000, 0x08000000
_BIND, _RECURSIVE, _PRIVATE = 0x1000, 0x4000, 0x40000
_SET_ATTRIBUTES = 442
_AT_FOLDER, _AT_RECURSIVE = -100, 0x8000
_READ_ONLY = 1
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a fresh one is mounted there
_DROP_RIGHT = 24
_RIGHTS = (2, 16, 17, 18, 19, 21, 22, 27, 38, 39, 40)
"""Opening by handle, modules, raw disks, another root, looking into processes, administration,
rebooting, making devices, and what was split off from administration since: with these, a command
of root's would reach past any view, for example through the root of a process outside."""


def enter(
    library: ctypes.CDLL,
    *,
    writable: Sequence[str],
    covers: Sequence[tuple[str, str]],
    folder: str = "/",
) -> None:
    """Make this process's view private, where only `writable` folders can be written to.

    `covers` are pairs: a folder, which can be written to, and the path at which it shows. Memory
    that processes share is the run's own, too, and outlives it nowhere; but where one of these
    folders, or the one that it runs in, lies in there, it is only read-only.
    """
    user, group = os.geteuid(), os.getegid()
    if library.unshare(_NEW_MOUNTS | _NEW_IPC) != 0:
        _check(library.unshare(_NEW_MOUNTS | _NEW_IPC | _NEW_USER), "no namespace")
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    _mount(library, None, "/", None, _RECURSIVE | _PRIVATE)
    _set_read_only(library, "/", on=True, deep=True)
    for source, target in (*((one, one) for one in writable), *covers):
        _mount(library, source, target, None, _BIND)
        _set_read_only(library, target, on=False, deep=False)
    named = (folder, *writable, *(one for pair in covers for one in pair))
    if os.path.isdir(_SHARED_MEMORY) and not any(in_shared_memory(one) for one in named):  # noqa: PTH112
        _mount(library, "tmpfs", _SHARED_MEMORY, "tmpfs", 0)
    for right in _RIGHTS:  # where it was never there, there is nothing to drop
        library.prctl(_DROP_RIGHT, right, 0, 0, 0)


def in_shared_memory(path: str) -> bool:
    """Whether a folder would be hidden by a fresh memory to share."""
    return f"{path}/".startswith(f"{_SHARED_MEMORY}/")


def can_enter() -> bool:
    """Whether such a view can be had here, found out by a process that tries."""
    if sys.platform != "linux":
        return False
    child = os.fork()
    if child == 0:
        try:
            enter(ctypes.CDLL(None, use_errno=True), writable=(), covers=())
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _mount(
    library: ctypes.CDLL, source: str | None, target: str, kind: str | None, flags: int
) -> None:
    words = [None if word is None else os.fsencode(word) for word in (source, target, kind)]
    done = library.mount(*words, ctypes.c_ulong(flags), None)
    _check(done, f"{target} cannot be mounted")


def _set_read_only(library: ctypes.CDLL, path: str, *, on: bool, deep: bool) -> None:
    wanted = (_READ_ONLY, 0) if on else (0, _READ_ONLY)
    attributes = struct.pack("QQQQ", *wanted, 0, 0)
    done = library.syscall(
        ctypes.c_long(_SET_ATTRIBUTES),
        ctypes.c_int(_AT_FOLDER),
        os.fsencode(path),
        ctypes.c_uint(_AT_RECURSIVE if deep else 0),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    _check(done, f"{path} cannot be made read-only or writable")


def _write(path: str, text: str) -> None:
    Path(path).write_text(text, encoding="ascii")


def _check(done: int, said: str) -> None:
    if done != 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{said}: {os.strerror(number)}")
