"""A method whose outputs depend on its seed is asked under several seeds.

The seed of a sealed run comes from its seal, and an author could seal repeatedly until the seed is
a lucky one. So a few items are asked again under another seed, in another order (and in other
batches). If an output differs, and for every learner (its folds depend on the seed), all items are
asked under more seeds, and the run is judged on their mean.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Self

from msgspec.structs import replace

from assay.digests import derive
from assay.runs.item_loop import Asking
from assay.runs.result import Record


class Repeats(NamedTuple):
    """The seeds to repeat a run under, and how many items to probe before."""

    seeds: tuple[int, ...] = ()
    probe: int = 0

    @classmethod
    def of(cls, seed: int, *, seeds: int, probe: int) -> Self:
        """As many seeds in all, the run's own being the first."""
        further = (derive(seed, f"repeat {number}") >> 11 for number in range(1, seeds))
        return cls(tuple(further), probe)


class Repeating:
    """Asks under a run's own seed, and under more where outputs depend on the seed.

    `made` are the records of a resumed run. `on_repeat` is told how many more records there will be
    than expected. After `records`, `probed` is how many items were asked again with the same
    output.
    """

    def __init__(
        self,
        asking: Asking,
        repeats: Repeats,
        made: Sequence[Record],
        on_repeat: Callable[[int], None],
    ) -> None:
        self.asking = asking
        self.seeds, self.probe = repeats
        self.made = list(made)
        self.on_repeat = on_repeat
        self.used = 1
        self.probed = 0
        self.depends_on_seed = bool(self.seeds) and (
            asking.worker.learner or any(record.seed for record in made)
        )

    @property
    def expected(self) -> int:
        """The expected number of records, before the probe."""
        items = self.asking.benchmark.asked
        return items * (1 + len(self.seeds)) if self.depends_on_seed else items

    def records(self) -> Iterator[Record]:
        """A record per item and seed."""
        return self._repeated() if self.seeds else self.asking.records()

    def _repeated(self) -> Iterator[Record]:
        for record in self.asking.records():
            self.made.append(record)
            yield record
        if not (self.depends_on_seed or self._differs()):
            return
        if not self.depends_on_seed:
            self.on_repeat(self.expected * len(self.seeds))
        self.used += len(self.seeds)
        for number, seed in enumerate(self.seeds, 1):
            again = self._under(seed, number)
            for record in again.records():
                yield replace(record, seed=number)

    def _under(self, seed: int, number: int) -> Asking:
        """The same loop with a fresh worker under another seed."""
        self.asking.worker.restart(seed=derive(seed, "method"))
        return self.asking.under(seed, [each.item for each in self.made if each.seed == number])

    def _differs(self) -> bool:
        """Whether an item's output differs under another seed."""
        first = {record.item: record.output for record in self.made}
        again = self._under(self.seeds[0], 1)
        for record in again.probe(self.probe):
            if record.output != first[record.item]:
                return True
            self.probed += 1
        again.on_loaded(again.worker)
        return False
