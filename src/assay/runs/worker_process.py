"""A method in its own process (isolation level L1): JSON lines on private pipes, with deadlines.

The worker's environment holds only what Python and a locale need, and variables that the caller
names. Ending it ends all that it started, in any session (Linux); if that cannot be confirmed,
leaving it raises. The method's output is read and counted, never parsed; its last line becomes part
of a crash's message.
"""

import fcntl
import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Self

from assay.errors import (
    BadOutput,
    MethodCrashed,
    MethodError,
    MethodExited,
    MethodNotLoaded,
    MethodRaised,
    MethodTimedOut,
    writable,
)
from assay.method.installed_files import site_folders
from assay.method.model_based.disclosure import check_recordable, disclosed_harness
from assay.method.registry import MethodRef
from assay.models.recording import Recording
from assay.runs.method_loader import Modules
from assay.runs.result import Limits
from assay.sandbox.environment import job_environment
from assay.sandbox.job import Job, Outcome, ResourceLimits
from assay.sandbox.levels import Level
from assay.sandbox.process import Process
from assay.sandbox.processes import isolated_command, module_command
from assay.sandbox.warden_client import can_observe
from assay.sandbox.watched_process import WatchedProcess

_KINDS = {
    error.kind: error
    for error in (BadOutput, MethodError, MethodExited, MethodNotLoaded, MethodRaised)
}
_DOING = {"ask": "answering", "ask_batch": "answering", "fit": "fitting"}
_LAST_WORDS = 2000


