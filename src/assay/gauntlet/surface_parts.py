"""The bars that hold surface equal: beyond what it predicts, and within one source."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from assay.benchmark.benchmark import Benchmark, Item
from assay.errors import OneClassPartition
from assay.gauntlet.decision import Bounds
from assay.gauntlet.part import LEVEL, Part, Sides, corpus_of, sides_of, units_of
from assay.gauntlet.spec import Bar, Partition
from assay.runs.answers import Output, score_of
from assay.stats.stratified_auc import fit_within
from assay.surface.beyond import WIDEST
from assay.surface.joint_model import Kind, check_fittable, known_surface


def check_surface_part(bar: Bar, sides: Sides, corpus: Benchmark) -> None:
    """Refuse data that are too few for a surface model, or whose sources have one class each."""
    if bar.beyond is not None:
        check_fittable(*_labelled(sides))
        return
    above, below = ({item.source for _, item in side} for side in sides)
    if not above & below:
        raise _no_shared_source(bar, corpus)


def beyond_part(
    bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Mapping[str, Output]
) -> Part:
    """The AUC of what the surface does not predict of the method."""
    corpus, keyed = corpus_of(bar, benchmark)
    everything = {key: 0.0 for key, _ in benchmark.keyed_items()}
    items, label = _labelled(sides_of(bar, partition, corpus, keyed, everything))
    scored = {item.id: score_of(outputs[keyed(item)]) for item in items if keyed(item) in outputs}
    sides_of(bar, partition, corpus, keyed, outputs)
    kind: Kind = "lexical" if bar.beyond == "lexical" else "declared"
    found = known_surface(items, tuple(label.tolist()), kind).beyond(scored)
    estimate = found.estimate(level=LEVEL)
    return Part(
        bar=bar,
        partition=partition.positive.text,
        estimate=estimate,
        bounds=Bounds(
            value=estimate.value, n=estimate.n, threshold=bar.at_least, interval=found.interval
        ),
        unfit=estimate.high - estimate.low > WIDEST,
    )


def within_part(
    bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Mapping[str, Output]
) -> Part:
    """The AUC over pairs of one source."""
    corpus, keyed = corpus_of(bar, benchmark)
    sides = sides_of(bar, partition, corpus, keyed, outputs)
    above, below = (np.array([score_of(outputs[key]) for key, _ in side]) for side in sides)
    sources = [str(item.source) for _, item in sides[0]], [str(item.source) for _, item in sides[1]]
    fit = fit_within(above, below, sources, groups=units_of(corpus, sides))
    if fit is None:
        raise _no_shared_source(bar, corpus)
    estimate = fit.estimate(level=LEVEL)
    return Part(
        bar=bar,
        partition=partition.positive.text,
        estimate=estimate,
        bounds=Bounds(
            value=estimate.value, n=estimate.n, threshold=bar.at_least, interval=fit.interval_at
        ),
    )


def _labelled(
    sides: Sides,
) -> tuple[tuple[Item, ...], NDArray[np.bool_]]:
    """Positives, then negatives, and which are which."""
    items = tuple(item for side in sides for _, item in side)
    return items, np.arange(len(items)) < len(sides[0])


def _no_shared_source(bar: Bar, corpus: Benchmark) -> OneClassPartition:
    return OneClassPartition(
        f"bar {bar.id}: every source of {corpus.name} has one class only, so the source gives the"
        " label away and nothing can be told within one",
        hint="Gather positives and negatives from the same sources.",
    )
