"""AUCs that hold surface equal: beyond what it predicts, and within one source.

The surface model is imported where it is fitted: other bars do without it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.benchmark.benchmark import Benchmark, Item
from assay.errors import OneClassPartition
from assay.gauntlet.bar import Bar, Partition
from assay.gauntlet.metrics.metric import Metric, Outputs, Partitions
from assay.gauntlet.metrics.part import (
    LEVEL,
    Part,
    Sides,
    all_sides,
    corpus_of,
    sides_of,
    units_of,
)
from assay.runs.answers import score_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEATURES = {"surface": "surface features", "lexical": "words and surface features"}


def beyond_parts(
    bar: Bar, partitions: Partitions, benchmark: Benchmark, outputs: Outputs
) -> list[Part]:
    """The AUC of what the surface does not predict of the method."""
    return [_beyond(bar, partitions[name], benchmark, outputs) for name in bar.partitions]


def _beyond(bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Outputs) -> Part:
    from assay.surface.beyond import WIDEST
    from assay.surface.joint_model import known_surface

    _, key_of = corpus_of(bar, benchmark)
    items, label = _labelled(all_sides(bar, partition, benchmark))
    sides_of(bar, partition, benchmark, outputs)  # refuses a side without a scored record
    scores = {item.id: score_of(outputs[key_of(item)]) for item in items if key_of(item) in outputs}
    kind = "lexical" if bar.beyond == "lexical" else "declared"
    beyond = known_surface(items, tuple(label.tolist()), kind).beyond(scores)
    estimate = beyond.estimate(level=LEVEL)
    return Part(
        bar=bar,
        partition=partition.positive.text,
        estimate=estimate,
        interval=beyond.interval,
        unfit=estimate.high - estimate.low > WIDEST,
    )


def within_parts(
    bar: Bar, partitions: Partitions, benchmark: Benchmark, outputs: Outputs
) -> list[Part]:
    """The AUC over pairs of one source."""
    return [_within(bar, partitions[name], benchmark, outputs) for name in bar.partitions]


def _within(bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Outputs) -> Part:
    import numpy as np

    from assay.stats.stratified_auc import fit_within

    corpus, _ = corpus_of(bar, benchmark)
    sides = sides_of(bar, partition, benchmark, outputs)
    above, below = (np.array([score_of(outputs[key]) for key, _ in side]) for side in sides)
    sources = [str(item.source) for _, item in sides[0]], [str(item.source) for _, item in sides[1]]
    fit = fit_within(above, below, sources, groups=units_of(corpus, sides))
    if fit is None:
        raise _no_shared_source(bar, corpus)
    return Part(
        bar=bar,
        partition=partition.positive.text,
        estimate=fit.estimate(level=LEVEL),
        interval=fit.interval_at,
    )


def _labelled(sides: Sides) -> "tuple[tuple[Item, ...], NDArray[np.bool_]]":
    """Positives, then negatives, and which are which."""
    import numpy as np

    items = tuple(item for side in sides for _, item in side)
    return items, np.arange(len(items)) < len(sides[0])


def _check_fittable(_bar: Bar, _corpus: Benchmark, sides: Sequence[Sides]) -> None:
    """Refuse records that are too few for a surface model."""
    from assay.surface.joint_model import check_fittable

    for pair in sides:
        check_fittable(*_labelled(pair))


def _check_sources(bar: Bar, corpus: Benchmark, sides: Sequence[Sides]) -> None:
    """Refuse sources that have one class each."""
    for pair in sides:
        above, below = ({item.source for _, item in side} for side in pair)
        if not above & below:
            raise _no_shared_source(bar, corpus)


def _no_shared_source(bar: Bar, corpus: Benchmark) -> OneClassPartition:
    return OneClassPartition(
        f"bar {bar.id}: every source of {corpus.name} has one class only, so the source gives the"
        " label away and nothing can be told within one",
        hint="Gather positives and negatives from the same sources.",
    )


BEYOND = Metric(
    name="auc",
    title="AUC",
    about="The AUC of what all surface features together do not predict (`lexical`: words too).",
    needs="scores",
    keys=("partitions", "beyond"),
    variant="beyond",
    chance=0.5,
    measure="auc beyond {bar.beyond}",
    asks=lambda bar: f"AUC beyond all {_FEATURES[str(bar.beyond)]} at least {bar.at_least:.2f}",
    parts=beyond_parts,
    check=_check_fittable,
)
WITHIN = Metric(
    name="auc",
    title="AUC",
    about="The AUC over pairs of one source, asked of data with several sources.",
    needs="scores",
    keys=("partitions", "within"),
    variant="within",
    chance=0.5,
    measure="auc within {bar.within}",
    asks=lambda bar: f"AUC at least {bar.at_least:.2f} within sources, where there are several",
    parts=within_parts,
    check=_check_sources,
    applies=lambda corpus: (
        len({item.source for item in corpus.items if item.source is not None}) > 1
    ),
)
