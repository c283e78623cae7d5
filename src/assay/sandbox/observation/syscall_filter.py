"""The system calls through which data can enter a command, and a seccomp filter to report them.

Numbers by machine: from `asm/unistd_64.h`, and for aarch64 from `asm-generic/unistd.h`. Besides
files the calls are about sockets, objects that the kernel keeps for several processes (System V and
POSIX objects, keys, BPF), and the memory of other processes. Calls that would hide an opened file
are refused: those that name a file without a path (io_uring, opening by handle, taking another
process's descriptor), and those that change what paths mean (mounting, another root, and openat2,
which can take any folder as root; programs that try it fall back to openat).
"""

import errno
import os
import platform
import struct
from collections.abc import Sequence
from dataclasses import dataclass, replace

from assay.sandbox.syscalls import install_listener

_ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_X32 = 0x40000000
_NUMBERS: dict[str, dict[str, int]] = {
    "x86_64": {
        "open": 2, "openat": 257, "creat": 85, "truncate": 76, "rename": 82,
        "renameat": 264, "renameat2": 316, "unlink": 87, "unlinkat": 263, "mkdir": 83,
        "mkdirat": 258, "rmdir": 84, "link": 86, "linkat": 265, "symlink": 88, "symlinkat": 266,
        "mknod": 133, "mknodat": 259, "execve": 59, "execveat": 322, "connect": 42, "bind": 49,
        "socket": 41, "listen": 50,
        "readlink": 89, "readlinkat": 267, "getxattr": 191, "lgetxattr": 192, "fgetxattr": 193,
        "listxattr": 194, "llistxattr": 195, "flistxattr": 196, "shmget": 29, "shmat": 30,
        "shmctl": 31, "msgget": 68, "msgrcv": 70, "msgctl": 71, "semget": 64, "semop": 65,
        "semctl": 66, "semtimedop": 220, "mq_open": 240, "add_key": 248, "request_key": 249,
        "keyctl": 250, "bpf": 321, "ptrace": 101, "process_vm_readv": 310,
        "process_vm_writev": 311, "prlimit64": 302, "setpriority": 141, "getpriority": 140,
        "sched_setparam": 142, "sched_getparam": 143, "sched_setscheduler": 144,
        "sched_getscheduler": 145, "sched_setaffinity": 203, "sched_getaffinity": 204,
        "sched_setattr": 314, "sched_getattr": 315, "ioprio_set": 251, "ioprio_get": 252,
        "chmod": 90, "fchmod": 91, "fchmodat": 268, "fchmodat2": 452, "chown": 92, "fchown": 93,
        "lchown": 94, "fchownat": 260, "utime": 132, "utimes": 235, "futimesat": 261,
        "utimensat": 280, "setxattr": 188, "lsetxattr": 189, "fsetxattr": 190,
        "removexattr": 197, "lremovexattr": 198, "fremovexattr": 199,
        "sendmsg": 46, "sendmmsg": 307,
    },
    "aarch64": {
        "openat": 56, "truncate": 45, "renameat": 38, "renameat2": 276,
        "unlinkat": 35, "mkdirat": 34, "linkat": 37, "symlinkat": 36, "mknodat": 33,
        "execve": 221, "execveat": 281, "connect": 203, "bind": 200, "socket": 198,
        "listen": 201, "fchmod": 52, "fchmodat": 53, "fchmodat2": 452, "fchown": 55,
        "fchownat": 54, "utimensat": 88, "setxattr": 5,
        "lsetxattr": 6, "fsetxattr": 7, "removexattr": 14, "lremovexattr": 15, "fremovexattr": 16,
        "sendmsg": 211, "sendmmsg": 269,
        "readlinkat": 78, "getxattr": 8, "lgetxattr": 9, "fgetxattr": 10, "listxattr": 11,
        "llistxattr": 12, "flistxattr": 13, "shmget": 194, "shmat": 196, "shmctl": 195,
        "msgget": 186, "msgrcv": 188, "msgctl": 187, "semget": 190, "semop": 193, "semctl": 191,
        "semtimedop": 192, "mq_open": 180, "add_key": 217, "request_key": 218, "keyctl": 219,
        "bpf": 280, "ptrace": 117, "process_vm_readv": 270, "process_vm_writev": 271,
        "prlimit64": 261, "setpriority": 140, "getpriority": 141, "sched_setparam": 118,
        "sched_getparam": 121, "sched_setscheduler": 119, "sched_getscheduler": 120,
        "sched_setaffinity": 122, "sched_getaffinity": 123, "sched_setattr": 274,
        "sched_getattr": 275, "ioprio_set": 30, "ioprio_get": 31,
    },
}  # fmt: skip
_SEND_TO = {"x86_64": 44, "aarch64": 206}
"""Reported if the call names a receiver; otherwise the socket is connected or a pair."""
_REFUSED_EVERYWHERE = {
    "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427,
    "open_tree": 428, "move_mount": 429, "fsopen": 430, "fsconfig": 431, "fsmount": 432,
    "fspick": 433, "mount_setattr": 442, "open_tree_attr": 467,
    "openat2": 437, "pidfd_getfd": 438, "setxattrat": 463, "getxattrat": 464, "listxattrat": 465,
    "removexattrat": 466, "file_getattr": 468, "file_setattr": 469,
}  # fmt: skip
_REFUSED = {
    "x86_64": {
        "open_by_handle_at": 304, "mount": 165, "umount2": 166, "pivot_root": 155, "chroot": 161,
        "setns": 308, "uselib": 134,
    },
    "aarch64": {
        "open_by_handle_at": 265, "mount": 40, "umount2": 39, "pivot_root": 41, "chroot": 51,
        "setns": 268,
    },
}  # fmt: skip
_LOAD, _EQUAL, _AT_LEAST, _RETURN = 0x20, 0x15, 0x35, 0x06
_ALLOW, _TELL, _ERROR = 0x7FFF0000, 0x7FC00000, 0x00050000
_FIFTH_ARGUMENT = 16 + 4 * 8


