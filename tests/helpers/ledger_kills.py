"""Forks processes that append and are killed on the way: python ledger_kills.py HOW LEDGER FOLDER.

HOW is `calls`: before and after each system call of two appends; `bytes`: after each byte of one
line; `rewriting`: as `calls`, with an append that writes the whole file anew, as a naive one would.
Each process works on its own copy of LEDGER in FOLDER. Prints one JSON line for each: the moment,
the file, whether it was killed, and the entries that had been acknowledged. It is a program of its
own because a process with threads, such as a test suite's, had better not fork.
"""

import fcntl
import itertools
import json
import os
import shutil
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import assay.ledger.file as ledger_file
from assay.ledger.file import LedgerFile
from helpers.ledgers import append

CALLS = (
    (os, "open"),
    (os, "fstat"),
    (os, "lstat"),
    (os, "pread"),
    (os, "ftruncate"),
    (os, "pwrite"),
    (ledger_file, "_SYNC"),
    (fcntl, "flock"),
)


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def kill_at(moment: int, *, tell: Callable[[str], None]) -> None:
    """Make this process die at a moment: two moments a call, before it and after it."""
    moments = itertools.count()

    def wrapped(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        def watched(*arguments: Any) -> Any:
            for when in ("before", "after"):
                if next(moments) == moment:
                    tell(f"{when} {name}")
                    die()
                if when == "before":
                    result = call(*arguments)
            return result

        return watched

    for module, name in CALLS:
        setattr(module, name, wrapped(name, getattr(module, name)))


def kill_after(count: int, *, tell: Callable[[str], None]) -> None:
    """Make this process die when so many bytes of a line are written."""
    write = os.pwrite

    def short(handle: int, data: bytes, offset: int) -> int:
        if count > len(data):
            return write(handle, data, offset)
        write(handle, data[:count], offset)
        tell(f"after byte {count} of {len(data)}")
        die()
        return 0

    os.pwrite = short


def rewrite(self: LedgerFile, handle: int, line: bytes) -> None:
    """What one might write instead of an append."""
    lines = [*self._chain.lines, line]
    os.ftruncate(handle, 0)
    os.pwrite(handle, b"".join(line + b"\n" for line in lines), 0)
    ledger_file._SYNC(handle)
    self._chain.push(line)


def one_life(path: Path, arm: Callable[..., None], moment: int) -> dict[str, Any]:
    """Fork a process that appends twice and dies at a moment; what it said before."""
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        os.close(ours)
        say = os.write

        def tell(kind: str, value: object) -> None:
            say(theirs, json.dumps([kind, value]).encode() + b"\n")

        try:
            arm(moment, tell=lambda what: tell("moment", what))
            ledger = LedgerFile(path)
            for subject in ("first", "other"):  # of one length
                entry = append(ledger, subject)
                tell("acknowledged", [entry.n, entry.subject])
        finally:
            os._exit(0)
    os.close(theirs)
    with os.fdopen(ours, "rb") as pipe:
        said = [json.loads(line) for line in pipe]
    _, status = os.waitpid(child, 0)
    return {
        "file": str(path),
        "killed": os.WIFSIGNALED(status),
        "moment": next((value for kind, value in said if kind == "moment"), "never"),
        "acknowledged": [value for kind, value in said if kind == "acknowledged"],
    }


def lives(how: str, ledger: Path, folder: Path) -> Iterator[dict[str, Any]]:
    """Lives that end later and later, the last of them in peace."""
    if how == "rewriting":
        LedgerFile._write = rewrite
    for moment in itertools.count():
        path = folder / f"{how}-{moment}.jsonl"
        shutil.copyfile(ledger, path)
        life = one_life(path, kill_after if how == "bytes" else kill_at, moment)
        yield life
        if not life["killed"]:
            return


if __name__ == "__main__":
    for life in lives(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3])):
        sys.stdout.write(json.dumps(life) + "\n")
