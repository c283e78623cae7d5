"""Confined processes that import code, read documents and match patterns.

There is one process for each kind of request, without a network, with limits, in a read-only view
of the files; it answers in JSON. A request that takes too long ends it, and the next request starts
another.
"""

import json
import socket
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Self

from assay.claim_audit.claim import Unverifiable
from assay.errors import AssayError, StorageError
from assay.sandbox.environment import job_environment
from assay.sandbox.guardian import Guardian
from assay.sandbox.job import Job, ResourceLimits, View
from assay.sandbox.process import JobRunner, Process, is_ready
from assay.sandbox.processes import module_command

_SECONDS = 30.0
_MOST_BYTES = 16 << 20
_LIMITS = ResourceLimits(
    memory=4 << 30, cpu_seconds=600, processes=256, file_bytes=64 << 20, open_files=512
)


class ConfinedProcesses:
    """Starts each process at its first request, and ends all of them on exit."""

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

    def ask(self, kind: str, **question: object) -> Any:  # noqa: ANN401 - the answer is JSON
        """The answer to one request; Unverifiable if there is none in time."""
        try:
            _, line = self._opened(kind)
        except (AssayError, OSError) as error:
            why = error.message if isinstance(error, AssayError) else error.strerror
            raise Unverifiable(f"no confined process can be started here: {why}") from None
        try:
            line.sendall(json.dumps(question).encode() + b"\n")
            answer = self._answer(line)
        except (OSError, ValueError) as error:
            self._end(kind)
            raise Unverifiable(f"the confined process gave no answer: {error}") from None
        if "error" in answer:
            raise Unverifiable(str(answer["error"])[:300])
        return answer

    def output_of(self, command: list[str]) -> str:
        """The output of a command, run in the root; Unverifiable if it fails."""
        try:
            runner = self._started()
            with tempfile.TemporaryFile(dir=self._folder) as output:
                outcome = runner.run(self._job(command, output=output.fileno()))
                if outcome.trouble is not None:
                    raise Unverifiable(f"{command[0]}: {outcome.trouble}"[:300])
                output.seek(0)
                return output.read(_MOST_BYTES).decode("utf-8", "replace")
        except StorageError as error:
            raise Unverifiable(error.message) from None

    def _answer(self, line: socket.socket) -> dict[str, Any]:
        data = b""
        while not data.endswith(b"\n"):
            if not is_ready(line.fileno(), _SECONDS):
                raise TimeoutError(f"it took longer than {_SECONDS:g} s")
            part = line.recv(1 << 16)
            if not part or len(data) > _MOST_BYTES:
                raise ConnectionError("it ended")
            data += part
        answer: dict[str, Any] = json.loads(data)
        return answer

    def _started(self) -> JobRunner:
        if self._runner is None:
            self._folder = Path(
                self._stack.enter_context(tempfile.TemporaryDirectory(prefix="assay-"))
            )
            self._runner = JobRunner(self._stack.enter_context(Guardian(self._folder)))
        return self._runner

    def _opened(self, kind: str) -> tuple[Process, socket.socket]:
        if kind not in self._open:
            runner = self._started()
            ours, theirs = socket.socketpair()
            with theirs:
                command = module_command(
                    "assay.claim_audit.confined_main", str(theirs.fileno()), str(self.root),
                    options=("-P", "-B"),
                )  # fmt: skip
                process = runner.start(self._job(command, descriptors=(theirs.fileno(),)))
            self._open[kind] = process, ours
            process.check_confined()
        return self._open[kind]

    def _job(self, command: list[str], **more: Any) -> Job:  # noqa: ANN401 - fields of a job
        return Job(
            command=command,
            folder=self.root,
            environment=job_environment((), home=self._folder, temporary=self._folder),
            seconds=_SECONDS,
            network=False,
            limits=_LIMITS,
            view=View(writable=(self._folder,)),
            **more,
        )

    def _end(self, kind: str) -> None:
        process, line = self._open.pop(kind)
        line.close()
        if self._runner is not None:
            self._runner.finish(process)
