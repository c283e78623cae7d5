"""End jobs whose starter was killed, and delete the folder in which they ran.

A killed process cannot clean up. So the guardian, a small separate process, is told of every job
that starts or ends. Its input ends with the starter: then it kills the jobs that still run. Jobs it
was not told of in time, or that left their group, it finds by their home in that folder. It always
deletes the folder.
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
"""Rounds of searching: a process that is just starting does not name the folder yet."""


class Guardian:
    """Ends jobs, by their process groups, and deletes their folder if this process is killed."""

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
        """Tell the guardian that a job was started."""
        self._send(f"+{group}\n")

    def ended(self, group: int) -> None:
        """Tell the guardian that a job has ended; to be called before reaping ends its pid."""
        self._send(f"-{group}\n")

    def _send(self, line: str) -> None:
        assert self._process.stdin is not None  # noqa: S101 - a pipe, see above
        with suppress(OSError):  # jobs go on without a guardian
            os.write(self._process.stdin.fileno(), line.encode())


def main() -> None:
    """Read standard input until it ends; the last argument is the folder."""
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
        end_group(group, signal.SIGTERM)  # the keeper ends its job and the job's children
    for _ in range(_ROUNDS):
        end_strays(folder)
        time.sleep(0.1)
    for group in groups:
        end_group(group)
