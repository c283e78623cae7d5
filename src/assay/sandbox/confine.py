"""Hold the present process to a job's restrictions, before it runs the command.

The launcher and the warden's children call this; restrictions come as `Job.restrictions` gives
them. `isolate` comes first: it changes what the process can reach, for its later children as well.
`restrict` comes last: it bounds the process itself.

A private view needs Linux 5.12 and either the right to mount or user namespaces.
"""

import os
import resource
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from assay.sandbox import syscalls
from assay.sandbox.syscalls import NEW_IPC, NEW_MOUNTS, NEW_NETWORK, NEW_PROCESSES, NEW_USER

_APART = NEW_NETWORK | NEW_PROCESSES | NEW_IPC
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a fresh one is mounted there
_DROPPED_CAPABILITIES = (2, 16, 17, 18, 19, 21, 22, 27, 38, 39, 40)
"""Opening by handle, modules, raw disks, another root, looking into processes, administration,
rebooting, making devices, and what was split off from administration since: with these, a command
of root's would reach past any view, for example through the root of a process outside."""
_LIMITS = {
    "memory": resource.RLIMIT_AS,
    "data": resource.RLIMIT_DATA,
    "cpu_seconds": resource.RLIMIT_CPU,
    "processes": resource.RLIMIT_NPROC,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
}


def isolate(restrictions: Mapping[str, Any]) -> None:
    """Take namespaces, a view and a user of its own, as far as the job asks for them.

    Without a network there is a new process namespace: the next child is the first in it. Where
    only a user namespace gives these, ids are not mapped: all rights in it end with the next
    program.
    """
    network, identity, view = (restrictions[name] for name in ("network", "identity", "view"))
    apart = network
    if not network:
        if identity is None:
            syscalls.unshare(NEW_USER | _APART)
            apart = True
        else:
            with suppress(OSError):
                syscalls.unshare(_APART)
                apart = True
    folder = restrictions["folder"] or os.getcwd()  # noqa: PTH109 - the launcher starts quickly
    if view is not None:
        enter_view(**view, folder=folder)
    os.chdir(folder)
    if identity is not None:
        uid, reads_all = identity
        syscalls.become_user(uid, reads_all=reads_all)
    if not apart:
        syscalls.unshare(NEW_USER | _APART)
    if identity is not None or not network:
        syscalls.hide_from_users()


def restrict(restrictions: Mapping[str, Any]) -> None:
    """Lead a session, end with the parent, keep to the limits, and gain no privilege."""
    os.setsid()
    syscalls.die_with_parent()
    limits = restrictions["limits"]
    if limits is not None:
        _lower(resource.RLIMIT_CORE, 0)
        for name, most in limits.items():
            if most is not None:
                _lower(_LIMITS[name], most)
    syscalls.renounce_new_privileges()


def enter_view(
    *, writable: Sequence[str], covers: Sequence[Sequence[str]], folder: str = "/"
) -> None:
    """Make this process's view of the files private; only `writable` and `covers` can be written.

    Shared memory is private as well, unless one of these folders or the working directory lies
    there: then it is read-only.
    """
    user, group = os.geteuid(), os.getegid()
    try:
        syscalls.unshare(NEW_MOUNTS | NEW_IPC)
    except OSError:
        syscalls.unshare(NEW_MOUNTS | NEW_IPC | NEW_USER)
        _write("/proc/self/setgroups", "deny")
        _write("/proc/self/uid_map", f"{user} {user} 1")
        _write("/proc/self/gid_map", f"{group} {group} 1")
    syscalls.mount(None, "/", None, syscalls.RECURSIVE | syscalls.PRIVATE)
    syscalls.set_read_only("/", on=True, deep=True)
    for source, target in (*((path, path) for path in writable), *covers):
        syscalls.mount(source, target, None, syscalls.BIND)
        syscalls.set_read_only(target, on=False, deep=False)
    named = (folder, *writable, *(path for pair in covers for path in pair))
    if os.path.isdir(_SHARED_MEMORY) and not any(map(in_shared_memory, named)):  # noqa: PTH112
        syscalls.mount("tmpfs", _SHARED_MEMORY, "tmpfs", 0)
    for number in _DROPPED_CAPABILITIES:
        with suppress(OSError):  # a capability that is not ours need not be dropped
            syscalls.drop_capability(number)


def in_shared_memory(path: str) -> bool:
    """Whether a folder lies in the memory that processes share."""
    return f"{path}/".startswith(f"{_SHARED_MEMORY}/")


def can_enter_view() -> bool:
    """Try in a child process whether a private view can be had."""
    if sys.platform != "linux":
        return False
    child = os.fork()
    if child == 0:
        try:
            enter_view(writable=(), covers=())
            os._exit(0)
        except BaseException:
            os._exit(1)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def _lower(limit: int, most: int) -> None:
    hard = resource.getrlimit(limit)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (most, most))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:  # noqa: PTH123 - see above
        file.write(text)
