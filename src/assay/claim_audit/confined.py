"""Code, documents and patterns that only a confined process looks at.

Processes without a network, with limits, that see the root, the interpreter and the operating
system's programs, all read-only, and a folder of their own. One searches texts and reads PDFs, and
loads no code of the root. Each module is imported in a process of its own, so that importing one
cannot change what is found in another. A question that takes too long ends the process, and the
next one starts another.
"""

import json
import os
import socket
import tempfile
import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from pathlib import Path
from typing import Any, Self, TypeVar

import msgspec

from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.confined_main import is_of_root
from assay.errors import AssayError
from assay.folders import remove
from assay.sandbox.environment import job_environment
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Job, ResourceLimits, View
from assay.sandbox.process import JobRunner, Process, python_places
from assay.sandbox.processes import HOME, module_command

_SECONDS = 30.0
_MOST_BYTES = 16 << 20
_LIMITS = ResourceLimits(
    memory=4 << 30, cpu_seconds=600, processes=256, file_bytes=64 << 20, open_files=512
)
_SYSTEM = (
    *("/bin", "/etc/alternatives", "/etc/ld.so.cache", "/etc/localtime", "/lib", "/lib32"),
    *("/lib64", "/nix/store", "/proc", "/sbin", "/usr"),
    *("/dev/null", "/dev/random", "/dev/urandom", "/dev/zero"),
)
"""What programs need of the operating system; none of its files holds a user's data."""
TEXTS = "texts"


class NoAnswer(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="error"):
    """Why a question has no answer."""

    why: str


class Matches(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="matches"):
    """What a pattern captures, each with its line."""

    found: list[tuple[str, int]]


class Pdf(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="pdf"):
    """The number of pages of a PDF, the titles of its outline, and the text of each page."""

    pages: int
    titles: list[str]
    texts: list[str]


class Attribute(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="attribute"):
    """The value of an attribute, where there is one, and the file of the module that has it."""

    file: str
    present: bool
    value: Any = None


Answer = TypeVar("Answer", Matches, Pdf, Attribute)


