"""Completions of programming tasks, each run against its tests in a process of its own.

A completion is code that nobody vouches for. Each runs in a session, a folder, a home and a process
namespace of its own, without a network, with a clean environment, for so many seconds and with so
much memory; whatever it leaves running is ended with it. A system that cannot give it a network of
its own runs nothing at all. This is L1 and these walls, and not yet isolation: it can read what its
user can read (docs/explanation/trust.md).
"""

import json
import math
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from assay.benchmark.corpora.program_verdicts import Outcome, check_apart, is_ready, read_verdict
from assay.errors import NotHere, StorageError, storage
from assay.sandbox import launcher
from assay.sandbox.guardian import Guardian
from assay.sandbox.levels import Level, confined

_APART = Path(launcher.__file__)
_CHECKER = Path(__file__).with_name("program_checker.py")
_END_SECONDS = 10.0
_STRANGERS, _MANY = 0x70000000, 1 << 24
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
) -> list[Outcome]:
    """Run programs, so many at a time; the outcome of each, in their order."""
    with storage(tempfile.gettempdir()):
        folder = Path(tempfile.mkdtemp(prefix="assay-")).resolve()
    with Guardian(folder) as guardian:
        executor = Executor(folder, guardian, bounds or Bounds())
        executor.probe()
        pool = ThreadPoolExecutor(jobs)
        try:
            outcomes = []
            for outcome in pool.map(executor.run, programs):
                outcomes.append(outcome)
                if on_done is not None:
                    on_done()
        except BaseException:
            executor.stop()
            raise
        finally:
            pool.shutdown(cancel_futures=True)
    return outcomes


class Executor:
    """Runs programs within a folder, in the first way of being set apart that holds here."""

    def __init__(self, folder: Path, guardian: Guardian, bounds: Bounds) -> None:
        self.folder = folder
        self.guardian = guardian
        self.bounds = bounds
        self.way = ""
        self._lock = threading.Lock()
        self._running: set[subprocess.Popen[bytes]] = set()
        self._stopping = False
        self._apart = _APART.read_text(encoding="utf-8")
        self._checker = _CHECKER.read_text(encoding="utf-8")
        folder.chmod(0o711)  # a stranger may pass through, and cannot look round

    def probe(self) -> None:
        """Find a way that holds here, by a program that tries to reach us over the network."""
        why = "there are no namespaces (Linux has them)"
        ways: tuple[str, ...] = ()
        if sys.platform == "linux":
            ways = ("stranger", "reader") if _can_be_others() else ("user",)
        for way in ways:
            self.way = way
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
        """Whether a program runs, and nobody answers when it knocks."""
        with socket.socket() as door:
            door.bind(("127.0.0.1", 0))
            door.listen()
            tests = f"assert knock({door.getsockname()[1]}) == 'nobody'"
            outcome = self.run(Program(solution=_KNOCK, tests=tests))
            heard = is_ready(door.fileno(), 0.0)
        return outcome is Outcome.PASSED and not heard

    def stop(self) -> None:
        """End everything that runs, and begin nothing more."""
        with self._lock:
            self._stopping = True
            for process in self._running:
                _kill(process)

    def run(self, program: Program) -> Outcome:
        """Run one program to its end, and leave nothing of it."""
        uid = _STRANGERS + secrets.randbelow(_MANY) if _can_be_others() else os.getuid()
        word = secrets.token_hex(16)
        with storage(self.folder):
            place = self._place(uid)
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
                return self._run(place, uid, word, request.fileno())
        except OSError as error:
            raise StorageError(f"no process could be started: {error.strerror}") from None
        finally:
            with suppress(OSError):
                _discard(place)

    def _place(self, uid: int) -> Path:
        place = Path(tempfile.mkdtemp(dir=self.folder))
        for path in (place, *(place / name for name in ("home", "tmp", "work"))):
            path.mkdir(exist_ok=True)
            if _can_be_others():
                os.chown(path, uid, uid)
        return place

    def _run(self, place: Path, uid: int, word: str, request: int) -> Outcome:
        status, status_end = os.pipe()
        verdict, verdict_end = os.pipe()
        try:
            try:
                process = self._start(place, uid, request, status_end, verdict_end)
            finally:
                os.close(status_end)
                os.close(verdict_end)
            try:
                check_apart(status)
                return read_verdict(verdict, word, self.bounds.seconds)
            finally:
                self._end(process)
        finally:
            os.close(status)
            os.close(verdict)

    def _start(
        self, place: Path, uid: int, request: int, status: int, verdict: int
    ) -> "subprocess.Popen[bytes]":
        python = sys.executable
        checking = [python, "-s", "-P", "-B", "-c", self._checker, f"{request}", f"{verdict}"]
        # Stronger levels wrap what nobody vouches for, and not what makes its namespaces.
        checking = confined(Level.L1, checking)
        # Time is kept here; this only ends what we would not live to end.
        cpu = math.ceil(self.bounds.seconds) + 5
        numbers = (uid, self.bounds.memory, cpu, status)
        command = [python, "-I", "-S", "-c", self._apart, self.way, *map(str, numbers), *checking]
        with self._lock:
            if self._stopping:
                raise StorageError("stopped before it was run")
            process = subprocess.Popen(  # noqa: S603 - our own words, and no shell
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(request, status, verdict),
                env=_environment(place),
                cwd=place / "work",
                start_new_session=True,
            )
            self.guardian.began(process.pid)
            self._running.add(process)
        return process

    def _end(self, process: "subprocess.Popen[bytes]") -> None:
        """End a program, and come back when nothing of it is left."""
        # It ends the others first, and itself after them. (`terminate` would take leave of it.)
        os.kill(process.pid, signal.SIGTERM)
        with suppress(subprocess.TimeoutExpired):
            _wait_ended(process, _END_SECONDS)
        _kill(process)
        self.guardian.ended(process.pid)
        with self._lock:
            self._running.discard(process)
        process.wait()


def _environment(place: Path) -> dict[str, str]:
    return {
        "HOME": str(place / "home"),
        "TMPDIR": str(place / "tmp"),
        "LANG": "C.UTF-8",
        "PATH": os.defpath,
        "USER": "nobody",
        "PYTHONHASHSEED": "0",
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }


@cache
def _can_be_others() -> bool:
    """Whether we are root, and not only within a user namespace that knows few others."""
    if os.geteuid() != 0:
        return False
    with storage("/proc/self/uid_map"):
        ranges = [line.split() for line in Path("/proc/self/uid_map").read_text().splitlines()]
    last = _STRANGERS + _MANY
    return any(int(first) <= _STRANGERS and last <= int(first) + int(n) for first, _, n in ranges)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _wait_ended(process: "subprocess.Popen[bytes]", seconds: float) -> None:
    """Wait for the end of a process without taking leave of it: its number stays its own."""
    deadline = time.monotonic() + seconds
    pause = 0.0005
    while os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is None:
        if time.monotonic() > deadline:
            raise subprocess.TimeoutExpired(process.args, seconds)
        time.sleep(pause)
        pause = min(pause * 2.0, 0.02)


def _discard(place: Path) -> None:
    """Remove a program's folders, also what it locked; links, and not what they lead to."""
    shutil.rmtree(place, ignore_errors=True)
    if place.exists():
        place.chmod(0o700)
        for folder, names, _ in os.walk(place):
            for path in (Path(folder, name) for name in names):
                if not path.is_symlink():
                    path.chmod(0o700)
        shutil.rmtree(place, ignore_errors=True)
