"""The verdict that a program's checker sends."""

import os
import secrets
import time
from enum import StrEnum

from assay.sandbox.process import is_ready

_LONGEST_VERDICT = 4096


class ProgramOutcome(StrEnum):
    """How a completion did on its tests. Only the first is a pass."""

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    OUT_OF_MEMORY = "out-of-memory"
    CRASHED = "crashed"


def read_verdict(verdict: int, word: str, seconds: float) -> ProgramOutcome:
    """The verdict behind the secret word, or why there is none."""
    text = b""
    deadline = time.monotonic() + seconds
    while b"\n" not in text and len(text) < _LONGEST_VERDICT:
        if not is_ready(verdict, deadline - time.monotonic()):
            return ProgramOutcome.TIMED_OUT
        data = os.read(verdict, 1024)
        if not data:
            return ProgramOutcome.CRASHED
        text += data
    given, _, outcome = text.partition(b"\n")[0].decode("utf-8", "replace").partition(" ")
    if not secrets.compare_digest(given.encode(), word.encode()):
        return ProgramOutcome.CRASHED
    known = (ProgramOutcome.PASSED, ProgramOutcome.FAILED, ProgramOutcome.OUT_OF_MEMORY)
    return ProgramOutcome(outcome) if outcome in known else ProgramOutcome.CRASHED
