"""The AUC of a method's scores, plain or less that of a surface feature.

numpy is imported where an AUC is estimated: reading bars does without it.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.benchmark.benchmark import Benchmark
from assay.errors import SpecError
from assay.gauntlet.bar import Bar, Control, Partition
from assay.gauntlet.metrics.metric import Metric, Outputs, Partitions
from assay.gauntlet.metrics.part import LEVEL, Keyed, Part, Sides, corpus_of, sides_of, units_of
from assay.runs.answers import score_of
from assay.surface.features import ORACLES

if TYPE_CHECKING:
    from assay.stats.arrays import Floats


def auc_parts(
    bar: Bar, partitions: Partitions, benchmark: Benchmark, outputs: Outputs
) -> list[Part]:
    """One part per partition."""
    return [_part(bar, partitions[name], benchmark, outputs) for name in bar.partitions]


def _part(bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Outputs) -> Part:
    import numpy as np

    from assay.stats import auc

    corpus, _ = corpus_of(bar, benchmark)
    sides = sides_of(bar, partition, benchmark, outputs)
    rows = [
        [np.array([score_of(outputs[key]) for key, _ in side]), *_control_rows(bar, side)]
        for side in sides
    ]
    fit = auc.fit(np.stack(rows[0]), np.stack(rows[1]), groups=units_of(corpus, sides))
    if bar.minus is None:
        return Part(
            bar=bar,
            partition=partition.positive.text,
            estimate=fit.estimate(level=LEVEL),
            interval=fit.interval_at,
        )
    controls = (1,) if bar.minus.direction == "raw" else (1, 2)
    return Part(
        bar=bar,
        partition=partition.positive.text,
        estimate=fit.least_difference(0, controls, level=LEVEL),
        interval=fit.least_difference_at(0, controls),
        control=max(float(fit.values[row]) for row in controls),
        same_ranking=any(fit.same_ranking(0, row) for row in controls),
        idle_control=not np.ptp(np.concatenate([side[1] for side in rows])),
    )


def _control_rows(bar: Bar, side: Sequence[Keyed]) -> "list[Floats]":
    """The control's scores of some items, and the same reversed."""
    import numpy as np

    if bar.minus is None:
        return []
    oracle = ORACLES[bar.minus.feature]
    scores = np.array([oracle(item.question, item.response or "") for _, item in side])
    return [scores, -scores]


def _control(bar: Bar) -> Control:
    if bar.minus is None:
        raise SpecError(f"bar {bar.id}: a margin needs minus = {{ feature, direction }}")
    return bar.minus


def _check_feature(bar: Bar, _corpus: Benchmark, _sides: Sequence[Sides]) -> None:
    if _control(bar).feature not in ORACLES:
        raise SpecError(
            f"bar {bar.id}: no feature {_control(bar).feature!r};"
            f" the features are {', '.join(ORACLES)}"
        )


def _asks_margin(bar: Bar) -> str:
    control = _control(bar)
    which = "" if control.direction == "raw" else ", whichever way it points"
    return f"AUC at least {bar.at_least:.2f} over {control.feature}{which}"


AUC = Metric(
    name="auc",
    title="AUC",
    about="The chance that a positive scores above a negative, ties counting one half.",
    needs="scores",
    keys=("partitions",),
    chance=0.5,
    measure="auc",
    asks=lambda bar: f"AUC at least {bar.at_least:.2f}",
    parts=auc_parts,
)
MARGIN = Metric(
    name="auc",
    title="AUC",
    about="The AUC less what a surface feature reaches on the same records.",
    needs="scores",
    keys=("partitions", "minus"),
    variant="minus",
    least=-1.0,
    measure="auc - {bar.minus.feature}",
    asks=_asks_margin,
    parts=auc_parts,
    check=_check_feature,
)
