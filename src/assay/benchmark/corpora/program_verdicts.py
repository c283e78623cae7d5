"""What a sample's process says: that it was set apart, and then how its tests went."""

import os
import secrets
import select
import time
from enum import StrEnum

from assay.errors import StorageError

_START_SECONDS = 60.0
_LONGEST_VERDICT = 4096


class Outcome(StrEnum):
    """How a completion did on its tests. Only the first is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    OUT_OF_MEMORY = "out-of-memory"
    CRASHED = "crashed"


def check_apart(status: int) -> None:
    """Read what the starting process says, and see that its network is another than ours."""
    said = b""
    deadline = time.monotonic() + _START_SECONDS
    while True:
        left = deadline - time.monotonic()
        if not is_ready(status, left):
            raise StorageError(f"a process was not set apart within {_START_SECONDS:g} s")
        more = os.read(status, 1024)
        if not more:
            break
        said += more
    if not said.isdigit() or int(said) == os.stat("/proc/self/ns/net").st_ino:  # noqa: PTH116 - one field of one file
        why = said.decode("utf-8", "replace").partition("no: ")[2] or "its network is this one"
        raise StorageError(f"a process could not be set apart: {why}")


def read_verdict(verdict: int, word: str, seconds: float) -> Outcome:
    """What the checker says behind the word, or how it came to say nothing."""
    said = b""
    deadline = time.monotonic() + seconds
    while b"\n" not in said and len(said) < _LONGEST_VERDICT:
        left = deadline - time.monotonic()
        if not is_ready(verdict, left):
            return Outcome.TIMED_OUT
        more = os.read(verdict, 1024)
        if not more:
            return Outcome.CRASHED
        said += more
    given, _, outcome = said.partition(b"\n")[0].decode("utf-8", "replace").partition(" ")
    if not secrets.compare_digest(given.encode(), word.encode()):
        return Outcome.CRASHED
    known = (Outcome.PASSED, Outcome.FAILED, Outcome.OUT_OF_MEMORY)
    return Outcome(outcome) if outcome in known else Outcome.CRASHED


def is_ready(descriptor: int, seconds: float) -> bool:
    """Whether there is something to read, or will be within so many seconds."""
    poller = select.poll()
    poller.register(descriptor, select.POLLIN)
    return bool(poller.poll(max(seconds, 0.0) * 1000.0))
