"""Sets a process apart from the network and from everybody else's processes, then runs a command.

This file is run by itself (`python -c`), before code that nobody vouches for: it may import the
standard library only. Three processes stand in a row:

1. the outer one, which its parent knows. Told to end (SIGTERM), it ends the second; it ends when
   the second has, and then nothing is left.
2. the first of a process namespace of its own. When it ends, the kernel ends all others there,
   whatever session they fled to.
3. the command, in a session of its own, under its limits, able to signal only what it started.

What went wrong before the command began, or the number of its network namespace, is said on a
descriptor that the command does not inherit.
"""

import ctypes
import os
import resource
import signal
import sys
from contextlib import suppress

NEW_NETWORK, NEW_PROCESSES, NEW_IPC, NEW_USER = 0x40000000, 0x20000000, 0x08000000, 0x10000000
_APART = NEW_NETWORK | NEW_PROCESSES | NEW_IPC
_DEATH_SIGNAL, _DUMPABLE, _KEEP_CAPABILITIES, _NO_NEW_PRIVILEGES, _AMBIENT = 1, 4, 8, 38, 47
_READ_AND_SEARCH = 2
_CAPABILITIES_3 = 0x20080522
MOST_PROCESSES = 64
LARGEST_FILE = 16 << 20
MOST_FILES = 256


def main() -> None:
    """Set this process apart and run a command: WAY UID MEMORY SECONDS STATUS COMMAND..."""
    way, uid, memory, seconds, status = sys.argv[1], *map(int, sys.argv[2:6])
    command = sys.argv[6:]
    os.set_inheritable(status, False)
    try:
        _set_apart(way, uid)
        network = os.stat("/proc/self/ns/net").st_ino  # noqa: PTH116 - no more imports than needed
        first = os.fork()
    except OSError as error:
        os.write(status, f"no: {error.strerror}".encode())
        os._exit(1)
    if first:
        signal.signal(signal.SIGTERM, lambda *_: os.kill(first, signal.SIGKILL))
        os.close(status)
        _wait_for(first)
    _control(_DEATH_SIGNAL, signal.SIGKILL)
    second = os.fork()
    if second:
        os.close(status)
        _wait_for(second)
    try:
        os.setsid()
        _limit(memory, seconds)
        _control(_NO_NEW_PRIVILEGES, 1)
        os.write(status, f"{network}".encode())
        os.execv(command[0], command)  # noqa: S606 - the command as it was given, and no shell
    except OSError as error:
        os.write(status, f" no: {error.strerror}".encode())
        os._exit(1)


def _set_apart(way: str, uid: int) -> None:
    """Leave the network and the others' processes; as root, become a user that nobody else is.

    `user`: an ordinary user, who needs a user namespace for it. `stranger`: root becomes a user
    without any rights. `reader`: the same, and it may still read what root may, for a Python that
    lies where only root can look. Nobody maps ids: within a user namespace all rights end with the
    next program.
    """
    if way == "user":
        _unshare(NEW_USER | _APART)
    else:
        alone = True
        try:
            _unshare(_APART)
        except OSError:
            alone = False
        _become(uid, reads=way == "reader")
        if not alone:
            _unshare(NEW_USER | _APART)
    _control(_DUMPABLE, 0)


def _unshare(flags: int) -> None:
    if _libc().unshare(flags):
        raise _last_error()


def _become(uid: int, *, reads: bool) -> None:
    """Become another user for good."""
    if reads:
        _control(_KEEP_CAPABILITIES, 1)
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    if reads:
        bit = 1 << _READ_AND_SEARCH
        head = (ctypes.c_uint32 * 2)(_CAPABILITIES_3, 0)
        sets = (ctypes.c_uint32 * 6)(bit, bit, bit, 0, 0, 0)
        if _libc().capset(head, sets):
            raise _last_error()
        _control(_AMBIENT, 2, _READ_AND_SEARCH)


def _limit(memory: int, seconds: int) -> None:
    for what, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_NOFILE, MOST_FILES),
        (resource.RLIMIT_NPROC, MOST_PROCESSES),
        (resource.RLIMIT_CPU, seconds),
        (resource.RLIMIT_AS, memory),
    ):
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, most))


def _wait_for(child: int) -> None:
    """Take leave of whatever ends, until the child does; then end."""
    while True:
        with suppress(InterruptedError):
            if os.wait()[0] == child:
                os._exit(0)


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _control(what: int, *values: int) -> None:
    arguments = (*values, 0, 0, 0, 0)[:4]
    if _libc().prctl(what, *map(ctypes.c_ulong, arguments)):
        raise _last_error()


def _last_error() -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number))


if __name__ == "__main__":
    main()
