"""The system calls that name files, and a filter that has the warden told of each (seccomp).

The numbers are Linux's, by machine. A call that names a file by other means than a path is refused,
since nobody could say what it opened: io_uring, and opening by handle.
"""

import ctypes
import errno
import os
import platform
import struct
from dataclasses import dataclass

_SECCOMP = {"x86_64": 317, "aarch64": 277}
_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {
        "open": 2, "openat": 257, "openat2": 437, "creat": 85, "truncate": 76, "rename": 82,
        "renameat": 264, "renameat2": 316, "unlink": 87, "unlinkat": 263, "mkdir": 83,
        "mkdirat": 258, "rmdir": 84, "link": 86, "linkat": 265, "symlink": 88, "symlinkat": 266,
        "mknod": 133, "mknodat": 259, "execve": 59, "execveat": 322, "connect": 42,
    },
    "aarch64": {
        "openat": 56, "openat2": 437, "truncate": 45, "renameat": 38, "renameat2": 276,
        "unlinkat": 35, "mkdirat": 34, "linkat": 37, "symlinkat": 36, "mknodat": 33,
        "execve": 221, "execveat": 281, "connect": 203,
    },
}  # fmt: skip
_REFUSED = {
    "x86_64": {"open_by_handle_at": 304, "io_uring_setup": 425},
    "aarch64": {"open_by_handle_at": 265, "io_uring_setup": 425},
}
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _TELL, _ERROR = 0x7FFF0000, 0x7FC00000, 0x00050000
_NO_NEW_PRIVILEGES, _DIE_WITH_PARENT = 38, 1
_SET_FILTER, _NEW_LISTENER = 1, 8


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where a call has a path: the argument of the folder it is seen from, and of the path."""

    folder: int | None
    path: int
    writes: bool


PLACES: dict[str, tuple[Place, ...]] = {
    "truncate": (Place(folder=None, path=0, writes=True),),
    "rename": (
        Place(folder=None, path=0, writes=True),
        Place(folder=None, path=1, writes=True),
    ),
    "renameat": (Place(folder=0, path=1, writes=True), Place(folder=2, path=3, writes=True)),
    "renameat2": (Place(folder=0, path=1, writes=True), Place(folder=2, path=3, writes=True)),
    "unlink": (Place(folder=None, path=0, writes=True),),
    "unlinkat": (Place(folder=0, path=1, writes=True),),
    "mkdir": (Place(folder=None, path=0, writes=True),),
    "mkdirat": (Place(folder=0, path=1, writes=True),),
    "rmdir": (Place(folder=None, path=0, writes=True),),
    "link": (Place(folder=None, path=0, writes=False), Place(folder=None, path=1, writes=True)),
    "linkat": (Place(folder=0, path=1, writes=False), Place(folder=2, path=3, writes=True)),
    "symlink": (Place(folder=None, path=1, writes=True),),
    "symlinkat": (Place(folder=1, path=2, writes=True),),
    "mknod": (Place(folder=None, path=0, writes=True),),
    "mknodat": (Place(folder=0, path=1, writes=True),),
}
"""The calls other than opening, running and connecting, and the paths that they have."""


def known_machine() -> bool:
    """Whether the numbers are known of this machine."""
    return os.name == "posix" and platform.system() == "Linux" and platform.machine() in _NUMBERS


def names_by_number() -> dict[int, str]:
    """The calls that are told of, by number."""
    return {number: name for name, number in _NUMBERS[platform.machine()].items()}


def install_filter(library: ctypes.CDLL) -> int:
    """Have every later call of this process told of; the descriptor on which it is."""
    program = _program(platform.machine())
    code = ctypes.create_string_buffer(program, len(program))
    head = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(code))
    described = ctypes.create_string_buffer(head, len(head))
    if library.prctl(_NO_NEW_PRIVILEGES, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "no new privileges")
    number = _SECCOMP[platform.machine()]
    listener = library.syscall(
        ctypes.c_long(number),
        ctypes.c_ulong(_SET_FILTER),
        ctypes.c_ulong(_NEW_LISTENER),
        described,
    )
    if listener < 0:
        raise OSError(ctypes.get_errno(), "no filter of system calls")
    return int(listener)


def die_with_parent(library: ctypes.CDLL) -> None:
    """Be killed when the one who started this process is gone."""
    library.prctl(_DIE_WITH_PARENT, 9, 0, 0, 0)


def _program(machine: str) -> bytes:
    """The filter, in the kernel's own small language: eight bytes an instruction."""
    told = sorted(_NUMBERS[machine].values())
    refused = sorted(_REFUSED[machine].values())
    tests = [(_EQUAL, number, "tell") for number in told]
    tests += [(_EQUAL, number, "refuse") for number in refused]
    if machine == "x86_64":
        tests.insert(0, (_AT_LEAST, _X32, "refuse"))
    # load machine; other? refuse; load number; tests...; allow; tell; refuse
    ends = {"allow": len(tests), "tell": len(tests) + 1, "refuse": len(tests) + 2}
    lines = [(_LOAD, 0, 0, 4), (_EQUAL, 0, ends["refuse"] + 1, _ARCHITECTURE[machine])]
    lines.append((_LOAD, 0, 0, 0))
    for place, (test, number, end) in enumerate(tests):
        lines.append((test, ends[end] - place - 1, 0, number))
    lines += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _TELL)]
    lines.append((_RETURN, 0, 0, _ERROR | errno.ENOSYS))
    return b"".join(struct.pack("HBBI", *line) for line in lines)
