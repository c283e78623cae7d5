"""AUCs that hold the surface equal: beyond its predictions, and within one source.

The surface model is imported only when it is fitted: other bars do not need it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.benchmark.benchmark import Benchmark, Item
from assay.errors import OneClassPartition
from assay.gauntlet.bar import Bar
from assay.gauntlet.metrics.metric import Asked, Metric, Part, Sides
from assay.runs.answers import score_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FEATURES = {"surface": "surface features", "lexical": "words and surface features"}


def _beyond(asked: Asked) -> Part:
    """The AUC of the part of the method's scores that the surface does not predict."""
    from assay.surface.joint_model import known_surface
    from assay.surface.words import rests_on_words

    items, label = _labelled(asked.sides)
    scored = [item.id for side in asked.scored_sides() for item in side]
    kind = "lexical" if asked.bar.beyond == "lexical" else "declared"
    surface = known_surface(items, tuple(label.tolist()), kind)
    scores = {item: score_of(asked.outputs[item]) for item in scored}
    beyond = surface.beyond(scores)
    passed = beyond.interval(0.90)[0] >= asked.bar.at_least and not beyond.unfit
    return Part(
        bar=asked.bar,
        partition=asked.texts[0],
        estimate=beyond.estimate(),
        interval=beyond.interval,
        unfit=beyond.unfit,
        rests_on_words=passed and rests_on_words(surface, scores, beyond),
    )


def _within(asked: Asked) -> Part:
    """The AUC over pairs of one source."""
    import numpy as np

    from assay.stats.stratified_auc import fit_within

    sides = asked.scored_sides()
    above, below = (np.array([score_of(asked.outputs[item.id]) for item in side]) for side in sides)
    sources = [str(item.source) for item in sides[0]], [str(item.source) for item in sides[1]]
    fit = fit_within(above, below, sources, groups=asked.groups(sides))
    if fit is None:
        raise _no_shared_source(asked.bar, asked.corpus)
    return Part(
        bar=asked.bar,
        partition=asked.texts[0],
        estimate=fit.estimate(),
        interval=fit.interval_at,
    )


def _labelled(sides: Sides) -> "tuple[tuple[Item, ...], NDArray[np.bool_]]":
    """Positives, then negatives, and their labels."""
    import numpy as np

    items = tuple(item for side in sides for item in side)
    return items, np.arange(len(items)) < len(sides[0])


def _check_fittable(_bar: Bar, _corpus: Benchmark, sides: Sequence[Sides]) -> None:
    """Refuse too few records for a surface model."""
    from assay.surface.joint_model import check_fittable

    for pair in sides:
        check_fittable(*_labelled(pair))


def _check_sources(bar: Bar, corpus: Benchmark, sides: Sequence[Sides]) -> None:
    """Refuse data in which every source has one class only."""
    for pair in sides:
        above, below = ({item.source for item in side} for side in pair)
        if not above & below:
            raise _no_shared_source(bar, corpus)


def _no_shared_source(bar: Bar, corpus: Benchmark) -> OneClassPartition:
    return OneClassPartition(
        f"bar {bar.id}: every source of {corpus.name} has one class only, so no AUC within a"
        " source exists, and the source gives the label away",
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
    part=_beyond,
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
    part=_within,
    check=_check_sources,
    applies=lambda corpus: (
        len({item.source for item in corpus.items if item.source is not None}) > 1
    ),
)
