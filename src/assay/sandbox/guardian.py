"""End jobs whose starter was killed, and delete the folder in which they ran.

A killed process cannot clean up. So a small process of its own hears of every job that is started
or has ended, and its input ends with the starter: then it kills the jobs that still run. A job that
it did not hear of in time, or that left its group, has a home in that folder. It deletes the folder
in any case.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Self

from assay.sandbox.processes import end_group, end_strays, module_command

_DONE = "done\n"
_ROUNDS = 5
"""A process that is being started does not name the folder yet, so it is looked for again."""


class Guardian:
    """Looks after jobs, by their process groups, and after the folder in which they run."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own command
            module_command("assay.sandbox.guardian", str(folder)),
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
        self._send(_DONE)
        with suppress(OSError):
            self._process.stdin.close()
        self._process.wait()

    def began(self, group: int) -> None:
        """A job was started."""
        self._send(f"+{group}\n")

    def ended(self, group: int) -> None:
        """A job has ended; call it before the job is reaped, while its number is its own."""
        self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        with suppress(OSError):  # a killed guardian stops no job
            os.write(self._process.stdin.fileno(), line.encode())


def main() -> None:
    """Listen on standard input until it ends; the last argument is the folder."""
    folder = Path(sys.argv[-1])
    groups: set[int] = set()
    for line in sys.stdin:
        if line == _DONE:
            break
        (groups.add if line[0] == "+" else groups.discard)(int(line[1:]))
    else:
        _end_all(groups, folder)
    from assay.folders import remove  # at the end, so that the start is quick

    with suppress(OSError):
        remove(folder)


def _end_all(groups: set[int], folder: Path) -> None:
    for group in groups:
        end_group(group, signal.SIGTERM)  # a keeper ends what its job started
    for _ in range(_ROUNDS):
        end_strays(folder)
        time.sleep(0.1)
    for group in groups:
        end_group(group)