@dataclass(frozen=True, kw_only=True)
class PathArgument:
    """Which arguments of a call hold a path, and the folder it is relative to.

    Without a path, the folder's argument is the file itself. `follows`: the call acts on a link's
    target, unless the argument `unless` says otherwise; if not, the argument `asked` may ask for
    it. `carries`: the file moves to another path with its content; `swapped`: the argument that
    makes two files swap places.
    """

    folder: int | None
    path: int | None
    writes: bool = True
    follows: bool = False
    unless: int | None = None
    asked: int | None = None
    carries: bool = False
    swapped: int | None = None

    def follows_by(self, arguments: Sequence[int]) -> bool:
        """Whether a call with these arguments acts on the target of a link."""
        if self.follows:
            return self.unless is None or not arguments[self.unless] & _NO_FOLLOW
        return self.asked is not None and bool(arguments[self.asked] & _FOLLOW)


_NO_FOLLOW, _FOLLOW = 0x100, 0x400
SWAP = 2
_AT_0 = PathArgument(folder=None, path=0)
_BELOW = PathArgument(folder=0, path=1)
_LED_TO = PathArgument(folder=None, path=0, follows=True)
_LED_TO_BELOW = PathArgument(folder=0, path=1, follows=True)
_OPENED = PathArgument(folder=0, path=None, follows=True)
_TWO = (replace(_BELOW, carries=True), PathArgument(folder=2, path=3))

PATH_ARGUMENTS: dict[str, tuple[PathArgument, ...]] = {
    "rename": (replace(_AT_0, carries=True), PathArgument(folder=None, path=1)),
    "renameat": _TWO,
    "renameat2": (_TWO[0], replace(_TWO[1], swapped=4)),
    "link": (replace(_AT_0, writes=False), PathArgument(folder=None, path=1)),
    "linkat": (replace(_BELOW, writes=False, asked=4), PathArgument(folder=2, path=3)),
    "symlink": (PathArgument(folder=None, path=1),),
    "symlinkat": (PathArgument(folder=1, path=2),),
    **dict.fromkeys(("unlink", "mkdir", "rmdir", "mknod"), (_AT_0,)),
    **dict.fromkeys(("unlinkat", "mkdirat", "mknodat"), (_BELOW,)),
    **dict.fromkeys(("truncate", "chmod", "chown", "utime", "utimes"), (_LED_TO,)),
    **dict.fromkeys(("setxattr", "removexattr"), (_LED_TO,)),
    **dict.fromkeys(("lchown", "lsetxattr", "lremovexattr"), (_AT_0,)),
    **dict.fromkeys(("fchmodat", "futimesat"), (_LED_TO_BELOW,)),
    **dict.fromkeys(("fchmodat2", "utimensat"), (replace(_LED_TO_BELOW, unless=3),)),
    "fchownat": (replace(_LED_TO_BELOW, unless=4),),
    **dict.fromkeys(("fchmod", "fchown", "fsetxattr", "fremovexattr"), (_OPENED,)),
}
"""Calls other than opening, running and connecting, and their path arguments."""

