"""Run completions of programming tasks against their tests, each in its own process.

A completion is untrusted code. Each has its own session, folder, home and process namespace, no
network, a clean environment, and limits on time and memory. It sees only Python, the operating
system and its own folders; processes it leaves are killed. Its tests run in another such process
and receive plain values from it. On a system that cannot do all of this, nothing runs.
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
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from assay.errors import NotHere, StorageError, storage
from assay.folders import remove
from assay.sandbox.environment import empty_environment
from assay.sandbox.futures import first_done
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Identity, Job, ResourceLimits, View
from assay.sandbox.process import JobRunner, is_ready, python_places

_LONGEST_VERDICT = 4096


class ProgramOutcome(StrEnum):
    """The outcome of a completion's tests. Only the first is a pass.

    `unverifiable` means no verdict: the tests would have to pass it a value that cannot be sent, or
    use a name that the task does not define.
    """

    PASSED = "passed"
    FAILED = "failed"
    TIMED_OUT = "timed-out"
    OUT_OF_MEMORY = "out-of-memory"
    CRASHED = "crashed"
    UNVERIFIABLE = "unverifiable"


def read_verdict(verdict: int, seconds: float) -> ProgramOutcome:
    """The verdict of the tests, or why there is none."""
    text = b""
    deadline = time.monotonic() + seconds
    while b"\n" not in text and len(text) < _LONGEST_VERDICT:
        if not is_ready(verdict, deadline - time.monotonic()):
            return ProgramOutcome.TIMED_OUT
        data = os.read(verdict, 1024)
        if not data:
            return ProgramOutcome.CRASHED
        text += data
    outcome = text.partition(b"\n")[0].decode("utf-8", "replace")
    return ProgramOutcome(outcome) if outcome in _VERDICTS else ProgramOutcome.CRASHED


_VERDICTS = frozenset(ProgramOutcome) - {ProgramOutcome.TIMED_OUT}
_BOOT = """
import sys, types
values = types.ModuleType({name!r})
sys.modules[values.__name__] = values
exec(compile({values!r}, "values", "exec"), vars(values))
exec(compile({program!r}, "program", "exec"), {{"__name__": "__main__"}})
"""
_FIRST_UNUSED_UID, _UNUSED_UIDS = 0x70000000, 1 << 24
"""User ids that no system assigns."""
_DEVICES = ("null", "zero", "full", "random", "urandom", "tty")
_SYSTEM = (
    *map(Path, ("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/etc", "/proc")),
    *(Path("/dev", name) for name in _DEVICES),
)
"""The paths of the operating system that a program sees."""
_KNOCK = """
import socket

def knock(port):
    try:
        socket.create_connection(("127.0.0.1", port), 1.0).close()
    except OSError:
        return "refused"
    return "connected"
"""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A solution, its tests, and the names that the task requires.

    `given` is the task's own code that the tests may use.
    """

    solution: str
    tests: str
    names: tuple[str, ...]
    given: str = ""


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """Limits of one completion."""

    seconds: float = 10.0
    memory: int = 1 << 30


