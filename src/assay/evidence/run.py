"""Running a method over a benchmark: one record per item, every output kept.

The method is asked in an order drawn from the seed and is told a question and perhaps a response,
never an id, a label, a class or a place in the file. A learner is asked about an item only by a
copy fitted without that item and its group; the second corpus is asked of a copy fitted to the
whole first one.
"""

import platform
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Protocol, Self

from assay._version import __version__
from assay.digests import digest
from assay.errors import MethodError, SpecError
from assay.evidence.confine import Level
from assay.evidence.folds import assign_folds
from assay.evidence.outputs import check_output
from assay.evidence.process import Limits, ProcessWorker
from assay.evidence.record import Failure, Record, Run, Source
from assay.evidence.trusted import TrustedWorker
from assay.methods.registry import REGISTERED
from assay.plan.bars import Task
from assay.plan.benchmark import Benchmark, Item
from assay.plan.method import MethodRef, parse_method

FOLDS = 5
GIVE_UP_AFTER = 10
"""How many items in a row may end the worker before a run that keeps going gives up."""


class Worker(Protocol):
    """Where a method runs; a process or this one."""

    @property
    def level(self) -> Level:
        """How far the method is kept from what it must not see."""

    method: MethodRef
    parameters: int
    learner: bool
    file: str | None
    printed: int
    passed: tuple[str, ...]
    broken: bool

    def restart(self) -> None:
        """Start afresh."""

    def branch(self) -> None:
        """Speak to a copy from here to `forget`."""

    def fit(self, examples: Sequence[Mapping[str, object]]) -> None:
        """Fit the learner."""

    def ask(self, question: str, response: str | None) -> object:
        """One raw answer."""

    def forget(self) -> None:
        """End the copy."""

    def __enter__(self) -> Self:
        """Itself."""

    def __exit__(self, *exception: object) -> None:
        """End it."""


def start_worker(
    method: str | Callable[..., Any],
    *,
    seed: int = 0,
    limits: Limits | None = None,
    environment: Sequence[str] = (),
) -> Worker:
    """Load a method: a reference in a process of its own, a callable in this one."""
    if isinstance(method, str):
        reference = parse_method(method, registered=REGISTERED)
        return ProcessWorker(
            reference, seed=seed, limits=limits or Limits(), passed=tuple(environment)
        )
    return TrustedWorker(method, seed=seed)


def default_task(worker: Worker, benchmark: Benchmark | None = None) -> Task:
    """The task a method is for, as far as its name or its parameters tell."""
    ours = REGISTERED.get(worker.method.text)
    if ours is not None:
        return "detection" if ours.tasks[0] == "detection" else "classification"
    if worker.learner:
        labelled = benchmark is not None and not benchmark.classes
        return "detection" if labelled else "classification"
    return "detection" if worker.parameters == 2 else "classification"


def run(
    method: str | Callable[..., Any],
    benchmark: Benchmark,
    *,
    task: Task | None = None,
    seed: int = 0,
    limits: Limits | None = None,
    environment: Sequence[str] = (),
    keep_going: bool = False,
    on_record: Callable[[Record], None] | None = None,
) -> Run:
    """Ask a method about every item of a benchmark.

    Stops at the first item that fails and raises its MethodError, whose `run` holds what was made
    so far; with `keep_going` it records the failure and asks on.
    """
    with start_worker(method, seed=seed, limits=limits, environment=environment) as worker:
        return collect(
            worker,
            benchmark,
            task=task or default_task(worker, benchmark),
            seed=seed,
            keep_going=keep_going,
            on_record=on_record,
        )


def collect(
    worker: Worker,
    benchmark: Benchmark,
    *,
    task: Task,
    seed: int,
    keep_going: bool = False,
    on_record: Callable[[Record], None] | None = None,
) -> Run:
    """Ask a started worker about every item."""
    _check_answerable(worker, benchmark, task)
    method_digest = _file_digest(worker.file)
    records: list[Record] = []

    def outcome(*, complete: bool) -> Run:
        return Run(
            method=worker.method.text,
            method_digest=method_digest,
            task=task,
            benchmark=Source.of(benchmark),
            second=None if benchmark.second is None else Source.of(benchmark.second),
            seed=seed,
            folds=FOLDS if worker.learner else None,
            isolation=worker.level,
            environment=worker.passed,
            harness=_harness(),
            printed=worker.printed,
            complete=complete,
            records=tuple(records),
        )

    asking = _Asking(worker, benchmark, task, seed, keep_going)
    try:
        for record in asking.records():
            records.append(record)
            if on_record is not None:
                on_record(record)
    except MethodError as error:
        error.run = outcome(complete=False)
        raise
    if asking.stopped_by is not None:
        asking.stopped_by.run = outcome(complete=False)
        raise asking.stopped_by
    return outcome(complete=True)


