"""The parts of a bar: one estimate per partition, from the outputs of a run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay.errors import OneClassPartition, SpecError
from assay.evidence.outputs import Output, class_of, score_of
from assay.methods.surface import ORACLES
from assay.plan.bars import Bar, BarSet, Partition
from assay.plan.benchmark import SECOND, Benchmark, Item
from assay.stats import auc, share
from assay.stats.arrays import Floats
from assay.stats.decide import Bounds, Interval
from assay.stats.estimate import Estimate

LEVEL = 0.95
Keyed = tuple[str, Item]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A bar on one partition, estimated.

    `control` is the AUC that was taken off; `same_ranking` says that the method orders every record
    as the control does, `idle_control` that the control is the same for every record.
    """

    bar: Bar
    partition: str
    estimate: Estimate
    bounds: Bounds
    control: float | None = None
    same_ranking: bool = False
    idle_control: bool = False


def check_judgeable(benchmark: Benchmark, bars: BarSet) -> None:
    """Refuse, before anything runs, a benchmark that the bars cannot be asked of."""
    everything = {key: 0.0 for key, _ in benchmark.keyed_items()}
    for bar in bars.bars:
        corpus, keyed = _corpus(bar, benchmark)
        if bar.minus is not None and bar.minus.feature not in ORACLES:
            raise SpecError(
                f"bar {bar.id}: no feature {bar.minus.feature!r};"
                f" the features are {', '.join(ORACLES)}"
            )
        for name in bar.partitions:
            _sides(bar, bars.partitions[name], corpus, keyed, everything)
        if bar.of is not None and not corpus.classes.get(bar.of):
            raise OneClassPartition(
                f"bar {bar.id}: no record of class {bar.of} in {corpus.name}; {_values(corpus)}",
                hint="Judge scores instead (--task detection), or write bars for these classes.",
            )


def parts_of(
    bar: Bar, bars: BarSet, benchmark: Benchmark, outputs: Mapping[str, Output]
) -> list[Part]:
    """One part per partition of an AUC; one for an F1 or an accuracy."""
    if bar.metric == "auc":
        return [_auc_part(bar, bars.partitions[n], benchmark, outputs) for n in bar.partitions]
    return [_share_part(bar, benchmark, outputs)]


def _auc_part(
    bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Mapping[str, Output]
) -> Part:
    """The AUC of the method, less its control's where the bar has one."""
    corpus, keyed = _corpus(bar, benchmark)
    sides = _sides(bar, partition, corpus, keyed, outputs)
    rows = [
        [np.array([score_of(outputs[key]) for key, _ in side]), *_control_rows(bar, side)]
        for side in sides
    ]
    groups = None
    if corpus.grouped:
        groups = [item.unit for _, item in sides[0]], [item.unit for _, item in sides[1]]
    fit = auc.fit(np.stack(rows[0]), np.stack(rows[1]), groups=groups)
    control: float | None = None
    others: tuple[int, ...] = ()
    interval: Interval = fit.interval_at
    estimate = fit.estimate(level=LEVEL)
    if bar.minus is not None:
        others = (1,) if bar.minus.direction == "raw" else (1, 2)
        estimate = fit.least_difference(0, others, level=LEVEL)
        interval = fit.least_difference_at(0, others)
        control = max(float(fit.values[j]) for j in others)
    return Part(
        bar=bar,
        partition=partition.positive.text,
        estimate=estimate,
        bounds=Bounds(
            value=estimate.value, n=estimate.n, threshold=bar.at_least, interval=interval
        ),
        control=control,
        same_ranking=any(fit.same_ranking(0, j) for j in others),
        idle_control=bar.minus is not None and not np.ptp(np.concatenate([r[1] for r in rows])),
    )


def _control_rows(bar: Bar, side: Sequence[Keyed]) -> list[Floats]:
    """The control's scores of some items, and the same turned round."""
    if bar.minus is None:
        return []
    oracle = ORACLES[bar.minus.feature]
    scores = np.array([oracle(item.question, item.response or "") for _, item in side])
    return [scores, -scores]


def _share_part(bar: Bar, benchmark: Benchmark, outputs: Mapping[str, Output]) -> Part:
    """The F1 of one class, or the accuracy over all."""
    corpus, keyed = _corpus(bar, benchmark)
    scored = [
        (item, class_of(outputs[keyed(item)])) for item in corpus.items if keyed(item) in outputs
    ]
    if not scored or (bar.of is not None and not any(item.cls == bar.of for item, _ in scored)):
        of = "" if bar.of is None else f" of class {bar.of}"
        raise OneClassPartition(f"bar {bar.id}: no scored record{of} in {corpus.name}")
    groups = [item.unit for item, _ in scored] if corpus.grouped else None
    if bar.of is None:
        fit = share.accuracy([item.cls == said for item, said in scored], groups=groups)
    else:
        is_class = [item.cls == bar.of for item, _ in scored]
        fit = share.f1(is_class, [said == bar.of for _, said in scored], groups=groups)
    estimate = fit.estimate(level=LEVEL)
    return Part(
        bar=bar,
        partition="all records" if bar.corpus == "main" else f"second corpus {corpus.name}",
        estimate=estimate,
        bounds=Bounds(
            value=estimate.value, n=estimate.n, threshold=bar.at_least, interval=fit.interval_at
        ),
    )


def _corpus(bar: Bar, benchmark: Benchmark) -> tuple[Benchmark, Callable[[Item], str]]:
    """The corpus a bar is about, and an item's key in the run."""
    if bar.corpus == "main":
        return benchmark, lambda item: item.id
    if benchmark.second is None:
        raise SpecError(
            f"bar {bar.id} asks for a second corpus, and the run has none",
            hint="Run it with a second corpus: --second folklore-two.",
        )
    return benchmark.second, lambda item: SECOND + item.id


def _sides(
    bar: Bar,
    partition: Partition,
    corpus: Benchmark,
    keyed: Callable[[Item], str],
    outputs: Mapping[str, object],
) -> tuple[list[Keyed], list[Keyed]]:
    """The scored positives and negatives of a partition."""
    found = []
    for expression in (partition.positive, partition.negative):
        chosen = [(keyed(item), item) for item in corpus.where(expression)]
        scored = [(key, item) for key, item in chosen if key in outputs]
        if not scored:
            failed = f", and all {len(chosen)} failed" if chosen else f"; {_values(corpus)}"
            raise OneClassPartition(
                f"bar {bar.id}: no scored record with {expression.text} in {corpus.name}{failed}",
                hint=None
                if chosen
                else "Name the column that tells right from wrong (--label, --class), or say which"
                " value is positive (--positive); or write bars for these data.",
            )
        found.append(scored)
    both = {key for key, _ in found[0]} & {key for key, _ in found[1]}
    if both:
        raise SpecError(
            f"bar {bar.id}: record {min(both)} is positive and negative at once"
            f" ({partition.positive.text}, {partition.negative.text})"
        )
    return found[0], found[1]


def _values(corpus: Benchmark) -> str:
    """What the labels and classes of a corpus are, as far as they fit on a line."""
    labels = [item.label for item in corpus.items if item.label is not None]
    said = [f"labels: 1 in {sum(labels)}, 0 in {len(labels) - sum(labels)}"] if labels else []
    counts = [f"{name} {count}" for name, count in corpus.classes.items()]
    if counts:
        said.append(f"classes: {', '.join(counts[:8])}" + (", ..." if len(counts) > 8 else ""))
    return "; ".join(said)
