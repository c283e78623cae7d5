"""Run a method over a benchmark: one record per item, stored before the next is asked.

A method that takes batches is asked several items at once; the records of a batch are stored, in
order, before the next is asked.

The method is asked in an order drawn from the seed and the benchmark's bytes, and is told a
question and perhaps a response, never an id, a label, a class or a place in the file. A learner is
asked about an item only by a copy fitted without that item and its group; the second corpus is
asked of a copy fitted to the whole first one.
"""

import platform
import tempfile
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from assay._version import __version__
from assay.benchmark.benchmark import Benchmark, Task
from assay.errors import MethodError, SpecError, storage
from assay.method.registry import REGISTERED
from assay.runs.item_loop import Asking
from assay.runs.method_loader import Modules
from assay.runs.repeats import Repeating, Repeats
from assay.runs.result import Limits, Provenance, Record, Run, Source, batch_size
from assay.runs.rounds import FOLDS
from assay.runs.store import RunFolder, save_run
from assay.runs.worker import Method, Worker, default_task, start_worker


class Listener:
    """Receives the events of a run; this one ignores them."""

    def total(self, items: int, made: int) -> None:
        """The run has so many records, of which so many were made before."""

    def repeated(self, more: int) -> None:
        """The outputs depend on the seed: so many more records will be made under other seeds."""

    def started(self) -> None:
        """The ledger says that the run begins, and the method has seen nothing yet."""

    def record(self, record: Record) -> None:
        """An item was asked."""

    def printed(self, data: bytes) -> None:
        """The method printed something."""

    def interrupted(self, made: int, folder: Path) -> None:
        """The run ended early or cannot be judged; so many outputs are stored in the folder."""


class Sealed:
    """What a run owes to its seal: where it stands, what was made before it was cut off.

    Without a provenance the run is unsealed, and nothing is noted.
    """

    def __init__(
        self,
        provenance: Provenance | None = None,
        *,
        made: tuple[Record, ...] = (),
        unknown: Callable[[Modules], Iterable[str]] = lambda modules: (),  # noqa: ARG005
    ) -> None:
        self.provenance = provenance
        self.made = made
        self._unknown = unknown
        self._unsealed: set[str] = set(() if provenance is None else provenance.unsealed_code)

    def note(self, worker: Worker) -> None:
        """Look at what the worker has loaded by now."""
        if self.provenance is None:
            return
        try:
            self._unsealed |= set(self._unknown(worker.modules()))
        except MethodError:
            self._unsealed.add("(its process ended before it could be asked)")

    def ended(self) -> Provenance | None:
        """The provenance with what was noted."""
        if self.provenance is None:
            return None
        return replace(self.provenance, unsealed_code=tuple(sorted(self._unsealed)))


def run(
    method: Method,
    benchmark: Benchmark,
    *,
    task: Task | None = None,
    seed: int = 0,
    limits: Limits | None = None,
    environment: Sequence[str] = (),
    keep_going: bool = False,
    batch: int | None = None,
) -> Run:
    """Ask a method about every item of a benchmark.

    `method` is a reference (`file.py:function`, `package.module:function`, a registered name),
    which runs in a process of its own, or a callable or learner, which runs here. Stops at the
    first item that fails and raises its MethodError, whose `run` holds what was made so far; with
    `keep_going` it records the failure and asks on. `batch` is how many items a method that takes
    batches is given at a time (32).
    """
    with start_worker(method, seed=seed, limits=limits, environment=environment) as worker:
        return collect(
            worker,
            benchmark,
            task=task or default_task(worker, benchmark),
            seed=seed,
            limits=limits or Limits(),
            keep_going=keep_going,
            batch=batch,
        )


def collect(
    worker: Worker,
    benchmark: Benchmark,
    folder: RunFolder | None = None,
    *,
    task: Task,
    seed: int,
    limits: Limits,
    keep_going: bool = False,
    batch: int | None = None,
    repeats: Repeats | None = None,
    sealed: Sealed | None = None,
    listener: Listener | None = None,
    on_start: Callable[[], None] | None = None,
) -> Run:
    """Ask a started worker about every item; each record is stored before the next is asked.

    A method whose outputs depend on its seed is also asked under the seeds of `repeats`.
    `sealed` holds the records of a sealed run to resume. An unsealed run that the method or the
    user ends early is closed, in a temporary folder where only a listener is given, who is told
    where its outputs are. The caller closes a complete run, once the worker has ended.
    """
    check_answerable(worker, benchmark, task, batch=batch)
    is_sealed, sealed = sealed is not None, sealed or Sealed()
    hear = listener or Listener()
    settings = _Settings(
        task=task, seed=seed, limits=limits, keep_going=keep_going, batch=batch_size(batch)
    )
    begun = _begun(worker, benchmark, settings, sealed)
    repeating = _repeating(worker, benchmark, settings, sealed, repeats or Repeats(), hear)
    hear.total(repeating.expected, len(sealed.made))
    if on_start is not None:
        on_start()
    hear.started()
    if folder is not None:
        folder.begin(begun)
    records = list(sealed.made)
    try:
        _ask(repeating, records, folder, hear)
    except (MethodError, KeyboardInterrupt) as error:
        partial = replace(
            begun,
            printed=worker.printed,
            records=tuple(records),
            batch=settings.batch_of(worker),
        )
        if isinstance(error, MethodError):
            error.run = partial
        if not is_sealed and (folder is not None or listener is not None):
            _keep_partial(partial, folder, hear)
        raise
    return replace(
        begun,
        printed=worker.printed,
        complete=True,
        records=tuple(records),
        provenance=sealed.ended(),
        seeds=repeating.used,
        probed=repeating.probed,
        batch=settings.batch_of(worker),
    )


