"""One pass over a benchmark: who is asked what, in which order, and what a failure leads to."""

import random
import time
from collections.abc import Callable, Collection, Iterator

from assay.benchmark.benchmark import SECOND, Benchmark, Item, Task
from assay.benchmark.folds import assign_folds, fold_units
from assay.digests import derive
from assay.errors import MethodError
from assay.runs.answers import check_output
from assay.runs.result import Failure, Record
from assay.runs.worker import Worker

FOLDS = 5
GIVE_UP_AFTER = 10
"""How many items in a row may end the worker before a run that keeps going gives up."""

Example = dict[str, object]
KeyedItem = tuple[str, Item]


class Asking:
    """Asks a worker about every item that has not been asked, once.

    `on_loaded` is called when a copy of the worker has answered all it will be asked.
    """

    def __init__(
        self,
        worker: Worker,
        benchmark: Benchmark,
        *,
        task: Task,
        seed: int,
        keep_going: bool,
        made: Collection[str] = (),
        on_loaded: Callable[[Worker], None] = lambda worker: None,  # noqa: ARG005 - the default
    ) -> None:
        self.worker = worker
        self.benchmark = benchmark
        self.task: Task = task
        self.seed = seed
        self.keep_going = keep_going
        self.made = frozenset(made)
        self.on_loaded = on_loaded
        second = benchmark.second.classes if benchmark.second is not None else {}
        self.classes = {*benchmark.classes, *second}
        self.broken_in_a_row = 0

    def under(self, seed: int, made: Collection[str]) -> "Asking":
        """The same under another seed, some items having been asked."""
        return Asking(
            self.worker,
            self.benchmark,
            task=self.task,
            seed=seed,
            keep_going=self.keep_going,
            made=made,
            on_loaded=self.on_loaded,
        )

    def records(self) -> Iterator[Record]:
        """A record per item; a failure that ends the run is raised after its record was given."""
        for examples, entries in self.rounds():
            left = [entry for entry in entries if entry[0] not in self.made]
            if not left:
                continue
            self.prepare(examples)
            for key, item in left:
                record, failure = self.ask(key, item)
                yield record
                if failure is not None:
                    self.recover(failure, key, item, examples)
            self.on_loaded(self.worker)
            if examples is not None:
                self.worker.forget()

    def rounds(self) -> Iterator[tuple[list[Example] | None, list[KeyedItem]]]:
        """What to fit on (None for a method that does not learn), and what to ask then."""
        shuffled = list(self.benchmark.keyed_items())
        order = derive(self.seed, "order", self.benchmark.digest)
        random.Random(order).shuffle(shuffled)  # noqa: S311 - a seeded order, not a secret
        if not self.worker.learner:
            yield None, shuffled
            return
        main = [entry for entry in shuffled if not entry[0].startswith(SECOND)]
        others = [entry for entry in shuffled if entry[0].startswith(SECOND)]
        folds = assign_folds(
            [self.target(item) for _, item in main],
            fold_units([item for _, item in main]),
            folds=FOLDS,
            seed=derive(self.seed, "folds", self.benchmark.digest),
        )
        for fold in range(FOLDS):
            kept = [item for (_, item), f in zip(main, folds, strict=True) if f != fold]
            asked = [entry for entry, f in zip(main, folds, strict=True) if f == fold]
            if asked:
                yield self.examples(kept, fold), asked
        if others:
            yield self.examples([item for _, item in main], FOLDS), others

    def examples(self, items: list[Item], fold: int) -> list[Example]:
        """Items as a learner sees them, in an order that says nothing of those left out."""
        mixed = list(items)
        order = derive(self.seed, f"examples {fold}", self.benchmark.digest)
        random.Random(order).shuffle(mixed)  # noqa: S311 - a seeded order, not a secret
        return [self.example(item) for item in mixed]

    def example(self, item: Item) -> Example:
        """An item as a learner sees it."""
        return {"question": item.question, "response": item.response, "target": self.target(item)}

    def target(self, item: Item) -> int | str | None:
        """What a learner learns: the label as 0 or 1, or the class."""
        if self.task == "classification":
            return item.cls
        return None if item.label is None else int(item.label)

    def prepare(self, examples: list[Example] | None) -> None:
        """A fitted copy of a learner."""
        if examples is not None:
            self.worker.branch()
            self.worker.fit(examples)

    def ask(self, key: str, item: Item) -> tuple[Record, MethodError | None]:
        """One record, and the error where it holds one."""
        started = time.perf_counter()
        output, failure = None, None
        try:
            raw = self.worker.ask(item.question, item.response)
            output = check_output(raw, task=self.task, classes=self.classes)
            self.broken_in_a_row = 0
        except MethodError as error:
            failure = error
        ms = round((time.perf_counter() - started) * 1000.0, 3)
        if failure is None:
            return Record(item=key, output=output, error=None, ms=ms), None
        why = Failure(kind=failure.kind, message=failure.message)
        return Record(item=key, output=None, error=why, ms=ms), failure

    def recover(
        self, failure: MethodError, key: str, item: Item, examples: list[Example] | None
    ) -> None:
        """End the run with the item's error, or get the worker ready for the next item."""
        self.broken_in_a_row = self.broken_in_a_row + 1 if self.worker.broken else 0
        if not self.keep_going or self.broken_in_a_row >= GIVE_UP_AFTER:
            excerpt = item.question if len(item.question) < 60 else f"{item.question[:57]}..."
            asked = f"{self.worker.method.text}, item {key} ({excerpt!r})"
            message = f"{asked}: {failure.message}"
            if self.keep_going:
                message += f"; {GIVE_UP_AFTER} items in a row ended its process, so the run stopped"
            raise type(failure)(message)
        if self.worker.broken:
            self.worker.restart()
            self.prepare(examples)