def execute(
    programs: Sequence[Program],
    *,
    bounds: Bounds | None = None,
    jobs: int = 1,
    on_done: Callable[[], None] | None = None,
) -> list[ProgramOutcome]:
    """Run programs, several at a time; the outcome of each, in order."""
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
    """Runs programs within a folder."""

    def __init__(self, folder: Path, guardian: Guardian, bounds: Bounds) -> None:
        self.folder = folder
        self.bounds = bounds
        self.jobs = JobRunner(guardian)
        self._boots = {name: _boot(name) for name in ("solution_process.py", "tests_process.py")}
        folder.chmod(0o711)  # another user may enter but not list it

    def probe(self) -> None:
        """Check that programs are confined, with one that tries to reach us over the network."""
        why = "it has no namespaces (Linux has them)"
        if sys.platform == "linux":
            try:
                if self._holds():
                    return
                why = "a test program in isolation did not behave as expected"
            except StorageError as error:
                why = error.message
        raise NotHere(
            f"nothing was run: this system cannot isolate a process: {why}",
            hint="Run it where user namespaces are allowed, or score the samples elsewhere and name"
            " the results file with its `passed` fields.",
        )

    def _holds(self) -> bool:
        """Whether a program runs and cannot connect to us."""
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            door.listen()
            tests = f"assert knock({door.getsockname()[1]}) == 'refused'"
            outcome = self.run(Program(solution=_KNOCK, tests=tests, names=("knock",)))
            heard = is_ready(door.fileno(), 0.0)
        return outcome is ProgramOutcome.PASSED and not heard

    def stop(self) -> None:
        """End all programs, and start no more."""
        self.jobs.stop()

    def run(self, program: Program) -> ProgramOutcome:
        """Run one program to its end, and delete its folders."""
        asked = {"tests": program.tests, "given": program.given, "names": program.names}
        with ExitStack() as stack:
            try:
                sides = [self._place(stack) for _ in range(2)]
                solution = stack.enter_context(tempfile.TemporaryFile(dir=self.folder))
                solution.write(program.solution.encode("utf-8", "surrogatepass"))
                tests = stack.enter_context(tempfile.TemporaryFile(dir=self.folder))
                tests.write(json.dumps(asked).encode())
                for file in (solution, tests):
                    file.seek(0)
                return self._run(sides, solution.fileno(), tests.fileno())
            except OSError as error:
                raise StorageError(f"no process could be started: {error.strerror}") from None

    def _place(self, stack: ExitStack) -> tuple[Path, Identity | None]:
        """The folders of a process, and its user: as root, an unused user id."""
        identity = None
        if _has_unused_uids():
            identity = Identity(uid=_FIRST_UNUSED_UID + secrets.randbelow(_UNUSED_UIDS))
        place = Path(tempfile.mkdtemp(dir=self.folder))
        stack.callback(_throw_away, place)
        (place / "root").mkdir()
        own = place / "own"
        for path in (place, own, *(own / name for name in ("home", "tmp", "work"))):
            path.mkdir(exist_ok=True)
            if identity is not None:
                os.chown(path, identity.uid, identity.uid)
        return place, identity

    def _run(
        self, sides: Sequence[tuple[Path, Identity | None]], solution: int, tests: int
    ) -> ProgramOutcome:
        verdict, verdict_end = os.pipe()
        ends = socket.socketpair()
        asked, asking = (end.fileno() for end in ends)
        jobs = (
            self._job("solution_process.py", *sides[0], (solution, asked)),
            self._job("tests_process.py", *sides[1], (tests, asking, verdict_end)),
        )
        with ExitStack() as stack:
            stack.callback(os.close, verdict)
            try:
                started = []
                for job in jobs:
                    started.append(self.jobs.start(job))
                    stack.callback(self.jobs.finish, started[-1])
            finally:
                os.close(verdict_end)
                for end in ends:
                    end.close()
            for process in started:
                process.check_confined()
            return read_verdict(verdict, self.bounds.seconds)

    def _job(
        self, program: str, place: Path, identity: Identity | None, descriptors: Sequence[int]
    ) -> Job:
        words, own = [str(descriptor) for descriptor in descriptors], place / "own"
        return Job(
            command=["python", "-s", "-P", "-B", "-c", self._boots[program], *words],
            folder=own / "work",
            environment=empty_environment(home=own / "home", temporary=own / "tmp"),
            descriptors=descriptors,
            network=False,
            identity=identity,
            view=View(writable=(own,), only=(*_SYSTEM, *python_places()), root=place / "root"),
            limits=ResourceLimits(
                memory=self.bounds.memory,
                # We enforce the time limit; this is for the case that we are killed.
                cpu_seconds=math.ceil(self.bounds.seconds) + 5,
                processes=64,
                file_bytes=16 << 20,
                open_files=256,
            ),
        )


def _boot(program: str) -> str:
    """The code that runs one of the two programs, with their shared module."""
    here = Path(__file__)
    values = here.with_name("plain_values.py").read_text(encoding="utf-8")
    text = here.with_name(program).read_text(encoding="utf-8")
    name = f"{__package__}.plain_values"
    return _BOOT.format(name=name, values=values, program=text)


def _throw_away(place: Path) -> None:
    with suppress(OSError):
        remove(place)


@cache
def _has_unused_uids() -> bool:
    """Whether we are root in a user namespace with those user ids."""
    if os.geteuid() != 0:
        return False
    with storage("/proc/self/uid_map"):
        ranges = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    first, last = _FIRST_UNUSED_UID, _FIRST_UNUSED_UID + _UNUSED_UIDS
    return any(int(start) <= first and last <= int(start) + int(n) for start, _, n in ranges)