class _Settings(NamedTuple):
    """What a run is asked to do."""

    task: Task
    seed: int
    limits: Limits
    keep_going: bool
    batch: int

    def batch_of(self, worker: Worker) -> int | None:
        """How many items the method is given at a time, if it takes batches."""
        return self.batch if worker.takes_batches else None


def _begun(worker: Worker, benchmark: Benchmark, settings: _Settings, sealed: Sealed) -> Run:
    """The run before its first item: what will produce the outputs, and those made before."""
    return Run(
        method=worker.method.text,
        method_digest=worker.method_digest,
        task=settings.task,
        benchmark=Source.of(benchmark),
        second=None if benchmark.second is None else Source.of(benchmark.second),
        seed=settings.seed,
        folds=FOLDS if worker.learner else None,
        isolation=worker.level,
        limits=settings.limits,
        keep_going=settings.keep_going,
        environment=worker.passed,
        harness=_harness(),
        printed=0,
        complete=False,
        records=sealed.made,
        provenance=sealed.provenance,
        batch=settings.batch_of(worker),
    )


def _repeating(
    worker: Worker,
    benchmark: Benchmark,
    settings: _Settings,
    sealed: Sealed,
    repeats: Repeats,
    hear: Listener,
) -> Repeating:
    """The items still to be asked, under the run's seed and perhaps under more."""
    asking = Asking(
        worker,
        benchmark,
        task=settings.task,
        seed=settings.seed,
        keep_going=settings.keep_going,
        batch=settings.batch,
        made=[record.item for record in sealed.made if not record.seed],
        on_loaded=sealed.note,
    )
    return Repeating(asking, repeats, sealed.made, hear.repeated)


def _ask(
    repeating: Repeating, records: list[Record], folder: RunFolder | None, hear: Listener
) -> None:
    """Add a record per item and seed, each stored before the next is asked."""
    if folder is None and type(hear) is Listener:
        records.extend(repeating.records())  # keeps what was made where one raises
        return
    for record in repeating.records():
        records.append(record)
        if folder is not None:
            folder.add(record)
        hear.record(record)


def _keep_partial(partial: Run, folder: RunFolder | None, hear: Listener) -> None:
    """Close a run that ended early, where an output was made, and say where it is."""
    made = sum(record.error is None for record in partial.records)
    if made:
        hear.interrupted(made, close_run(partial, folder))


def close_run(run: Run, folder: RunFolder | None) -> Path:
    """Close the folder of a run; without one, store the run in a temporary folder."""
    if folder is not None:
        folder.finish(run)
        return folder.path
    with storage("a temporary folder"):
        path = Path(tempfile.mkdtemp(prefix="assay-"))
    save_run(run, path)
    return path


def check_answerable(
    worker: Worker, benchmark: Benchmark, task: Task, *, batch: int | None = None
) -> None:
    """Refuse a method that cannot do the task, or a benchmark that lacks what the task needs.

    A size of batches is refused for a method that takes none; of a learner it is not known yet.
    """
    if batch is not None and not (worker.takes_batches or worker.learner):
        raise SpecError(
            f"batch = {batch}, and {worker.method.text} takes one item at a time",
            hint="A method that takes batches has parameters `questions` and `responses`.",
        )
    ours = REGISTERED.get(worker.method.text)
    if ours is not None and task not in ours.tasks:
        raise SpecError(f"{ours.name} does {' and '.join(ours.tasks)}, not {task}")
    second = () if benchmark.second is None else benchmark.second.items
    items = (*benchmark.items, *second)
    if task == "classification":
        bare = next((item for item in items if item.cls is None), None)
        if bare is not None:
            raise SpecError(
                f"{benchmark.name}: record {bare.id} has no class, which classification needs",
                hint="Name the column that holds it (`class_=COLUMN`), or `task=detection`.",
            )
    if task == "detection" and ("response" in worker.arguments or worker.learner):
        mute = next((item for item in items if item.response is None), None)
        if mute is not None:
            raise SpecError(
                f"{benchmark.name}: record {mute.id} has no response, which the method is to judge",
                hint="Name the column that holds it: `response=COLUMN`.",
            )
    if task == "detection" and worker.learner and any(i.label is None for i in benchmark.items):
        raise SpecError(
            f"{benchmark.name}: a learner needs to know which records are positive",
            hint="Say it: `label=COLUMN`, or `positive='class != truth'`.",
        )


def _harness() -> dict[str, str]:
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
    }
