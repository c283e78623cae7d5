"""Completions of programming tasks, each run against its tests in a process of its own.

A completion is untrusted code. Each runs in a session, a folder, a home and a process namespace of
its own, without a network, with a clean environment, for so many seconds and with so much memory;
what it leaves running is killed. On a system that cannot cut off its network nothing runs at all.
This is L1 and these walls, and not yet isolation: it can read what its user can read
(docs/explanation/trust.md).
"""

import json
import math
import os
import secrets
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from assay.errors import NotHere, StorageError, storage
from assay.folders import remove
from assay.sandbox.environment import empty_environment
from assay.sandbox.futures import first_done
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Identity, Job, ResourceLimits
from assay.sandbox.process import JobRunner, is_ready

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


_CHECKER = Path(__file__).with_name("program_checker.py")
_STRANGERS, _MANY = 0x70000000, 1 << 24
"""Numbers of users that no system gives out."""
_KNOCK = """
import socket

def knock(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1.0).close()
    except OSError:
        return "nobody"
    return "somebody"
"""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A solution, the tests that run after it, and which names the task asks it to define."""

    solution: str
    tests: str
    names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """What one completion may use."""

    seconds: float = 10.0
    memory: int = 1 << 30


def execute(
    programs: Sequence[Program],
    *,
    bounds: Bounds | None = None,
    jobs: int = 1,
    on_done: Callable[[], None] | None = None,
) -> list[ProgramOutcome]:
    """Run programs, so many at a time; the outcome of each, in their order."""
    with storage(tempfile.gettempdir()):
        folder = Path(tempfile.mkdtemp(prefix="assay-")).resolve()
    with Guardian(folder) as guardian:
        executor = Executor(folder, guardian, bounds or Bounds())
        executor.probe()
        pool = ThreadPoolExecutor(jobs)
        try:
            outcomes = []
            for future in [pool.submit(executor.run, program) for program in programs]:
                first_done([future])
                outcomes.append(future.result())
                if on_done is not None:
                    on_done()
        except BaseException:
            executor.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
    return outcomes


class Executor:
    """Runs programs within a folder, as the first kind of user that is confined here."""

    def __init__(self, folder: Path, guardian: Guardian, bounds: Bounds) -> None:
        self.folder = folder
        self.bounds = bounds
        self.jobs = JobRunner(guardian)
        self.reads_all = False
        self._checker = _CHECKER.read_text(encoding="utf-8")
        folder.chmod(0o711)  # another user may pass through, and cannot list it

    def probe(self) -> None:
        """Find a user that is confined, by a program that tries to reach us over the network.

        Root's programs become strangers; where only root can read this Python, strangers that may
        read every file.
        """
        why = "there are no namespaces (Linux has them)"
        choices: tuple[bool, ...] = ()
        if sys.platform == "linux":
            choices = (False, True) if _can_be_others() else (False,)
        for self.reads_all in choices:
            try:
                if self._holds():
                    return
                why = "a program set apart did not do what it should"
            except StorageError as error:
                why = error.message
        raise NotHere(
            f"nothing was run: no process can be cut off from the network here: {why}",
            hint="Run it where user namespaces are allowed, or score the samples elsewhere and"
            " hand in the results file with its `passed` fields.",
        )

    def _holds(self) -> bool:
        """Whether a program runs and cannot connect to us."""
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            door.listen()
            tests = f"assert knock({door.getsockname()[1]}) == 'nobody'"
            outcome = self.run(Program(solution=_KNOCK, tests=tests))
            heard = is_ready(door.fileno(), 0.0)
        return outcome is ProgramOutcome.PASSED and not heard

    def stop(self) -> None:
        """End all programs, and start no other."""
        self.jobs.stop()

    def run(self, program: Program) -> ProgramOutcome:
        """Run one program to its end, and leave nothing of it."""
        identity = None
        if _can_be_others():
            uid = _STRANGERS + secrets.randbelow(_MANY)
            identity = Identity(uid=uid, reads_all=self.reads_all)
        word = secrets.token_hex(16)
        with storage(self.folder):
            place = self._place(identity)
        try:
            with tempfile.TemporaryFile(dir=self.folder) as request:
                asked = {
                    "word": word,
                    "solution": program.solution,
                    "tests": program.tests,
                    "names": program.names,
                }
                request.write(json.dumps(asked).encode())
                request.seek(0)
                return self._run(place, identity, word, request.fileno())
        except OSError as error:
            raise StorageError(f"no process could be started: {error.strerror}") from None
        finally:
            with suppress(OSError):
                remove(place)

    def _place(self, identity: Identity | None) -> Path:
        place = Path(tempfile.mkdtemp(dir=self.folder))
        for path in (place, *(place / name for name in ("home", "tmp", "work"))):
            path.mkdir(exist_ok=True)
            if identity is not None:
                os.chown(path, identity.uid, identity.uid)
        return place

    def _run(
        self, place: Path, identity: Identity | None, word: str, request: int
    ) -> ProgramOutcome:
        verdict, verdict_end = os.pipe()
        try:
            try:
                process = self.jobs.start(self._job(place, identity, request, verdict_end))
            finally:
                os.close(verdict_end)
            try:
                process.check_confined()
                return read_verdict(verdict, word, self.bounds.seconds)
            finally:
                self.jobs.finish(process)
        finally:
            os.close(verdict)

    def _job(self, place: Path, identity: Identity | None, request: int, verdict: int) -> Job:
        return Job(
            command=["python", "-s", "-P", "-B", "-c", self._checker, f"{request}", f"{verdict}"],
            folder=place / "work",
            environment=empty_environment(home=place / "home", temporary=place / "tmp"),
            descriptors=(request, verdict),
            network=False,
            identity=identity,
            limits=ResourceLimits(
                memory=self.bounds.memory,
                # We keep the time; this only ends what we would not live to end.
                cpu_seconds=math.ceil(self.bounds.seconds) + 5,
                processes=64,
                file_bytes=16 << 20,
                open_files=256,
            ),
        )


@cache
def _can_be_others() -> bool:
    """Whether we are root, and of a user namespace that has those strangers."""
    if os.geteuid() != 0:
        return False
    with storage("/proc/self/uid_map"):
        ranges = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    last = _STRANGERS + _MANY
    return any(int(first) <= _STRANGERS and last <= int(first) + int(n) for first, _, n in ranges)
