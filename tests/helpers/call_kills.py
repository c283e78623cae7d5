"""Lives that end, or disks that fail, at one call after another.

Python tells an audit hook of each call that changes the disk or starts a process before it is made.
To die before one call is to die after the one before it.
"""

import itertools
import os
import sys

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


def at_call(moment, action, *, code=None):
    """Do something in a forked process that dies at its call of that number, or is refused it.

    How it ended, as `in_child` says it, and whether that call was reached. `code` is the errno with
    which the call is refused; None kills.
    """
    ours, theirs = os.pipe()

    def cut_off():
        sys.dont_write_bytecode = True
        count = itertools.count()

        def hook(event, arguments):
            wanted = _changes(event, arguments) and (code is None or event not in NEVER_REFUSED)
            if wanted and next(count) == moment:
                os.write(theirs, b"x")
                if code is None:
                    die()
                raise OSError(code, os.strerror(code))

        _audited("fsync", "os.fsync")
        _audited("pwrite", "ledger.write")
        sys.addaudithook(hook)
        action()

    ended = in_child(cut_off)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        return ended, pipe.read() == b"x"
