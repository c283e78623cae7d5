"""The AUC of a method's scores, plain or minus that of a surface feature.

numpy is imported only when an AUC is estimated: reading bars does not need it.
"""

from collections.abc import Sequence

from assay.benchmark.benchmark import Benchmark
from assay.errors import SpecError
from assay.gauntlet.bar import Bar, Control
from assay.gauntlet.metrics.metric import Asked, Metric, Part, Sides
from assay.runs.answers import score_of
from assay.surface.features import ORACLES


def _auc(asked: Asked) -> Part:
    import numpy as np

    from assay.stats import auc

    bar, sides = asked.bar, asked.scored_sides()
    rows = [[np.array([score_of(asked.outputs[item.id]) for item in side])] for side in sides]
    if bar.minus is None:
        fit = auc.fit(*rows, groups=asked.groups(sides))
        return Part(
            bar=bar, partition=asked.texts[0], estimate=fit.estimate(), interval=fit.interval_at
        )
    oracle = ORACLES[bar.minus.feature]
    for row, side in zip(rows, sides, strict=True):
        control = np.array([oracle(item.question, item.response or "") for item in side])
        row += [control, -control]
    fit = auc.fit(*rows, groups=asked.groups(sides))
    controls = (1,) if bar.minus.direction == "raw" else (1, 2)
    return Part(
        bar=bar,
        partition=asked.texts[0],
        estimate=fit.least_difference(0, controls),
        interval=fit.least_difference_at(0, controls),
        control=max(float(fit.values[row]) for row in controls),
        same_ranking=any(fit.same_ranking(0, row) for row in controls),
        idle_control=not np.ptp(np.concatenate([side[1] for side in rows])),
    )


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
    which = "" if control.direction == "raw" else ", in either direction"
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
    part=_auc,
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
    part=_auc,
    check=_check_feature,
)
