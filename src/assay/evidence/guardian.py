"""Ends what was started by someone who is gone.

Whoever is killed cannot clean up. So a small process of its own is told of every command that is
begun or has ended, and learns of the end by the end of its input: it then ends what still runs and
throws the folder away in which it ran.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

_PROGRAM = """
import os, shutil, signal, sys
alive = set()
for line in sys.stdin:
    (alive.add if line[0] == "+" else alive.discard)(int(line[1:]))
for group in alive:
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
shutil.rmtree(sys.argv[1], ignore_errors=True)
"""


class Guardian:
    """Looks after commands, by their process groups, and after the folder in which they run."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-I", "-S", "-c", _PROGRAM, str(folder.resolve())],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd="/",
            start_new_session=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def began(self, group: int) -> None:
        """A command was begun."""
        self._tell(f"+{group}\n")

    def ended(self, group: int) -> None:
        """A command has ended; to be said while its number is still its own."""
        self._tell(f"-{group}\n")

    def _tell(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        with suppress(OSError):  # without it all goes on; only nobody would clean up
            os.write(self._process.stdin.fileno(), line.encode())