class ProcessWorker:
    """The parent's end of one worker process: started when made, loaded when entered."""

    def __init__(
        self,
        method: MethodRef,
        *,
        method_digest: str | None,
        seed: int,
        limits: Limits,
        passed: Sequence[str] = (),
        on_print: Callable[[bytes], None] | None = None,
        level: Level = Level.L1,
        folder: Path | None = None,
        bytecode: Path | None = None,
        temporary: Path | None = None,
        watched: bool = False,
        before_restart: Callable[[], None] | None = None,
        recording: Recording | None = None,
    ) -> None:
        check_recordable(method, recording)
        self.recording = recording
        self.level = level
        self.before_restart = before_restart
        self.folder = folder
        self.bytecode = bytecode
        self.temporary = temporary
        self.watched = watched and can_observe()
        self.outcomes: list[Outcome] = []
        """What each process of the worker reached that has ended, where it was watched."""
        self.method = method
        self.method_digest = method_digest
        self.seed = seed
        self.limits = limits
        self.passed = tuple(passed)
        self.on_print = on_print
        self.printed = 0
        self.broken = False
        self.unaccounted = False
        self._last_words = b""
        self._process: Process | WatchedProcess | None = None
        self._descriptors: list[int] = []
        self.arguments: tuple[str, ...] = ()
        self.asks_by_name = True
        self.learner = False
        self.takes_batches = False
        self._guarded(self._spawn)

    def __enter__(self) -> Self:
        self._guarded(self._load)
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()
        if self.unaccounted and not any(exception):
            raise MethodCrashed(
                f"{self.method.text}: the process that ends what it leaves running was killed, so"
                " that something of it may still run",
                hint="A method that ends its parent has no result.",
            )

    @property
    def disclosed(self) -> Mapping[str, str]:
        """What the run says of the method's models, prompts and recording."""
        return disclosed_harness(self.method, self.recording)

    def restart(self, *, seed: int | None = None) -> None:
        """A fresh process, the method loaded again, with another seed where one is given."""
        self.seed = self.seed if seed is None else seed
        self.close()
        if self.before_restart is not None:
            self.before_restart()
        self._guarded(self._spawn)
        self._guarded(self._load)

    def branch(self) -> None:
        """From here to `forget`, speak to a copy of the worker as it is now."""
        self._exchange("branch", True, self.limits.load_seconds)

    def fit(self, examples: Sequence[Mapping[str, object]]) -> None:
        """Fit the learner in the present copy."""
        match self._exchange("fit", list(examples), self.limits.load_seconds):
            case bool() as batch:
                self.takes_batches = batch
            case other:
                raise BadOutput(f"the worker said {other!r:.60} of what it fitted")

    def ask(self, question: str, response: str | None) -> object:
        """One answer as the method gave it, unchecked."""
        return self._exchange("ask", [question, response], self.limits.item_seconds)

    def ask_batch(self, questions: Sequence[str], responses: Sequence[str | None]) -> list[object]:
        """An answer for each item, or what was wrong with it; unchecked.

        The deadline and the byte limit of one answer are multiplied by the batch size.
        """
        count = len(questions)
        seconds = count * self.limits.item_seconds
        argument = [list(questions), list(responses)]
        replies = self._exchange("ask_batch", argument, seconds, answers=count)
        if not isinstance(replies, list) or len(replies) != count:
            raise self._unformed()
        return [self._answer(reply) for reply in replies]

    def _answer(self, reply: object) -> object:
        """One answer of a batch, or the error in its place."""
        match reply:
            case {"ok": value}:
                return value
            case {"failed": [str() as kind, str() as message]}:
                return _KINDS.get(kind, MethodError)(message)
        raise self._unformed()

    def _unformed(self) -> BadOutput:
        self.broken = True
        return BadOutput("an answer that is not in the protocol's form")

    def modules(self) -> Modules:
        """What the worker reports as imported; a hostile method can falsify it."""
        match self._exchange("modules", True, self.limits.load_seconds):
            case [[*installed], [*files]]:
                names = [tuple(writable(str(name)) for name in each) for each in (installed, files)]
                return Modules(installed=names[0], files=names[1])
            case other:
                raise BadOutput(f"the worker said {other!r:.60} of what it had imported")

    def forget(self) -> None:
        """End the copy and everything it was told."""
        self._exchange("forget", True, self.limits.load_seconds)

    def close(self) -> None:
        """End the worker, and what it started in its session; a second call does nothing."""
        if self._process is not None:
            self._process.end()
            self._process.reap()
            self.unaccounted = self.unaccounted or self._process.unaccounted
            self.outcomes.append(self._seen())
            self._process = None
        while self._descriptors:
            os.close(self._descriptors.pop())

    def _seen(self) -> Outcome:
        """What the process reached, where it was watched and has ended."""
        watched = self._process.outcome if isinstance(self._process, WatchedProcess) else None
        return watched or Outcome(code=None, trouble=None, full=True)

    def _guarded(self, step: Callable[[], None]) -> None:
        """Do a step of starting up; if it fails, nothing is left behind."""
        try:
            step()
        except MethodError as error:
            self.close()
            raise MethodNotLoaded(f"{self.method.text}: {error.message}") from None
        except OSError as error:
            self.close()
            raise MethodNotLoaded(f"no process could be started: {error.strerror}") from None
        except BaseException:
            self.close()
            raise

    def _spawn(self) -> None:
        """Start the process; it boots while the caller does something else."""
        request_end, self._requests = _pipe()
        self._answers, answer_end = _pipe()
        self._out, out_end = _pipe()
        self._descriptors = [self._requests, self._answers, self._out]
        os.set_blocking(self._requests, False)
        self._poller = select.poll()
        self._poller.register(self._answers, select.POLLIN)
        self._poller.register(self._out, select.POLLIN)
        self._buffer = b""
        self._number = 0
        ends = (request_end, answer_end)
        try:
            job = Job(
                command=self._command(*map(str, ends)),
                folder=self.folder,
                environment=job_environment(
                    self.passed,
                    temporary=self.temporary,
                    more={
                        "PYTHONHASHSEED": "0",
                        **({} if self.recording is None else self.recording.variables),
                    },
                    isolated=self.bytecode is not None,
                ),
                output=out_end,
                descriptors=ends,
                limits=_resources(self.limits),
                level=self.level,
            )
            self._process = WatchedProcess(job) if self.watched else Process(job)
        finally:
            for descriptor in (*ends, out_end):
                os.close(descriptor)

    def _command(self, *ends: str) -> list[str]:
        """With a folder for its bytecode, the worker starts isolated."""
        if self.bytecode is None:
            return module_command("assay.runs.worker_main", *ends, options=("-u", "-P"))
        return isolated_command(
            "assay.runs.worker_main", *ends, path=site_folders(), bytecode=str(self.bytecode)
        )

    def _load(self) -> None:
        """Import the method in the worker, and note how it is called."""
        if self._process is not None:
            self._process.check_confined()
        target = [self.method.kind, self.method.target, self.method.attribute, self.seed]
        match self._exchange("load", target, self.limits.load_seconds):
            case [[*arguments], bool() as learner, bool() as by_name, bool() as batch]:
                self.arguments = tuple(str(name) for name in arguments)
                self.learner, self.asks_by_name, self.takes_batches = learner, by_name, batch
            case other:
                raise BadOutput(f"the worker said {other!r:.60} of the method that it loaded")

    def _exchange(self, verb: str, argument: object, seconds: float, *, answers: int = 1) -> Any:  # noqa: ANN401
        """One request and its reply, which holds so many answers, or a MethodError."""
        if self._buffer:
            self.broken = True
            raise BadOutput("an answer came before it was asked for")
        self._number += 1
        request = {"n": self._number, "do": verb, "with": argument}
        line = json.dumps(request).encode() + b"\n"
        self.broken = True  # until the answer is here, and for good where none comes
        deadline = time.monotonic() + seconds
        try:
            self._write(line, deadline)
            reply = self._parse(self._read_line(deadline, answers * self.limits.answer_bytes))
        except TimeoutError:
            doing = _DOING.get(verb, "loading")
            knob = "item_seconds" if _DOING.get(verb) == "answering" else "load_seconds"
            raise MethodTimedOut(
                f"still {doing} after {seconds:g} s", hint=f"Give it longer: `{knob}=N`."
            ) from None
        except (BrokenPipeError, EOFError):
            raise self._death() from None
        self.broken = False
        match reply:
            case {"ok": value}:
                return value
            case {"failed": [str() as kind, str() as message]}:
                raise _KINDS.get(kind, MethodError)(message)
        raise self._unformed()

    def _parse(self, line: bytes) -> dict[str, Any]:
        """A reply to the current request; anything else was not written by our worker."""
        try:
            reply = json.loads(line)
        except (ValueError, RecursionError):
            reply = None
        if not isinstance(reply, dict) or reply.get("n") != self._number:
            raise self._unformed()
        return reply

    def _write(self, data: bytes, deadline: float) -> None:
        """Send a request, draining what the method prints so that neither side can block."""
        while data:
            try:
                data = data[os.write(self._requests, data) :]
            except BlockingIOError:
                self._poller.register(self._requests, select.POLLOUT)
                self._wait(self._requests, deadline)
                self._poller.unregister(self._requests)

    def _read_line(self, deadline: float, most: int) -> bytes:
        while b"\n" not in self._buffer:
            if len(self._buffer) > most:
                break
            self._wait(self._answers, deadline)
            chunk = os.read(self._answers, 1 << 16)
            if not chunk:
                raise EOFError
            self._buffer += chunk
        line, _, self._buffer = self._buffer.partition(b"\n")
        if len(line) > most:
            raise BadOutput(f"an answer longer than {most:,} bytes")
        return line

    def _wait(self, descriptor: int, deadline: float) -> None:
        """Until the descriptor is ready, drain the method's own output."""
        while True:
            left = deadline - time.monotonic()
            ready = [number for number, _ in self._poller.poll(max(left, 0.0) * 1000.0)]
            if self._out in ready and not self._drain():
                self._poller.unregister(self._out)
            if descriptor in ready:
                return
            if left <= 0.0:
                raise TimeoutError

    def _drain(self) -> bool:
        text = os.read(self._out, 1 << 16)
        self.printed += len(text)
        if self.on_print is not None and text:
            self.on_print(text)
        self._last_words = (self._last_words + text)[-_LAST_WORDS:]
        return bool(text)

    def _death(self) -> MethodCrashed:
        """How the process ended, with its last line where it left one."""
        try:
            code = self._process.reap(5.0) if self._process is not None else 0
        except TimeoutError:
            return MethodCrashed("it closed its pipes and went on running")
        os.set_blocking(self._out, False)
        with suppress(BlockingIOError):
            while self._drain():
                pass
        if code is None:
            how = self._seen().trouble or "its process has no exit code"
        elif code < 0:
            how = f"its process was ended by {_signal_name(-code)}"
        else:
            how = f"its process ended with code {code}"
        words = self._last_words.decode("utf-8", "replace").strip().splitlines()
        return MethodCrashed(how + (f"; its last line was: {words[-1]:.200}" if words else ""))


def _resources(limits: Limits) -> ResourceLimits | None:
    """What the launcher holds each process to; other systems have no launcher."""
    if sys.platform != "linux":
        return None
    return ResourceLimits(
        data=limits.memory_bytes,
        cpu_seconds=limits.cpu_seconds,
        processes=limits.processes,
        file_bytes=limits.file_bytes,
    )


def _pipe() -> tuple[int, int]:
    """A pipe above the standard descriptors, which may be closed and must not be taken."""
    ends = []
    for end in os.pipe():
        ends.append(fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 3))
        os.close(end)
    return ends[0], ends[1]


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
