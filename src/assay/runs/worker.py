"""Where a method runs: in a process of its own, or in this one."""

import os
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Protocol, Self

from assay.benchmark.benchmark import Benchmark, Task
from assay.digests import derive, digest
from assay.errors import SpecError, storage
from assay.method.registry import REGISTERED, MethodRef, bundled, parse_method, source_file
from assay.models.recording import Recording
from assay.runs.method_loader import FittedMethod, Modules, call, call_batch, fit, inspect_method
from assay.runs.result import Limits
from assay.runs.worker_process import ProcessWorker
from assay.sandbox.levels import Level


class Worker(Protocol):
    """A method, loaded and ready to be asked.

    Of a learner, `takes_batches` is known once it has been fitted.
    """

    @property
    def level(self) -> Level:
        """The isolation level of the method."""

    method: MethodRef
    method_digest: str | None
    arguments: tuple[str, ...]
    asks_by_name: bool
    learner: bool
    takes_batches: bool
    printed: int
    passed: tuple[str, ...]
    broken: bool

    @property
    def disclosed(self) -> Mapping[str, str]:
        """What the run says of the models that it asks."""

    def restart(self, *, seed: int | None = None) -> None:
        """Start afresh."""

    def branch(self) -> None:
        """Speak to a copy from here to `forget`."""

    def fit(self, examples: Sequence[Mapping[str, object]]) -> None:
        """Fit the learner."""

    def ask(self, question: str, response: str | None) -> object:
        """One raw answer; a method that takes batches is asked a batch of one."""

    def ask_batch(
        self, questions: Sequence[str], responses: Sequence[str | None]
    ) -> Sequence[object]:
        """A raw answer for each item, or the error in its place."""

    def modules(self) -> Modules:
        """What has been imported."""

    def forget(self) -> None:
        """End the copy."""

    def __enter__(self) -> Self:
        """Itself."""

    def __exit__(self, *exception: object) -> None:
        """End it."""


Method = str | Callable[..., Any] | FittedMethod
"""A reference, which runs in a process of its own, or a callable or learner, which runs here."""


def start_worker(
    method: Method,
    *,
    seed: int = 0,
    limits: Limits | None = None,
    environment: Sequence[str] = (),
    on_print: Callable[[bytes], None] | None = None,
    recording: Recording | None = None,
) -> Worker:
    """Load a method: a reference in a process of its own, a callable in this one."""
    if not isinstance(method, str):
        if recording is not None:
            raise SpecError(
                f"`cassette={recording.path.name}` is for a method over models, such as"
                " likelihood:MODEL, and this is a callable",
                hint="A method of your own records its own calls.",
            )
        if limits is not None or environment:
            raise SpecError(
                "limits and an environment need a method in its own process, but a callable runs in"
                " this one",
                hint="Name it instead: file.py:function.",
            )
        return TrustedWorker(method)
    if os.name != "posix":
        raise SpecError(
            "methods given by reference need a POSIX system (Linux, macOS)",
            hint="Pass the function itself to run it in this process.",
        )
    reference = parse_method(method, registered=REGISTERED)
    return ProcessWorker(
        reference,
        method_digest=_file_digest(reference),
        seed=derive(seed, "method"),
        limits=limits or Limits(),
        passed=environment,
        on_print=on_print,
        recording=recording,
    )


def _file_digest(method: MethodRef) -> str | None:
    """The digest of the file that a reference names, read before the method can touch it."""
    file = source_file(method)
    if file is None or not file.is_file():
        return None
    with storage(file):
        return digest(file.read_bytes())


def default_task(worker: Worker, benchmark: Benchmark) -> Task:
    """The task of a method, by its name, its parameters or the benchmark."""
    ours = bundled(worker.method.text)
    labelled = all(item.label is not None for item in benchmark.items)
    if labelled and not {"truth", "folklore"} <= set(benchmark.classes):
        return "detection" if ours is None or "detection" in ours.tasks else ours.tasks[0]
    if ours is not None:
        return ours.tasks[0]
    if worker.learner:
        return "classification"
    return "detection" if "response" in worker.arguments else "classification"


class TrustedWorker:
    """The same verbs as a worker process, in this process: for the user's own callables.

    The method is not isolated, there are no deadlines, a crash ends everything, and it shares the
    caller's random generators; the run says so.
    """

    level = Level.TRUSTED
    method_digest: str | None = None
    printed = 0
    broken = False
    passed: tuple[str, ...] = ()
    disclosed: Mapping[str, str] = MappingProxyType({})

    def __init__(self, method: Callable[..., Any] | FittedMethod) -> None:
        name = getattr(method, "__qualname__", type(method).__qualname__)
        module = getattr(method, "__module__", "")
        self.method = MethodRef(
            text=f"{module}:{name}", kind="callable", target=module, attribute=name
        )
        self._loaded = inspect_method(method, isolated=False)
        self._asked = self._loaded
        self.takes_batches = self._loaded.batch
        self.arguments, self.learner = self._loaded.arguments, self._loaded.learner
        self.asks_by_name = self._loaded.asks_by_name

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        """End the remaining tasks of its coroutines."""
        self._loaded.loop.close()

    def restart(self, *, seed: int | None = None) -> None:
        """Nothing to start again."""

    def branch(self) -> None:
        """Nothing to copy."""

    def fit(self, examples: Sequence[Mapping[str, object]]) -> None:
        """Fit the learner here."""
        self._asked = fit(self._loaded, examples)
        self.takes_batches = self._asked.batch

    def ask(self, question: str, response: str | None) -> object:
        """One answer as the method gave it, unchecked."""
        return call(self._asked, question, response)

    def ask_batch(
        self, questions: Sequence[str], responses: Sequence[str | None]
    ) -> Sequence[object]:
        """An answer for each item as the method gave it, unchecked."""
        return call_batch(self._asked, questions, responses)

    def modules(self) -> Modules:
        """Empty, since the method's modules cannot be separated from Assay's own."""
        return Modules(installed=(), files=())

    def forget(self) -> None:
        """Back to the unfitted learner."""
        self._asked = self._loaded
