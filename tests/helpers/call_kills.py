"""Lives that end, or disks that fail, at one call after another.

Python tells an audit hook of each call that changes the disk or starts a process before it is made.
To die before one call is to die after the one before it.
"""

import itertools
import mmap
import os
import sys

from helpers.scale import scale
from helpers.studies import die, in_child

CHANGES = (
    *("os.rename", "os.remove", "os.rmdir", "os.mkdir", "os.truncate", "os.chmod", "os.link"),
    *("os.symlink", "shutil.copyfile", "shutil.rmtree", "subprocess.Popen", "os.fsync"),
    *("ctypes.call_function", "fcntl.flock", "ledger.write"),
)
NEVER_REFUSED = (
    *("subprocess.Popen", "ctypes.call_function", "fcntl.flock"),
    *("shutil.rmtree", "shutil.copyfile"),
)
"""Calls that say in other ways that a disk fails, or consist of others."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


def _changes(event, arguments):
    if event == "open":
        return bool(arguments[2] & WRITING) if isinstance(arguments[2], int) else False
    return event in CHANGES


def _audited(name, event):
    """Let a call that Python does not tell of be told of too."""
    found = getattr(os, name)

    def call(*given, **more):
        sys.audit(event, *given)
        return found(*given, **more)

    setattr(os, name, call)


def moments(life, few):
    """The numbers of the calls of a life: all of them in a stress test, else a few, evenly."""
    assert life > few
    return range(life) if scale(0, 1) else [round(n * (life - 1) / (few - 1)) for n in range(few)]


def calls(action, *, code=None):
    """How many calls something makes at which `at_call` could end it."""
    ended, count = _watched(action, lambda count: None, code)
    assert ended == 0
    return count


def at_call(moment, action, *, code=None):
    """Do something in a forked process that dies at its call of that number, or is refused it.

    How it ended, as `in_child` says it, and whether that call was reached. `code` is the errno with
    which the call is refused; None kills.
    """

    def cut_off(count):
        if count == moment:
            if code is None:
                die()
            raise OSError(code, os.strerror(code))

    ended, count = _watched(action, cut_off, code)
    return ended, count > moment


def _watched(action, before_call, code):
    """Do something in a forked process and hear of each of its calls; how it ended, and how many.

    The hook runs in every thread and in processes forked from there, which count on their own.
    """
    shared = mmap.mmap(-1, 8)

    def watched():
        sys.dont_write_bytecode = True
        first, count = os.getpid(), itertools.count()

        def hook(event, arguments):
            if _changes(event, arguments) and (code is None or event not in NEVER_REFUSED):
                number = next(count)
                if os.getpid() == first:
                    reached = max(number + 1, int.from_bytes(shared[:], "big"))
                    shared[:] = reached.to_bytes(8, "big")
                before_call(number)

        _audited("fsync", "os.fsync")
        _audited("pwrite", "ledger.write")
        sys.addaudithook(hook)
        action()

    with shared:
        return in_child(watched), int.from_bytes(shared[:], "big")
