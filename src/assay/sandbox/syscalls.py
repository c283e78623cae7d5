"""Linux system calls that Python lacks, as functions that raise OSError.

Only this module uses ctypes. C functions are looked up when called, so the module can be imported
on any system.
"""

import ctypes
import errno
import os
import struct

NEW_MOUNTS, NEW_IPC, NEW_USER = 0x00020000, 0x08000000, 0x10000000
NEW_PROCESSES, NEW_NETWORK = 0x20000000, 0x40000000
BIND, RECURSIVE, PRIVATE = 0x1000, 0x4000, 0x40000
FILE_OPENED, FILE_READ = 0x20, 0x1
_DEATH_SIGNAL, _DUMPABLE, _DROP_CAPABILITY = 1, 4, 24
_SUBREAPER, _NO_NEW_PRIVILEGES = 36, 38
_CAPABILITIES = struct.pack("Ii", 0x20080522, 0)
"""The version of the two structures below, and this process."""
_KILL = 9
_AT_FOLDER, _AT_RECURSIVE = -100, 0x8000
_READ_ONLY = 1
_EXCHANGE = 2
_SECCOMP = {"x86_64": 317, "aarch64": 277}
_SET_FILTER, _NEW_LISTENER = 1, 8
_OPEN_2, _SET_MOUNT_ATTRIBUTES = ctypes.c_long(437), ctypes.c_long(442)
_GET_DESCRIPTOR = ctypes.c_long(438)
_IN_ROOT, _NO_LINKS = 0x10, 0x04
_LIBRARY = ctypes.CDLL(None, use_errno=True)
_NONE, _ONE = ctypes.c_ulong(0), ctypes.c_ulong(1)
_OPEN_HOW, _HOW_SIZE = ctypes.c_uint64 * 3, ctypes.c_size_t(24)
_FOLLOWING = _OPEN_HOW(os.O_PATH | os.O_CLOEXEC, 0, _IN_ROOT)
_NOT_FOLLOWING = _OPEN_HOW(os.O_PATH | os.O_CLOEXEC, 0, _IN_ROOT | _NO_LINKS)


def die_with_parent(signal: int = _KILL) -> None:
    """Have this process killed, or signalled, when its parent ends. A change of user undoes it."""
    _control(_DEATH_SIGNAL, signal)


def become_subreaper() -> None:
    """Become the parent of orphaned descendants."""
    _control(_SUBREAPER, 1)


def hide_from_users(*, on: bool = True) -> None:
    """Keep other processes of the same user from reading this one."""
    _control(_DUMPABLE, not on)


def renounce_new_privileges() -> None:
    """Never gain privileges by running a program."""
    _control(_NO_NEW_PRIVILEGES, 1)


def drop_capability(number: int) -> None:
    """Deny a capability to every program that this process runs."""
    _control(_DROP_CAPABILITY, number)


def hand_on_no_capability() -> None:
    """Make no capability inheritable, so that no program gets around `drop_capability`."""
    header = ctypes.create_string_buffer(_CAPABILITIES, len(_CAPABILITIES))
    held = (ctypes.c_uint32 * 6)()  # effective, permitted and inheritable, in two halves
    _check(_LIBRARY.capget(header, held))
    held[2] = held[5] = 0
    _check(_LIBRARY.capset(header, held))


def become_user(uid: int) -> None:
    """Become another user for good."""
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)


def unshare(flags: int) -> None:
    """Enter new namespaces."""
    _check(_LIBRARY.unshare(flags))


def mount(
    source: str | None, target: str, kind: str | None, flags: int, options: str | None = None
) -> None:
    """Mount a file system, or change how one is mounted."""
    words = [
        None if word is None else os.fsencode(word) for word in (source, target, kind, options)
    ]
    status = _LIBRARY.mount(*words[:3], ctypes.c_ulong(flags), words[3])
    _check(status, f"{target} cannot be mounted")


