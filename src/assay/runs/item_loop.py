"""One pass over a benchmark, an item or a batch at a time, with the handling of failures."""

from collections.abc import Callable, Collection, Iterator, Sequence
from time import perf_counter

from assay.benchmark.benchmark import Benchmark, Item, Task
from assay.errors import Abstained, MethodError
from assay.runs.answers import check_output
from assay.runs.result import BATCH, Failure, Record
from assay.runs.rounds import Example, KeyedItem, Round, rounds
from assay.runs.worker import Worker

GIVE_UP_AFTER = 10
"""With `keep_going`, the run gives up after this many items or batches in a row end the worker."""
_NAMED = 3


class Asking:
    """Asks a worker once about every remaining item.

    A method that takes batches gets `batch` items at a time, in order; of an interrupted batch,
    those without a stored record. `on_loaded` is called when a copy of the worker has answered its
    last item.
    """

    def __init__(
        self,
        worker: Worker,
        benchmark: Benchmark,
        *,
        task: Task,
        seed: int,
        keep_going: bool,
        batch: int = BATCH,
        made: Collection[str] = (),
        on_loaded: Callable[[Worker], None] = lambda worker: None,  # noqa: ARG005 - the default
    ) -> None:
        self.worker = worker
        self.benchmark = benchmark
        self.task: Task = task
        self.seed = seed
        self.keep_going = keep_going
        self.batch = batch
        self.made = frozenset(made)
        self.on_loaded = on_loaded
        second = benchmark.second.classes if benchmark.second is not None else {}
        self.classes = {*benchmark.classes, *second}
        self.broken_in_a_row = 0

    def under(self, seed: int, made: Collection[str]) -> "Asking":
        """The same under another seed, without items that were already asked."""
        return Asking(
            self.worker,
            self.benchmark,
            task=self.task,
            seed=seed,
            keep_going=self.keep_going,
            batch=self.batch,
            made=made,
            on_loaded=self.on_loaded,
        )

    def records(self) -> Iterator[Record]:
        """A record per item; a failure that ends the run is raised after its record was given."""
        for examples, entries in self.rounds():
            left = [e for e in entries if e[0] not in self.made] if self.made else entries
            if not left:
                continue
            self.prepare(examples)
            if self.worker.takes_batches:
                yield from self.batched(entries, examples)
            else:
                for key, item in left:
                    record, failure = self.ask(key, item)
                    yield record
                    if failure is not None:
                        self.recover(failure, _item_named(key, item), examples)
            self.on_loaded(self.worker)
            if examples is not None:
                self.worker.forget()

    def batched(
        self, entries: Sequence[KeyedItem], examples: list[Example] | None
    ) -> Iterator[Record]:
        """A record per item, those of a batch given before the next is asked."""
        for batch in self.batches(entries):
            records, failure, about = self.ask_batch(batch)
            yield from records
            if failure is not None:
                self.recover(failure, about, examples)

    def batches(self, entries: Sequence[KeyedItem]) -> Iterator[list[KeyedItem]]:
        """The remaining items, in batches that do not depend on which items remain."""
        for start in range(0, len(entries), self.batch):
            batch = entries[start : start + self.batch]
            left = [entry for entry in batch if entry[0] not in self.made]
            if left:
                yield left

    def probe(self, count: int) -> Iterator[Record]:
        """The first items of a method that does not learn, asked before or not."""
        _, entries = next(self.rounds())
        first = entries[:count]
        for start in range(0, len(first), self.batch if self.worker.takes_batches else 1):
            if self.worker.takes_batches:
                yield from self.ask_batch(first[start : start + self.batch])[0]
            else:
                yield self.ask(*first[start])[0]
            if self.worker.broken:
                self.worker.restart()

    def rounds(self) -> Iterator[Round]:
        """The items to fit on, and those to ask then."""
        return rounds(self.benchmark, task=self.task, seed=self.seed, learner=self.worker.learner)

    def prepare(self, examples: list[Example] | None) -> None:
        """A fitted copy of a learner."""
        if examples is not None:
            self.worker.branch()
            self.worker.fit(examples)

    def ask(self, key: str, item: Item) -> tuple[Record, MethodError | None]:
        """One record, and the error that may end the run; an abstention does not."""
        started = perf_counter()
        try:
            raw = self.worker.ask(item.question, item.response)
            output = check_output(raw, self.task, self.classes)
        except MethodError as error:
            ms = round((perf_counter() - started) * 1000.0, 3)
            why = Failure(kind=error.kind, message=error.message)
            ends = None if isinstance(error, Abstained) else error
            return Record(item=key, output=None, error=why, ms=ms), ends
        ms = round((perf_counter() - started) * 1000.0, 3)
        self.broken_in_a_row = 0
        return Record(item=key, output=output, error=None, ms=ms), None

    def ask_batch(self, batch: list[KeyedItem]) -> tuple[list[Record], MethodError | None, str]:
        """A record per item, and the first error with its item."""
        started = perf_counter()
        try:
            answers = self.worker.ask_batch(
                [item.question for _, item in batch], [item.response for _, item in batch]
            )
        except MethodError as error:
            ms = _share(started, batch)
            why = Failure(kind=error.kind, message=f"its batch: {error.message}")
            failed = [Record(item=key, output=None, error=why, ms=ms) for key, _ in batch]
            if len(batch) > 1:
                error.hint = "`batch=1` shows which item it is."
            return failed, error, _batch_named(batch)
        self.broken_in_a_row = 0
        ms = _share(started, batch)
        records: list[Record] = []
        first: MethodError | None = None
        about = ""
        for (key, item), raw in zip(batch, answers, strict=True):
            try:
                if isinstance(raw, MethodError):
                    raise raw
                output = check_output(raw, self.task, self.classes)
                records.append(Record(item=key, output=output, error=None, ms=ms))
            except MethodError as error:
                why = Failure(kind=error.kind, message=error.message)
                records.append(Record(item=key, output=None, error=why, ms=ms))
                if first is None and not isinstance(error, Abstained):
                    first, about = error, _item_named(key, item)
        return records, first, about

    def recover(self, failure: MethodError, about: str, examples: list[Example] | None) -> None:
        """End the run with an item's or a batch's error, or get the worker ready for the next."""
        self.broken_in_a_row = self.broken_in_a_row + 1 if self.worker.broken else 0
        if not self.keep_going or self.broken_in_a_row >= GIVE_UP_AFTER:
            message = f"{self.worker.method.text}, {about}: {failure.message}"
            if self.keep_going:
                asked = "batches" if self.worker.takes_batches else "items"
                message += (
                    f"; {GIVE_UP_AFTER} {asked} in a row ended its process, so the run stopped"
                )
            raise type(failure)(message, hint=failure.hint)
        if self.worker.broken:
            self.worker.restart()
            self.prepare(examples)


def _item_named(key: str, item: Item) -> str:
    excerpt = item.question if len(item.question) < 60 else f"{item.question[:57]}..."
    return f"item {key} ({excerpt!r})"


def _batch_named(batch: Sequence[KeyedItem]) -> str:
    if len(batch) == 1:
        return _item_named(*batch[0])
    keys = [key for key, _ in batch[:_NAMED]] + ["..."] * (len(batch) > _NAMED)
    return f"batch of {len(batch)} items ({', '.join(keys)})"


def _share(started: float, batch: Sequence[KeyedItem]) -> float:
    """The milliseconds of one item of a batch since then."""
    return round((perf_counter() - started) * 1000.0 / len(batch), 3)
