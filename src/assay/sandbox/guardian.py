"""Ends what was started by someone who is gone.

Whoever is killed cannot clean up. So a small process of its own is told of every command that is
begun or has ended, and learns of the end by the end of its input: it then ends what still runs. In
any case it throws the folder away in which all ran. What it was not told of in time, or what left
its group, has a home in that folder, which Linux shows.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from typing import Self

_PROGRAM = """
import os, shutil, signal, sys, time

alive, folder, rounds = set(), os.fsencode(sys.argv[1]), 5
for line in sys.stdin:
    if line == "done\\n":
        rounds = 0
        break
    (alive.add if line[0] == "+" else alive.discard)(int(line[1:]))
for group in alive if rounds else ():
    try:
        os.killpg(group, signal.SIGKILL)
    except OSError:
        pass
for _ in range(rounds):
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        try:
            with open(f"/proc/{name}/environ", "rb") as file:
                found = b"\\0HOME=" + folder + b"/" in b"\\0" + file.read()
            if found:
                os.kill(int(name), signal.SIGKILL)
        except (OSError, ValueError):
            pass
    time.sleep(0.1)
for place, folders, _ in os.walk(folder):
    for name in folders:
        path = os.path.join(place, name)
        try:
            if not os.path.islink(path):
                os.chmod(path, 0o700)
        except OSError:
            pass
shutil.rmtree(folder, ignore_errors=True)
"""


class Guardian:
    """Looks after commands, by their process groups, and after the folder in which they run."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(  # noqa: S603 - our own words
            [sys.executable, "-I", "-S", "-c", _PROGRAM, str(folder)],
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
        self._tell("done\n")
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
