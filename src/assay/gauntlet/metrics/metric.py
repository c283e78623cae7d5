"""A metric that bars may ask for: what it needs, how it is estimated, how it reads in words."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.benchmark.benchmark import SECOND, Benchmark
from assay.gauntlet.bar import Bar, Partition
from assay.gauntlet.metrics.part import Asked, Part, Sides, corpus_of, sides_of
from assay.runs.answers import Output


def _accept(_bar: Bar, _corpus: Benchmark, _sides: Sequence[Sides]) -> None:
    """The check of a metric that can be estimated on any data."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """An entry of the table of metrics.

    A bar asks for it by `name` and by `variant`, the key that changes what is measured. `keys` are
    those that such a bar must have and others may not. `least` is the least value, `chance` that of
    a method that knows nothing, where it is the same on any data. `measure` is the name in a
    scorecard, a template of the bar; `asks` says what a bar asks for. `check` refuses data on which
    it cannot be estimated, and `applies` says whether it is asked of a corpus at all.
    """

    name: str
    title: str
    about: str
    needs: Literal["scores", "classes"]
    keys: tuple[str, ...]
    variant: Literal["minus", "beyond", "within"] | None = None
    least: float = 0.0
    chance: float | None = None
    measure: str
    asks: Callable[[Bar], str]
    part: Callable[[Asked], Part]
    check: Callable[[Bar, Benchmark, Sequence[Sides]], None] = _accept
    applies: Callable[[Benchmark], bool] = lambda _corpus: True

    def measured(self, bar: Bar) -> str:
        """What a bar measures, as its scorecards name it."""
        return self.measure.format(bar=bar)

    def parts(
        self,
        bar: Bar,
        partitions: Mapping[str, Partition],
        benchmark: Benchmark,
        outputs: Mapping[str, Output],
    ) -> list[Part]:
        """The bar estimated on each of its partitions, or on all records where it names none."""
        corpus = corpus_of(bar, benchmark)
        if bar.corpus == "second":
            second = [(item.id, outputs.get(SECOND + item.id)) for item in corpus.items]
            outputs = {item: output for item, output in second if output is not None}
        if not bar.partitions:
            return [self.part(Asked(bar=bar, corpus=corpus, outputs=outputs))]
        return [
            self.part(
                Asked(
                    bar=bar,
                    corpus=corpus,
                    outputs=outputs,
                    texts=(partition.positive.text, partition.negative.text),
                    sides=sides_of(bar, partition, corpus),
                )
            )
            for partition in map(partitions.__getitem__, bar.partitions)
        ]
