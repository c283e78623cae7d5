"""Commands that run our own modules, and the search for a job's processes in `/proc`.

The warden and the guardian import this at their start, so it imports little.
"""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Sequence
from contextlib import suppress

HOME = os.path.realpath(__file__).rsplit("/", 3)[0]
"""The folder that holds the package."""
_BOOT = "import sys; sys.path.append(sys.argv[1]); from {} import main; main()"
_ISOLATED = """
import _imp
_imp.check_hash_based_pycs = "always"
import dataclasses, importlib.util, inspect, json, pathlib, random, site, sys, traceback
path, sys.prefix, sys.exec_prefix, sys.pycache_prefix = json.loads(sys.argv[1])
sys.path += path
sys.dont_write_bytecode = True
site.setquit()
from {} import main
main()
"""
"""Imports the library modules a worker needs before cached bytecode is turned off."""

_ROUNDS = 50
_MILLISECONDS = 5000.0
_MAKERS = ("/dev/ptmx", "/dev/pts/ptmx")
"""The device that makes a terminal and is its other end."""
_ELSEWHERE = (b"PWD=", b"OLDPWD=")
"""Ignored: a shell's working folder does not show who started it."""


def module_command(
    module: str, *arguments: str, options: Sequence[str] = ("-I", "-S")
) -> list[str]:
    """The command that calls `main` of one of our modules in a new Python.

    The package's folder comes last on the path: installed packages must not hide standard modules.
    """
    return [sys.executable, *options, "-c", _BOOT.format(module), HOME, *arguments]


def isolated_command(module: str, *arguments: str, path: Sequence[str], bytecode: str) -> list[str]:
    """Like `module_command`, in a Python that loads no start-up code from outside its library.

    No `.pth` file, no `sitecustomize`, no PYTHONPATH (the environment must not set it): after the
    standard library come the folders of `path` and ours. Outside the library the only bytecode
    loaded is that in the folder `bytecode`, written by copies of this process. (Not `-I`, which
    would also ignore the hash seed.)
    """
    places = [*path, *([] if HOME in path else [HOME])]
    told = json.dumps([places, sys.prefix, sys.exec_prefix, bytecode])
    options = ("-u", "-P", "-s", "-S")
    return [sys.executable, *options, "-c", _ISOLATED.format(module), told, *arguments]


def end_group(group: int, number: int = signal.SIGKILL) -> None:
    """Kill a process group, if it has members; or send it another signal."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def end_strays(folder: str | os.PathLike[str]) -> None:
    """Kill every process whose environment names a folder or a path below it (Linux).

    This also finds processes that left their session or lost their parent.
    """
    mark = os.fsencode(folder) + b"/"
    for _ in range(_ROUNDS):  # the next round finds a process that forked meanwhile
        strays = [pid for pid in _processes() if _names(pid, mark)]
        if not strays:
            return
        for pid in strays:
            with suppress(OSError):
                _end(pid, mark)


def end_children() -> None:
    """Kill and reap all children, and the orphans that become children, until none is left."""
    while True:
        for child in children():
            with suppress(OSError):
                os.kill(child, signal.SIGKILL)
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            return
        except InterruptedError:
            continue


def children() -> list[int]:
    """The children of this process: as the kernel lists them, else by looking at every process."""
    own = os.getpid()
    with suppress(OSError):
        return [int(word) for word in _read(f"/proc/self/task/{own}/children").split()]
    return [pid for pid in _processes() if _parent(pid) == own]


def is_descendant(pid: int) -> bool:
    """Whether a process descends from this one; orphans do if this one is their reaper.

    This process is not its own descendant.
    """
    while pid > 1:
        pid = _parent(pid) or 0
        if pid == os.getpid():
            return True
    return False


def holds_terminal(number: int) -> bool:
    """Whether a descendant made a terminal and still holds its other end (Linux)."""
    told = f"tty-index:\t{number}\n".encode()
    for pid in filter(is_descendant, _processes()):
        with suppress(OSError):
            names = os.listdir(f"/proc/{pid}/fd")  # noqa: PTH208 - names are all we want
            made = [name for name in names if _leads_to(f"/proc/{pid}/fd/{name}") in _MAKERS]
            if any(told in _read(f"/proc/{pid}/fdinfo/{name}") for name in made):
                return True
    return False


def is_stopped(pid: int) -> bool:
    """Whether a process was stopped by a signal (Linux)."""
    with suppress(OSError):
        return _stat(pid)[0] == b"T"
    return False


def leader(pid: int) -> int:
    """The process of a thread."""
    return int(_status(pid, b"Tgid:")[0])


def has_other_rights(pid: int) -> bool:
    """Whether a thread has another user, or capabilities, even if only in a namespace."""
    capable = int(_status(pid, b"CapEff:")[0], 16)
    return bool(capable) or any(int(user) != os.geteuid() for user in _status(pid, b"Uid:"))


def overrun(deadline: float, seconds: float, log: int | None, log_bytes: int) -> str | None:
    """Why a job must be killed now; None if it may go on."""
    if time.monotonic() > deadline:
        return f"still running after {seconds:g} s"
    if log is not None and os.fstat(log).st_size > log_bytes:
        return f"it printed more than {log_bytes:,} bytes"
    return None


def _processes() -> list[int]:
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - names are all we want
    except FileNotFoundError:
        return []
    return [int(name) for name in names if name.isdigit() and int(name) != os.getpid()]


def _names(pid: int, mark: bytes) -> bool:
    """Whether a variable of a process's environment names the marked folder."""
    with suppress(OSError):
        variables = _read(f"/proc/{pid}/environ").split(b"\0")
        return any(mark in each + b"/" for each in variables if not each.startswith(_ELSEWHERE))
    return False


def _parent(pid: int) -> int | None:
    with suppress(OSError):
        return int(_stat(pid)[1])
    return None


def _stat(pid: int) -> list[bytes]:
    """The fields after the name in a process's `stat`: its state, its parent, and so on."""
    return _read(f"/proc/{pid}/stat").rpartition(b")")[2].split()


def _status(pid: int, name: bytes) -> list[bytes]:
    """One line of a thread's `status`."""
    lines = _read(f"/proc/{pid}/status").splitlines()
    return next(line for line in lines if line.startswith(name)).split()[1:]


def _leads_to(path: str) -> str:
    with suppress(OSError):
        return os.readlink(path)  # noqa: PTH115 - see below
    return ""


def _end(pid: int, mark: bytes) -> None:
    """Kill a process and wait for its end; checked again, as its pid may have been reused."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):  # Linux before 5.3
        os.kill(pid, signal.SIGKILL)
        return
    try:
        if _names(pid, mark):
            signal.pidfd_send_signal(handle, signal.SIGKILL)
            ended = select.poll()
            ended.register(handle, select.POLLIN)
            ended.poll(_MILLISECONDS)
    finally:
        os.close(handle)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:  # noqa: PTH123 - the warden does not import pathlib
        return file.read()
