"""The parts of a bar: one estimate per partition, from the outputs of a run."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.benchmark.benchmark import Benchmark
from assay.errors import OneClassPartition, SpecError
from assay.gauntlet.decision import Bounds, Interval
from assay.gauntlet.part import LEVEL, Keyed, Part, corpus_of, sides_of, units_of, values_of
from assay.gauntlet.spec import Bar, BarSet, Partition
from assay.runs.answers import Output, class_of, score_of
from assay.stats import auc
from assay.stats import proportions as share
from assay.stats.arrays import Floats
from assay.surface.features import ORACLES


def applies(bar: Bar, benchmark: Benchmark) -> bool:
    """Whether a bar is asked of these data: one within sources needs several of them."""
    if bar.within is None:
        return True
    corpus, _ = corpus_of(bar, benchmark)
    return len({item.source for item in corpus.items if item.source is not None}) > 1


def check_judgeable(benchmark: Benchmark, bars: BarSet) -> None:
    """Refuse, before anything runs, a benchmark that the bars cannot be asked of."""
    everything = {key: 0.0 for key, _ in benchmark.keyed_items()}
    for bar in bars.bars:
        corpus, keyed = corpus_of(bar, benchmark)
        if bar.minus is not None and bar.minus.feature not in ORACLES:
            raise SpecError(
                f"bar {bar.id}: no feature {bar.minus.feature!r};"
                f" the features are {', '.join(ORACLES)}"
            )
        for name in bar.partitions:
            sides = sides_of(bar, bars.partitions[name], corpus, keyed, everything)
            if bar.beyond is not None or (bar.within is not None and applies(bar, benchmark)):
                from assay.gauntlet.surface_parts import check_surface_part

                check_surface_part(bar, sides, corpus)
        if bar.of is not None and not corpus.classes.get(bar.of):
            raise OneClassPartition(
                f"bar {bar.id}: no record of class {bar.of} in {corpus.name}; {values_of(corpus)}",
                hint="Judge scores instead (`task=detection`), or write bars for these classes.",
            )


def parts_of(
    bar: Bar, bars: BarSet, benchmark: Benchmark, outputs: Mapping[str, Output]
) -> list[Part]:
    """One part per partition of an AUC; one for an F1 or an accuracy."""
    if bar.beyond is not None or bar.within is not None:
        # Only here, since it brings in the surface model, which other bars do without.
        from assay.gauntlet.surface_parts import beyond_part, within_part

        make = within_part if bar.beyond is None else beyond_part
        return [make(bar, bars.partitions[name], benchmark, outputs) for name in bar.partitions]
    if bar.metric == "auc":
        return [_auc_part(bar, bars.partitions[n], benchmark, outputs) for n in bar.partitions]
    return [_share_part(bar, benchmark, outputs)]


def _auc_part(
    bar: Bar, partition: Partition, benchmark: Benchmark, outputs: Mapping[str, Output]
) -> Part:
    """The AUC of the method, less its control's where the bar has one."""
    corpus, keyed = corpus_of(bar, benchmark)
    sides = sides_of(bar, partition, corpus, keyed, outputs)
    rows = [
        [np.array([score_of(outputs[key]) for key, _ in side]), *_control_rows(bar, side)]
        for side in sides
    ]
    fit = auc.fit(np.stack(rows[0]), np.stack(rows[1]), groups=units_of(corpus, sides))
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
    corpus, keyed = corpus_of(bar, benchmark)
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
