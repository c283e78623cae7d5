"""The records that a bar is about, and its estimate on one partition of them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from assay.benchmark.benchmark import SECOND, Benchmark, Item
from assay.errors import OneClassPartition, SpecError
from assay.gauntlet.bar import Bar, Partition
from assay.gauntlet.decision import Bounds, Interval
from assay.stats.estimate import Estimate

LEVEL = 0.95
Keyed = tuple[str, Item]
Sides = tuple[list[Keyed], list[Keyed]]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A bar on one partition, estimated.

    `interval` gives the interval at any level. `control` is the AUC that was taken off;
    `same_ranking` says that the method orders every record as the control does, `idle_control` that
    the control is the same for every record, `unfit` that the data leave too little beside the
    surface to tell, so that the bar cannot be passed on them.
    """

    bar: Bar
    partition: str
    estimate: Estimate
    interval: Interval
    control: float | None = None
    same_ranking: bool = False
    idle_control: bool = False
    unfit: bool = False

    @property
    def bounds(self) -> Bounds:
        """The estimate against the bar's threshold."""
        return Bounds(
            value=self.estimate.value,
            n=self.estimate.n,
            threshold=self.bar.at_least,
            interval=self.interval,
        )


def units_of(corpus: Benchmark, sides: Sides) -> tuple[list[str], list[str]] | None:
    """The group of each positive and negative; None where every record stands alone."""
    if not corpus.grouped:
        return None
    return [item.unit for _, item in sides[0]], [item.unit for _, item in sides[1]]


def corpus_of(bar: Bar, benchmark: Benchmark) -> tuple[Benchmark, Callable[[Item], str]]:
    """The corpus a bar is about, and an item's key in the run."""
    if bar.corpus == "main":
        return benchmark, lambda item: item.id
    if benchmark.second is None:
        raise SpecError(
            f"bar {bar.id} asks for a second corpus, and the run has none",
            hint="Run it with a second corpus: `second=folklore-two`.",
        )
    return benchmark.second, lambda item: SECOND + item.id


def all_sides(bar: Bar, partition: Partition, benchmark: Benchmark) -> Sides:
    """The positives and negatives of a partition, scored or not."""
    return sides_of(bar, partition, benchmark, dict(benchmark.keyed_items()))


def sides_of(
    bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Mapping[str, object]
) -> Sides:
    """The scored positives and negatives of a partition."""
    corpus, key_of = corpus_of(bar, benchmark)
    sides = []
    for expression in (partition.positive, partition.negative):
        chosen = [(key_of(item), item) for item in corpus.where(expression)]
        scored = [(key, item) for key, item in chosen if key in outputs]
        if not scored:
            failed = f", and all {len(chosen)} failed" if chosen else f"; {values_of(corpus)}"
            raise OneClassPartition(
                f"bar {bar.id}: no scored record with {expression.text} in {corpus.name}{failed}",
                hint=None
                if chosen
                else "Name the column that tells right from wrong (`label=`, `class=`), or say"
                " which value is positive (`positive=`); or write bars for these data.",
            )
        sides.append(scored)
    both = {key for key, _ in sides[0]} & {key for key, _ in sides[1]}
    if both:
        raise SpecError(
            f"bar {bar.id}: record {min(both)} is positive and negative at once"
            f" ({partition.positive.text}, {partition.negative.text})"
        )
    return sides[0], sides[1]


def values_of(corpus: Benchmark) -> str:
    """The labels and classes of a corpus with their counts, as far as they fit on a line."""
    labels = [item.label for item in corpus.items if item.label is not None]
    values = [f"labels: 1 in {sum(labels)}, 0 in {len(labels) - sum(labels)}"] if labels else []
    counts = [f"{name} {count}" for name, count in corpus.classes.items()]
    if counts:
        values.append(f"classes: {', '.join(counts[:8])}" + (", ..." if len(counts) > 8 else ""))
    return "; ".join(values)