class ConfinedProcesses:
    """Starts the processes when they are first asked, and ends all of them on exit."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._stack = ExitStack()
        self._runner: JobRunner | None = None
        self._folder = Path()
        self._open: dict[str, tuple[Process, socket.socket]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for kind in list(self._open):
            self._end(kind)
        self._stack.close()
        self._runner = None

    def matches(self, pattern: str, text: str) -> Matches:
        """What a regular expression captures in a text."""
        return self._ask(TEXTS, Matches, pattern=pattern, text=text)

    def pdf(self, path: Path) -> Pdf:
        """What a PDF holds."""
        return self._ask(TEXTS, Pdf, pdf=str(path))

    def attribute(self, module: str, attr: str) -> Attribute:
        """An attribute of a module; the process of another module is ended first."""
        for kind in set(self._open) - {TEXTS, module}:
            self._end(kind)
        return self._ask(module, Attribute, module=module, attr=attr)

    def output_of(self, command: list[str]) -> str:
        """What a command prints, run in the root; Unverifiable where it fails."""
        try:
            runner = self._started()
            with tempfile.TemporaryFile(dir=self._folder) as output:
                job = self._job(command, output=output.fileno())
                try:
                    outcome = runner.run(job)
                finally:
                    self._remove(job)
                if outcome.trouble is not None:
                    raise Unverifiable(f"{command[0]}: {outcome.trouble}"[:300])
                output.seek(0)
                return output.read(_MOST_BYTES).decode("utf-8", "replace")
        except (AssayError, OSError) as error:
            raise Unverifiable(_told(error)) from None

    def _ask(self, kind: str, expected: type[Answer], **question: object) -> Answer:
        """The answer to one question; Unverifiable where there is none in time."""
        try:
            _, line = self._opened(kind)
        except (AssayError, OSError) as error:
            raise Unverifiable(f"no confined process can be started here: {_told(error)}") from None
        deadline = time.monotonic() + _SECONDS
        try:
            line.settimeout(_SECONDS)  # of all that is sent, not of each part
            line.sendall(json.dumps(question).encode() + b"\n")
            data = _line_before(line, deadline)
        except TimeoutError:
            self._end(kind)
            raise Unverifiable(f"it took longer than {_SECONDS:g} s") from None
        except OSError as error:
            self._end(kind)
            raise Unverifiable(f"the confined process gave no answer: {error}") from None
        try:
            # An import can write anything in place of an answer, nested without end too.
            answer: Answer | NoAnswer = msgspec.json.decode(data, type=expected | NoAnswer)
        except (msgspec.MsgspecError, RecursionError, ValueError):
            self._end(kind)
            raise Unverifiable("the confined process gave an answer of another form") from None
        if isinstance(answer, NoAnswer):
            raise Unverifiable(answer.why[:300])
        return answer

    def _started(self) -> JobRunner:
        if self._runner is None:
            self._folder = Path(tempfile.mkdtemp(prefix="assay-")).resolve()
            self._stack.callback(_discard, self._folder)
            self._runner = JobRunner(self._stack.enter_context(Guardian(self._folder)))
        return self._runner

    def _opened(self, kind: str) -> tuple[Process, socket.socket]:
        if kind not in self._open:
            runner = self._started()
            ours, theirs = socket.socketpair()
            with theirs:
                sees = "texts" if kind == TEXTS else "code"
                command = module_command(
                    "assay.claim_audit.confined_main",
                    *(str(theirs.fileno()), sees, str(self.root)),
                    options=("-P", "-B"),
                )
                job = self._job(command, descriptors=(theirs.fileno(),))
                environment = self._without_root(job.environment)
                process = runner.start(replace(job, environment=environment))
            self._open[kind] = process, ours
            try:
                process.check_confined()
            except BaseException:
                self._end(kind)
                raise
        return self._open[kind]

    def _job(self, command: list[str], **more: Any) -> Job:  # noqa: ANN401 - fields of a job
        """A job with a home of its own, which no other has seen."""
        place = Path(tempfile.mkdtemp(dir=self._folder))
        home, empty = place / "home", place / "root"
        home.mkdir()
        empty.mkdir()
        return Job(
            command=command,
            folder=self.root,
            environment=job_environment((), home=home, temporary=home),
            home=home,
            seconds=_SECONDS,
            network=False,
            limits=_LIMITS,
            view=self._view(home, empty),
            **more,
        )

    def _without_root(self, environment: Mapping[str, str]) -> dict[str, str]:
        """Variables by which our own process loads no code of the root before it is asked."""
        folders = environment.get("PYTHONPATH", "").split(os.pathsep)
        kept = [
            one for one in folders if one.startswith(os.sep) and not is_of_root(one, str(self.root))
        ]
        return {**environment, "PYTHONPATH": os.pathsep.join(kept)}

    def _view(self, home: Path, empty: Path) -> View:
        """The root, the interpreter, this package and the system's programs, read-only."""
        if self.root == Path(self.root.anchor):
            return View(writable=(home,))
        seen = {*map(Path, _SYSTEM), *python_places(), Path(HOME) / "assay", self.root}
        # A folder comes before what lies in it: what is already there is not shown again.
        only = sorted(seen, key=lambda path: (len(path.parts), path))
        return View(writable=(home,), only=only, root=empty)

    def _end(self, kind: str) -> None:
        process, line = self._open.pop(kind)
        line.close()
        if self._runner is not None:
            self._runner.finish(process)
        self._remove(process.job)

    @staticmethod
    def _remove(job: Job) -> None:
        if job.home is not None:
            _discard(job.home.parent)


def _line_before(line: socket.socket, deadline: float) -> bytes:
    """One line, which must be whole before the deadline."""
    data = bytearray()
    while not data.endswith(b"\n"):
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        line.settimeout(left)
        part = line.recv(1 << 16)
        if not part or len(data) > _MOST_BYTES:
            raise ConnectionError("it ended" if not part else f"more than {_MOST_BYTES:,} bytes")
        data += part
    return bytes(data)


def _discard(place: Path) -> None:
    with suppress(OSError):
        remove(place)


def _told(error: AssayError | OSError) -> str:
    return error.message if isinstance(error, AssayError) else os.strerror(error.errno or 0)
