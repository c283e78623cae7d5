"""A run that is stored while it is made: interrupted, it keeps the outputs made so far."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.task import Task
from assay.errors import MethodError, storage
from assay.runs.collect import Sealed, collect
from assay.runs.result import Limits, Record, Run
from assay.runs.store import RunFolder, save_run
from assay.runs.worker import Worker


class Listener:
    """Receives the events of a run; this one ignores them."""

    def total(self, items: int, made: int) -> None:
        """The run has so many items, of which so many were asked before."""

    def started(self) -> None:
        """The ledger says that the run begins, and the method has seen nothing yet."""

    def record(self, record: Record) -> None:
        """An item was asked."""

    def printed(self, data: bytes) -> None:
        """The method printed something."""

    def interrupted(self, made: int, folder: Path) -> None:
        """The run ended early; so many outputs were made, and are stored in the folder."""


def record_run(
    worker: Worker,
    benchmark: Benchmark,
    folder: RunFolder | None,
    *,
    task: Task,
    seed: int,
    limits: Limits,
    keep_going: bool = False,
    sealed: Sealed | None = None,
    listener: Listener | None = None,
    on_start: Callable[[], None] | None = None,
) -> Run:
    """Ask a started worker about every item, and store each record before the next is asked.

    `sealed` holds the records of a sealed run to resume. An unsealed run that the method or the
    user ends early is closed, and the listener is told where its outputs are. The caller closes a
    complete run, once the worker has ended.
    """
    listener = listener or Listener()
    records = [] if sealed is None else list(sealed.made)
    begun: Run | None = None
    listener.total(sum(1 for _ in benchmark.keyed_items()), len(records))

    def start(run: Run) -> None:
        nonlocal begun
        begun = run
        if on_start is not None:
            on_start()
        listener.started()
        if folder is not None:
            folder.begin(run)

    def add(record: Record) -> None:
        records.append(record)
        if folder is not None:
            folder.add(record)
        listener.record(record)

    try:
        return collect(
            worker,
            benchmark,
            task=task,
            seed=seed,
            limits=limits,
            keep_going=keep_going,
            sealed=sealed,
            on_start=start,
            on_record=add,
        )
    except (MethodError, KeyboardInterrupt):
        if sealed is None and begun is not None and _outputs(records):
            partial = replace(begun, printed=worker.printed, records=tuple(records))
            listener.interrupted(_outputs(records), close_run(partial, folder))
        raise


def close_run(run: Run, folder: RunFolder | None) -> Path:
    """Close the folder of a run; without one, store the run in a temporary folder."""
    if folder is not None:
        folder.finish(run)
        return folder.path
    with storage("a temporary folder"):
        path = Path(tempfile.mkdtemp(prefix="assay-"))
    save_run(run, path)
    return path


def _outputs(records: list[Record]) -> int:
    return sum(record.error is None for record in records)