def set_read_only(path: str, *, on: bool, deep: bool) -> None:
    """Make a mount read-only or writable; `deep` reaches the mounts below it (Linux 5.12)."""
    set_and_clear = (_READ_ONLY, 0) if on else (0, _READ_ONLY)
    attributes = struct.pack("QQQQ", *set_and_clear, 0, 0)
    status = _LIBRARY.syscall(
        _SET_MOUNT_ATTRIBUTES,
        ctypes.c_int(_AT_FOLDER),
        os.fsencode(path),
        ctypes.c_uint(_AT_RECURSIVE if deep else 0),
        attributes,
        ctypes.c_size_t(len(attributes)),
    )
    _check(status, f"{path} cannot be made read-only or writable")


def exchange(first: str | os.PathLike[str], second: str | os.PathLike[str]) -> bool:
    """Swap two names in one step; False where this system or its disk cannot."""
    if not hasattr(_LIBRARY, "renameat2"):
        return False
    names = os.fsencode(first), os.fsencode(second)
    if _LIBRARY.renameat2(_AT_FOLDER, names[0], _AT_FOLDER, names[1], _EXCHANGE) == 0:
        return True
    number = ctypes.get_errno()
    if number in (errno.EINVAL, errno.ENOSYS):
        return False
    raise OSError(number, os.strerror(number), os.fspath(second))


def open_watch() -> int:
    """A descriptor of inotify, on which opened files are reported."""
    return _check(_LIBRARY.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC))


def add_watch(watch: int, path: str | os.PathLike[str], events: int) -> int:
    """Report events of a file; the number that identifies them."""
    return _check(_LIBRARY.inotify_add_watch(watch, os.fsencode(path), events))


def install_listener(program: bytes) -> int:
    """Filter the system calls of this process from now on; the descriptor that reports them."""
    code = ctypes.create_string_buffer(program, len(program))
    header = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    described = ctypes.create_string_buffer(header, len(header))
    listener = _LIBRARY.syscall(
        ctypes.c_long(_SECCOMP[os.uname().machine]),
        ctypes.c_ulong(_SET_FILTER),
        ctypes.c_ulong(_NEW_LISTENER),
        described,
    )
    return _check(listener, "no filter of system calls")


def open_in_root(root: int, path: str, *, links: bool) -> int:
    """Open a path below `root` without reading it; without `links`, no link is followed."""
    status = _LIBRARY.syscall(
        _OPEN_2, root, os.fsencode(path), _FOLLOWING if links else _NOT_FOLLOWING, _HOW_SIZE
    )
    return _check(status)


def copy_descriptor(process: int, number: int) -> int:
    """Copy an open descriptor of another process, given by its pidfd."""
    return _check(_LIBRARY.syscall(_GET_DESCRIPTOR, process, number, 0))


class MemoryReader:
    """Reads other processes' memory, at most `most` bytes at a time; for one thread."""

    def __init__(self, most: int) -> None:
        self._call = getattr(_LIBRARY, "process_vm_readv", None)
        self._data = ctypes.create_string_buffer(most)
        self._ours = (ctypes.c_size_t * 2)(ctypes.addressof(self._data), most)
        self._theirs = (ctypes.c_size_t * 2)()

    def read(self, pid: int, address: int, size: int) -> bytes:
        """Exactly `size` bytes of a process's memory."""
        if self._call is None:
            raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
        self._theirs[0], self._theirs[1] = address, size
        count = _check(self._call(pid, self._ours, _ONE, self._theirs, _ONE, _NONE))
        if count != size:
            raise OSError(errno.EFAULT, os.strerror(errno.EFAULT))
        return ctypes.string_at(self._data, count)


def _control(option: int, *values: int) -> None:
    """Call prctl, whose arguments are machine words."""
    _check(_LIBRARY.prctl(option, *map(ctypes.c_ulong, (*values, 0, 0, 0)[:4])))


def _check(status: int, subject: str = "") -> int:
    """The result of a call; raises its error."""
    if status < 0:
        number = ctypes.get_errno()
        text = os.strerror(number)
        raise OSError(number, f"{subject}: {text}" if subject else text)
    return status
