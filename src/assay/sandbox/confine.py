"""Apply a job's restrictions to the present process, before it runs the command.

The launcher and the warden's children call this, with the dictionary of `Job.restrictions`.
`isolate` comes first: it limits what the process and its later children can reach. `restrict` comes
last: it limits the process itself.

A private view needs Linux 5.12 and either the right to mount or user namespaces.
"""

import os
import resource
import select
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from assay.sandbox import syscalls
from assay.sandbox.syscalls import NEW_IPC, NEW_MOUNTS, NEW_NETWORK, NEW_PROCESSES, NEW_USER

_APART = NEW_NETWORK | NEW_PROCESSES | NEW_IPC
_SHARED_MEMORY = "/dev/shm"  # noqa: S108 - a new one is mounted there
_SMALL = "mode=1777,size=64m"
_DROPPED_CAPABILITIES = (2, 16, 17, 18, 19, 21, 22, 27, 38, 39, 40)
"""Opening by handle, modules, raw disks, another root, tracing processes, administration,
rebooting, making devices, and the capabilities that were split off from administration since: with
these, a command run as root could leave its view, for example through the root of another
process."""
_LIMITS = {
    "memory": resource.RLIMIT_AS,
    "data": resource.RLIMIT_DATA,
    "cpu_seconds": resource.RLIMIT_CPU,
    "processes": resource.RLIMIT_NPROC,
    "file_bytes": resource.RLIMIT_FSIZE,
    "open_files": resource.RLIMIT_NOFILE,
}


def isolate(restrictions: Mapping[str, Any]) -> None:
    """Enter the namespaces, the view and the user that the job asks for.

    A job without network gets a new process namespace; the next child is its first process. Root
    has the right to do this and then becomes the job's user. Otherwise a user namespace grants the
    right, which ends with the next program.
    """
    network, identity, view = (restrictions[name] for name in ("network", "identity", "view"))
    folder = restrictions["folder"] or os.getcwd()  # noqa: PTH109 - the launcher starts quickly
    apart = network
    if not network:
        with suppress(OSError):
            if identity is not None:
                syscalls.unshare(_APART)
                apart = True
        if not apart:
            _become(identity)
            _enter_user_namespace(_APART)
    if view is not None:
        enter_view(**view, folder=folder)
    os.chdir(folder)
    if apart:
        _become(identity)
    if identity is not None or not network:
        syscalls.hide_from_users()


def _become(identity: int | None) -> None:
    if identity is not None:
        syscalls.become_user(identity)


def restrict(restrictions: Mapping[str, Any], *, parent: int) -> None:
    """Start a session, end with the parent, apply the limits, and renounce new privileges.

    `parent` is one end of a pipe or socket; only the parent holds the other.
    """
    os.setsid()
    syscalls.die_with_parent()
    if is_cut_off(parent):  # the parent ended before this process was tied to it
        os._exit(1)
    limits = restrictions["limits"]
    if limits is not None:
        _lower(resource.RLIMIT_CORE, 0)
        for name, most in limits.items():
            if most is not None:
                _lower(_LIMITS[name], most)
    syscalls.renounce_new_privileges()


def enter_view(
    *,
    writable: Sequence[str],
    covers: Sequence[Sequence[str]],
    only: Sequence[str] = (),
    root: str | None = None,
    folder: str = "/",
) -> None:
    """Give this process a private view of the files; only `writable` and `covers` can be written.

    With a `root`, it otherwise sees only the files of `only`. Shared memory is private too, unless
    one of these folders or the working directory is in it: then it is read-only.
    """
    try:
        syscalls.unshare(NEW_MOUNTS | NEW_IPC)
    except OSError:
        _enter_user_namespace(NEW_MOUNTS | NEW_IPC)
    syscalls.mount(None, "/", None, syscalls.RECURSIVE | syscalls.PRIVATE)
    if root is not None:
        _enter_root(root, only, writable)
    else:
        syscalls.set_read_only("/", on=True, deep=True)
        for source, target in (*((path, path) for path in writable), *covers):
            syscalls.mount(source, target, None, syscalls.BIND)
            syscalls.set_read_only(target, on=False, deep=False)
        named = (folder, *writable, *(path for pair in covers for path in pair))
        if os.path.isdir(_SHARED_MEMORY) and not any(map(in_shared_memory, named)):  # noqa: PTH112
            syscalls.mount("tmpfs", _SHARED_MEMORY, "tmpfs", 0)
    drop_capabilities()


def drop_capabilities() -> None:
    """Drop the capabilities with which root could leave its view or reach any process."""
    syscalls.hand_on_no_capability()
    for number in _DROPPED_CAPABILITIES:
        with suppress(OSError):  # a capability we do not have need not be dropped
            syscalls.drop_capability(number)


def _enter_root(root: str, only: Sequence[str], writable: Sequence[str]) -> None:
    """Enter a new root that holds only these files and folders, under their own paths."""
    syscalls.mount("tmpfs", root, "tmpfs", 0, "mode=755")
    for path in only:
        if _show(root, path):
            syscalls.set_read_only(root + path, on=True, deep=True)
    if not os.path.isdir(root + _SHARED_MEMORY):  # noqa: PTH112 - the launcher starts quickly
        os.makedirs(root + _SHARED_MEMORY)  # noqa: PTH103
        syscalls.mount("tmpfs", root + _SHARED_MEMORY, "tmpfs", 0, _SMALL)
    for path in writable:
        _show(root, path, again=True)
    syscalls.set_read_only(root, on=True, deep=False)
    os.chroot(root)
    os.chdir("/")


def _show(root: str, path: str, *, again: bool = False) -> bool:
    """Make a path appear in a root, if it does not yet; True if it was mounted there."""
    target = root + path
    if not os.path.lexists(path) or (os.path.lexists(target) and not again):
        return False
    os.makedirs(os.path.dirname(target), exist_ok=True)  # noqa: PTH103, PTH120
    if os.path.islink(path):  # noqa: PTH114
        os.symlink(os.readlink(path), target)  # noqa: PTH115, PTH211
        return False
    if os.path.isdir(path):  # noqa: PTH112
        os.makedirs(target, exist_ok=True)  # noqa: PTH103
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY, 0o644))
    syscalls.mount(path, target, None, syscalls.BIND | syscalls.RECURSIVE)
    return True


def _enter_user_namespace(more: int) -> None:
    """Enter a user namespace that maps this user to itself, and further namespaces with it."""
    user, group = os.geteuid(), os.getegid()
    syscalls.hide_from_users(on=False)  # otherwise the files below belong to root
    syscalls.unshare(NEW_USER | more)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{user} {user} 1")
    _write("/proc/self/gid_map", f"{group} {group} 1")


def in_shared_memory(path: str) -> bool:
    """Whether a folder is in shared memory."""
    return f"{path}/".startswith(f"{_SHARED_MEMORY}/")


def can_enter_view() -> bool:
    """Whether this system allows a private view; tried in a child process."""
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


def is_cut_off(descriptor: int) -> bool:
    """Whether the other end of a pipe or a socket is closed."""
    poller = select.poll()
    poller.register(descriptor, 0)
    return bool(poller.poll(0))


def _lower(limit: int, most: int) -> None:
    hard = resource.getrlimit(limit)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(limit, (most, most))


def _write(path: str, text: str) -> None:
    with open(path, "w", encoding="ascii") as file:  # noqa: PTH123 - see above
        file.write(text)
