"""Run a method over a benchmark: one record per item, stored before the next is asked.

A method that takes batches gets several items at once; the records of a batch are stored, in order,
before the next.

The order of items is drawn from the seed and the benchmark's bytes. The method gets a question and
perhaps a response, never an id, a label, a class or a place in the file. Each item goes to a copy
of a learner that was fitted without that item and its group; the second corpus goes to a copy
fitted to the whole first one.
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
from assay.method.registry import bundled
from assay.models.recording import Recording
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
    """The sealed side of a run: its provenance, and the records made before an interruption.

    Without a provenance the run is unsealed, and nothing is recorded.
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
        """Record what the worker has loaded so far."""
        if self.provenance is None:
            return
        try:
            self._unsealed |= set(self._unknown(worker.modules()))
        except MethodError:
            self._unsealed.add("(its process ended before it could be asked)")

    def ended(self) -> Provenance | None:
        """The provenance with what was recorded."""
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
    recording: Recording | None = None,
) -> Run:
    """Ask a method about every item of a benchmark.

    `method` is a reference (`file.py:function`, `package.module:function`, a registered name),
    which runs in its own process, or a callable or learner, which runs here. Stops at the first
    item that fails and raises its MethodError, whose `run` holds the outputs so far; with
    `keep_going` it records the failure and continues. `batch` is the batch size for a method that
    takes batches (32). `recording` holds the calls of a method over models.
    """
    with start_worker(
        method, seed=seed, limits=limits, environment=environment, recording=recording
    ) as worker:
        return collect(
            worker,
            benchmark,
            task=task or default_task(worker, benchmark),
            seed=seed,
            limits=limits or Limits(),
            keep_going=keep_going,
            batch=batch,
        )


def _check_named(worker: Worker, benchmark: Benchmark) -> None:
    """Refuse a method whose one parameter could mean the question as well as the response."""
    unnamed = worker.arguments == ("question",) and not worker.asks_by_name
    if worker.learner or not unnamed or worker.method.kind == "registered":
        return
    if any(item.response is not None for item in benchmark.items):
        raise SpecError(
            f"{worker.method.text} has one parameter, whose name is neither question nor response",
            hint="Name it after what it should get: `def detect(response)`, `def detect(question)`,"
            " or take both.",
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
    `sealed` holds the records of a sealed run to resume. If the method or the user ends an unsealed
    run early, it is closed; without a folder of its own, in a temporary one. The listener is told
    where the outputs are. The caller closes a complete run, after the worker has ended.
    """
    check_answerable(worker, benchmark, task, batch=batch)
    if sealed is None:
        _check_named(worker, benchmark)
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
        harness=_harness(worker),
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
        harness=_harness(worker),
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
    """Close a run that ended early with some outputs, and report its folder."""
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

    A batch size is refused for a method that does not take batches; for a learner this is not known
    yet.
    """
    if batch is not None and not (worker.takes_batches or worker.learner):
        raise SpecError(
            f"batch = {batch}, but {worker.method.text} takes one item at a time",
            hint="A method that takes batches has parameters `questions` and `responses`.",
        )
    ours = bundled(worker.method.text)
    if ours is not None and task not in ours.tasks:
        raise SpecError(f"{ours.name} does {' and '.join(ours.tasks)}, not {task}")
    second = () if benchmark.second is None else benchmark.second.items
    items = (*benchmark.items, *second)
    if task == "classification":
        bare = next((item for item in items if item.cls is None), None)
        if bare is not None:
            raise SpecError(
                f"{benchmark.name}: record {bare.id} has no class; classification needs one",
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
            f"{benchmark.name}: a learner needs labels",
            hint="Name them: `label=COLUMN`, or `positive='class != truth'`.",
        )


def _harness(worker: Worker) -> dict[str, str]:
    """What it ran under, and the models that it asked; a recording as it is now."""
    return {
        "assay": __version__,
        "python": platform.python_version(),
        "system": f"{platform.system()} {platform.machine()}",
        **worker.disclosed,
    }
