"""A metric of bars: its needs, its estimation, and its description."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from assay.benchmark.benchmark import SECOND, Benchmark, Item
from assay.errors import OneClassPartition, SpecError
from assay.gauntlet.bar import Bar, Partition
from assay.gauntlet.holm import ConfidenceBounds, Interval
from assay.runs.answers import Output
from assay.stats.estimate import Estimate

Sides = tuple[Sequence[Item], Sequence[Item]]
"""Positives and negatives."""


@dataclass(frozen=True, kw_only=True)
class Part:
    """A bar on one partition, estimated.

    `interval` gives the interval at any level. `control` is the AUC that was subtracted.
    `same_ranking`: the method ranks every record as the control does. `idle_control`: the control
    is the same for every record. `unfit`: too little signal is left beyond the surface, so that the
    bar cannot be passed on these data. `rests_on_words`: words, which are not a declared feature,
    explain the pass.
    """

    bar: Bar
    partition: str
    estimate: Estimate
    interval: Interval
    control: float | None = None
    same_ranking: bool = False
    idle_control: bool = False
    unfit: bool = False
    rests_on_words: bool = False

    @property
    def bounds(self) -> ConfidenceBounds:
        """The estimate against the bar's threshold."""
        return ConfidenceBounds(
            value=self.estimate.value, threshold=self.bar.at_least, interval=self.interval
        )


@dataclass(frozen=True, kw_only=True)
class Asked:
    """A bar to estimate on a corpus, with the outputs by item.

    `sides` are the positives and negatives of a partition, scored or not, and `texts` their
    expressions; both are empty if the bar is over all records.
    """

    bar: Bar
    corpus: Benchmark
    outputs: Mapping[str, Output]
    texts: tuple[str, ...] = ()
    sides: Sides = ((), ())

    def scored_sides(self) -> Sides:
        """The scored positives and negatives."""
        above, below = ([item for item in side if item.id in self.outputs] for side in self.sides)
        for text, side, scored in zip(self.texts, self.sides, (above, below), strict=True):
            if not scored:
                raise OneClassPartition(
                    f"bar {self.bar.id}: no scored record with {text} in {self.corpus.name},"
                    f" which has {len(side):,}; none of them has an output"
                )
        return above, below

    def groups(self, sides: Sides) -> tuple[list[str], list[str]] | None:
        """The group of each positive and negative; None if there are no groups."""
        if not self.corpus.grouped:
            return None
        return [item.unit for item in sides[0]], [item.unit for item in sides[1]]


def corpus_of(bar: Bar, benchmark: Benchmark) -> Benchmark:
    """The corpus of a bar, main or second."""
    if bar.corpus == "main":
        return benchmark
    if benchmark.second is None:
        raise SpecError(
            f"bar {bar.id} needs a second corpus, but the run has none",
            hint="Run it with one: `second=folklore-two`.",
        )
    return benchmark.second


def sides_of(bar: Bar, partition: Partition, corpus: Benchmark) -> Sides:
    """The positives and negatives of a partition."""
    above, below = corpus.where(partition.positive), corpus.where(partition.negative)
    for expression, side in ((partition.positive, above), (partition.negative, below)):
        if not side:
            raise OneClassPartition(
                f"bar {bar.id}: no scored record with {expression.text} in {corpus.name};"
                f" {values_of(corpus)}",
                hint="Name the column of labels or classes (`label=`, `class_=`) or the positive"
                " value (`positive=`), or write bars for these data.",
            )
    both = {item.id for item in above} & {item.id for item in below}
    if both:
        key = min(both) if bar.corpus == "main" else SECOND + min(both)
        raise SpecError(
            f"bar {bar.id}: record {key} is both positive and negative"
            f" ({partition.positive.text}, {partition.negative.text})"
        )
    return above, below


def values_of(corpus: Benchmark) -> str:
    """The labels and classes of a corpus with their counts, shortened to one line."""
    labels = [item.label for item in corpus.items if item.label is not None]
    values = [f"labels: 1 in {sum(labels)}, 0 in {len(labels) - sum(labels)}"] if labels else []
    counts = [f"{name} {count}" for name, count in corpus.classes.items()]
    if counts:
        values.append(f"classes: {', '.join(counts[:8])}" + (", ..." if len(counts) > 8 else ""))
    return "; ".join(values)


def _accept(_bar: Bar, _corpus: Benchmark, _sides: Sequence[Sides]) -> None:
    """The check of a metric that works on any data."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """An entry of the table of metrics.

    A bar selects it by `name` and by `variant`, the key that changes what is measured. `keys` are
    those that such a bar must have and others must not. `least` is the least value, `chance` the
    value of a method without knowledge, if that is the same on any data. `measure` is the name in a
    scorecard, a template of the bar; `asks` describes the condition of a bar. `check` refuses data
    on which it cannot be estimated, and `applies` says whether it applies to a corpus at all.
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
        """The name in scorecards of what a bar measures."""
        return self.measure.format(bar=bar)

    def parts(
        self,
        bar: Bar,
        partitions: Mapping[str, Partition],
        benchmark: Benchmark,
        outputs: Mapping[str, Output],
    ) -> list[Part]:
        """The bar estimated on each of its partitions, or on all records if it names none."""
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