class _Asking:
    """One pass over a benchmark: the plan of who is asked what, and what to do on a failure."""

    def __init__(
        self, worker: Worker, benchmark: Benchmark, task: Task, seed: int, keep_going: bool
    ) -> None:
        self.worker = worker
        self.benchmark = benchmark
        self.task: Task = task
        self.seed = seed
        self.keep_going = keep_going
        second = benchmark.second.classes if benchmark.second is not None else {}
        self.classes = {*benchmark.classes, *second}
        self.broken_in_a_row = 0
        self.stopped_by: MethodError | None = None

    def records(self) -> Iterator[Record]:
        """A record per item, until all are asked or a failure stops the run."""
        for examples, entries in self.rounds():
            if examples is not None:
                self.prepare(examples)
            for key, item in entries:
                yield self.ask(key, item, examples)
                if self.stopped_by is not None:
                    return
            if examples is not None:
                self.worker.forget()

    def rounds(self) -> Iterator[tuple[list[dict[str, object]] | None, list[tuple[str, Item]]]]:
        """What to fit on (None for a method that does not learn), and what to ask then."""
        shuffled = list(self.benchmark.keyed_items())
        random.Random(self.seed).shuffle(shuffled)  # noqa: S311 - a seeded order, not a secret
        if not self.worker.learner:
            yield None, shuffled
            return
        own = {item.id for item in self.benchmark.items}
        main = [(key, item) for key, item in shuffled if key in own]
        folds = assign_folds(
            [self.target(item) for _, item in main],
            [item.group for _, item in main],
            folds=FOLDS,
            seed=self.seed,
        )
        for fold in range(FOLDS):
            kept = [item for (_, item), f in zip(main, folds, strict=True) if f != fold]
            asked = [entry for entry, f in zip(main, folds, strict=True) if f == fold]
            if asked:
                yield [self.example(item) for item in kept], asked
        others = [(key, item) for key, item in shuffled if key not in own]
        if others:
            yield [self.example(item) for _, item in main], others

    def example(self, item: Item) -> dict[str, object]:
        """An item as a learner sees it."""
        return {
            "question": item.question,
            "response": item.response,
            "target": self.target(item),
        }

    def target(self, item: Item) -> int | str | None:
        """What a learner learns: the label as 0 or 1, or the class."""
        if self.task == "classification":
            return item.cls
        return None if item.label is None else int(item.label)

    def prepare(self, examples: list[dict[str, object]]) -> None:
        """A fitted copy of the learner."""
        self.worker.branch()
        self.worker.fit(examples)

    def ask(self, key: str, item: Item, examples: list[dict[str, object]] | None) -> Record:
        """One record; on a failure, what the policy says."""
        started = time.perf_counter()
        output, error = None, None
        try:
            raw = self.worker.ask(item.question, item.response)
            output = check_output(raw, task=self.task, classes=self.classes)
            self.broken_in_a_row = 0
        except MethodError as caught:
            error = Failure(kind=caught.kind, message=caught.message)
            self.recover(caught, key, examples)
        ms = round((time.perf_counter() - started) * 1000.0, 3)
        return Record(item=key, output=output, error=error, ms=ms)

    def recover(
        self, caught: MethodError, key: str, examples: list[dict[str, object]] | None
    ) -> None:
        """Stop the run, or get the worker ready for the next item."""
        self.broken_in_a_row = self.broken_in_a_row + 1 if self.worker.broken else 0
        if not self.keep_going or self.broken_in_a_row >= GIVE_UP_AFTER:
            message = f"{self.worker.method.text}, item {key}: {caught.message}"
            if self.keep_going:
                message += f"; {GIVE_UP_AFTER} items in a row ended its process, so the run stopped"
            self.stopped_by = type(caught)(message)
            return
        if self.worker.broken:
            self.worker.restart()
            if examples is not None:
                self.prepare(examples)


def _check_answerable(worker: Worker, benchmark: Benchmark, task: Task) -> None:
    ours = REGISTERED.get(worker.method.text)
    if ours is not None and task not in ours.tasks:
        raise SpecError(f"{ours.name} does {' and '.join(ours.tasks)}, not {task}")
    items = [item for _, item in benchmark.keyed_items()]
    if task == "classification":
        bare = next((item for item in items if item.cls is None), None)
        if bare is not None:
            raise SpecError(
                f"{benchmark.name}: record {bare.id} has no class, which classification needs",
                hint="Name the column that holds it: --class COLUMN.",
            )
    if task == "detection" and (worker.parameters == 2 or worker.learner):
        mute = next((item for item in items if item.response is None), None)
        if mute is not None:
            raise SpecError(
                f"{benchmark.name}: record {mute.id} has no response, which the method is to judge",
                hint="Name the column that holds it: --response COLUMN.",
            )
    if task == "detection" and worker.learner and any(i.label is None for i in benchmark.items):
        raise SpecError(
            f"{benchmark.name}: a learner needs to know which records are positive",
            hint="Say it: --label COLUMN, or --positive 'class != truth'.",
        )


def _file_digest(file: str | None) -> str | None:
    if file is not None:
        with suppress(OSError):
            return digest(Path(file).read_bytes())
    return None


def _harness() -> dict[str, str]:
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