_READ_LINK = PathArgument(folder=None, path=0, writes=False)
METADATA_ARGUMENTS: dict[str, PathArgument] = {
    "readlink": _READ_LINK,
    "readlinkat": replace(_READ_LINK, folder=0, path=1),
    **dict.fromkeys(("getxattr", "listxattr"), replace(_LED_TO, writes=False)),
    **dict.fromkeys(("lgetxattr", "llistxattr"), _READ_LINK),
    **dict.fromkeys(("fgetxattr", "flistxattr"), replace(_OPENED, writes=False)),
}
"""Calls that read the target of a link, or extended attributes."""

KERNEL_OBJECTS: dict[str, str] = {
    **dict.fromkeys(("shmget", "shmat", "shmctl"), "System V shared memory"),
    **dict.fromkeys(("msgget", "msgrcv", "msgctl"), "a System V message queue"),
    **dict.fromkeys(("semget", "semop", "semctl", "semtimedop"), "System V semaphores"),
    "mq_open": "a POSIX message queue",
    **dict.fromkeys(("add_key", "request_key", "keyctl"), "kernel keys"),
    "bpf": "BPF",
}
"""Calls that reach objects which the kernel keeps for several processes, and their names."""


@dataclass(frozen=True, kw_only=True)
class ProcessArgument:
    """Which argument of a call holds a pid, or a group's; 0 is the caller.

    If the argument `kind` equals `users`, the call is about all processes of a user.
    """

    number: int
    kind: int | None = None
    users: int = 0


_FIRST = ProcessArgument(number=0)
OTHER_PROCESS: dict[str, ProcessArgument] = {
    "ptrace": ProcessArgument(number=1),
    **dict.fromkeys(("process_vm_readv", "process_vm_writev", "prlimit64"), _FIRST),
    **dict.fromkeys(("sched_setparam", "sched_getparam", "sched_setscheduler"), _FIRST),
    **dict.fromkeys(("sched_getscheduler", "sched_setaffinity", "sched_getaffinity"), _FIRST),
    **dict.fromkeys(("sched_setattr", "sched_getattr"), _FIRST),
    **dict.fromkeys(("setpriority", "getpriority"), ProcessArgument(number=1, kind=0, users=2)),
    **dict.fromkeys(("ioprio_set", "ioprio_get"), ProcessArgument(number=1, kind=0, users=3)),
}
"""Calls that reach into another process, or read and set values stored with it."""


def known_machine() -> bool:
    """Whether the call numbers of this machine are known."""
    return os.name == "posix" and platform.system() == "Linux" and platform.machine() in _NUMBERS


def names_by_number() -> dict[int, str]:
    """The names of the reported calls, by number."""
    machine = platform.machine()
    named = _NUMBERS[machine] | {"sendto": _SEND_TO[machine]}
    return {number: name for name, number in named.items()}


def install_filter() -> int:
    """Report every later call of this thread and of the processes it starts.

    Returns the descriptor of the reports. The thread must have renounced new privileges before.
    """
    return install_listener(_program(platform.machine()))


def _program(machine: str) -> bytes:
    """The filter as a BPF program, eight bytes an instruction."""
    reported = sorted(_NUMBERS[machine].values())
    refused = sorted((_REFUSED[machine] | _REFUSED_EVERYWHERE).values())
    tests = [(_EQUAL, number, "tell") for number in reported]
    tests += [(_EQUAL, number, "refuse") for number in refused]
    tests.append((_EQUAL, _SEND_TO[machine], "to whom"))
    if machine == "x86_64":
        tests.insert(0, (_AT_LEAST, _X32, "refuse"))
    ends = [
        ("allow", (_RETURN, 0, 0, _ALLOW)),
        (
            "to whom",
            (_LOAD, 0, 0, _FIFTH_ARGUMENT),
        ),  # an address is given if either half is not zero
        ("", (_EQUAL, 0, 2, 0)),
        ("", (_LOAD, 0, 0, _FIFTH_ARGUMENT + 4)),
        ("", (_EQUAL, 1, 0, 0)),
        ("tell", (_RETURN, 0, 0, _TELL)),
        ("", (_RETURN, 0, 0, _ALLOW)),
        ("refuse", (_RETURN, 0, 0, _ERROR | errno.ENOSYS)),
    ]
    at = {name: len(tests) + number for number, (name, _) in enumerate(ends)}
    # load machine; other? refuse; load number; tests...; ends
    lines = [(_LOAD, 0, 0, 4), (_EQUAL, 0, at["refuse"] + 1, _ARCHITECTURE[machine])]
    lines.append((_LOAD, 0, 0, 0))
    for place, (test, number, end) in enumerate(tests):
        lines.append((test, at[end] - place - 1, 0, number))
    lines += [line for _, line in ends]
    return b"".join(struct.pack("HBBI", *line) for line in lines)
