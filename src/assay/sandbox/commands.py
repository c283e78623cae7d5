"""Other people's commands, run to their end.

Each has a session and an environment of its own, and is ended with whatever it left running.
"""

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from assay.errors import SpecError, StorageError
from assay.sandbox.copies import Place
from assay.sandbox.guardian import Guardian

_KEPT = ("LANG", "LC_ALL", "LC_CTYPE", "PATH", "PYTHONPATH", "TZ")
_MOST_LOG = 1 << 28
_LAST_WORDS = 500
_NO_PROGRAM = (
    *(errno.ENOENT, errno.EACCES, errno.EPERM, errno.ENOEXEC, errno.ENOTDIR, errno.EISDIR),
    *(errno.E2BIG, errno.ELOOP, errno.ENAMETOOLONG, errno.ETXTBSY),
)
"""What the system says of a program that cannot be run, whoever tries."""


class Commands:
    """Runs commands, each for so many seconds at most, and ends them all when told to."""

    def __init__(self, *, seconds: float, passed: Sequence[str], guardian: Guardian) -> None:
        self.seconds = seconds
        self.passed = tuple(passed)
        self.guardian = guardian
        self.stopping = False
        self._running: set[subprocess.Popen[bytes]] = set()
        missing = [name for name in passed if name not in os.environ]
        if missing:
            raise SpecError(
                f"the environment has no variable {missing[0]}, which was to be passed on"
            )

    def stop(self) -> None:
        """End everything that runs, and begin nothing more."""
        self.stopping = True
        for process in list(self._running):
            _end(process)

    def execute(self, words: Sequence[str], place: Place) -> tuple[int | None, str | None]:
        """Run a command to its end; its exit code, and what went wrong."""
        try:
            process = self._start(words, place)
        except OSError as error:
            if error.errno not in _NO_PROGRAM:  # it says nothing about the command
                raise StorageError(f"{words[0]} cannot be started: {error.strerror}") from None
            return None, f"{words[0]}: {error.strerror}"
        except ValueError as error:
            return None, f"{words[0]}: {error}"
        try:
            trouble = _wait(process, self.seconds, place.log)
        finally:
            _end(process)
            self.guardian.ended(process.pid)
            self._running.discard(process)
            code = process.wait()
            _end_strays(place.home)
        if trouble is not None:
            return None, trouble
        if code:
            how = f"exit code {code}" if code > 0 else f"ended by signal {-code}"
            return code, f"{how}{_last_words(place.log)}"
        return code, None

    def _start(self, words: Sequence[str], place: Place) -> subprocess.Popen[bytes]:
        program = sys.executable if words[0] in ("python", "python3") else words[0]
        process = subprocess.Popen(  # noqa: S603 - the user's own command, and no shell
            [program, *words[1:]],
            stdin=subprocess.DEVNULL,
            stdout=place.log,
            stderr=place.log,
            cwd=place.system,
            env=self._environment(place),
            start_new_session=True,
        )
        self.guardian.began(process.pid)
        self._running.add(process)
        if self.stopping:
            _end(process)
        return process

    def _environment(self, place: Place) -> dict[str, str]:
        names = (*_KEPT, *self.passed)
        kept = {name: os.environ[name] for name in names if name in os.environ}
        private = {"HOME": str(place.home), "TMPDIR": str(place.root / "tmp")}
        return kept | private | {"PYTHONDONTWRITEBYTECODE": "1"}


def _wait(process: "subprocess.Popen[bytes]", seconds: float, log: int) -> str | None:
    """Wait for the end of a command without taking leave of it: its number stays its own.

    Says why it has to be ended, where it has to be.
    """
    deadline = time.monotonic() + seconds
    pause = 0.001
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            return f"still running after {seconds:g} s"
        if os.fstat(log).st_size > _MOST_LOG:
            return f"it printed more than {_MOST_LOG:,} bytes"
        time.sleep(pause)
        pause = min(pause * 2.0, 0.05)
    return None


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End a command and whatever it left running in its session."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _end_strays(home: Path) -> None:
    """End what left its session and still has this home, where that can be seen (Linux)."""
    mark = os.fsencode(f"HOME={home}")
    for _ in range(10):  # what forks meanwhile is found the next time
        found = False
        for one in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if mark in (one / "environ").read_bytes().split(b"\0"):
                    os.kill(int(one.name), signal.SIGKILL)
                    found = True
        if not found:
            return


def _last_words(log: int) -> str:
    size = os.fstat(log).st_size
    data = os.pread(log, _LAST_WORDS, max(size - _LAST_WORDS, 0))
    last = data.decode("utf-8", "replace").strip().splitlines()[-1:]
    return f": {last[0]}" if last else ""
