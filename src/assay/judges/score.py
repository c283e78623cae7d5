"""Judging a run: every bar estimated, every verdict with its error rate.

The chance of a PASS is at most 5 % where any one bar's true value is just under its threshold (an
intersection-union test, so no correction is needed). The chance of a FAIL is at most 5 % where
every true value is at or over its threshold (Holm 1979 over all parts of all bars).

With items unscored no verdict is given but UNRESOLVED: a method could otherwise pass by failing
on the items that it would get wrong.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from assay._version import __version__
from assay.digests import short
from assay.errors import DigestMismatch, OneClassPartition, SpecError
from assay.evidence.outputs import class_of, score_of
from assay.evidence.record import Record, Run, Source
from assay.judges.caveats import caveats_of
from assay.judges.scorecard import BarResult, PartResult, PointVerdict, Scorecard, Verdict
from assay.methods.surface import FEATURES
from assay.plan.bars import Bar, BarSet, Partition
from assay.plan.benchmark import SECOND, Benchmark, Item
from assay.stats import auc, share
from assay.stats.estimate import Estimate
from assay.stats.quantiles import normal_quantile

ALPHA = 0.05
LEVEL = 0.95
POWER = 0.80
Interval = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Part:
    """A bar on one partition, estimated; `interval` gives it again at any level."""

    bar: Bar
    partition: str
    estimate: Estimate
    interval: Interval
    control: float | None = None
    same_ranking: bool = False

    def lower(self, alpha: float) -> float:
        """The one-sided lower bound that errs with probability alpha."""
        return self.interval(1.0 - 2.0 * alpha)[0]

    def upper(self, alpha: float) -> float:
        """The one-sided upper bound that errs with probability alpha."""
        return self.interval(1.0 - 2.0 * alpha)[1]


def score(run: Run, benchmark: Benchmark, bars: BarSet) -> Scorecard:
    """Judge stored outputs under one version of the bars."""
    _check_same(run, benchmark, bars)
    judge = _Judge(run, benchmark, bars)
    parts = [part for bar in bars.bars for part in judge.parts(bar)]
    failed, alpha_left = holm(parts)
    results = tuple(
        _result(bar, [part for part in parts if part.bar is bar], failed, alpha_left)
        for bar in bars.bars
    )
    items = sum(1 for _ in benchmark.keyed_items())
    unscored = items - len(judge.outputs)
    verdict = _verdict(results, unscored)
    passed = sum(result.point for result in results)
    return Scorecard(
        verdict=verdict,
        point=PointVerdict(
            passed=passed,
            total=len(results),
            verdict=Verdict.PASS if passed == len(results) else Verdict.FAIL,
        ),
        bars=results,
        items=items,
        unscored=unscored,
        records_needed=records_needed(parts, verdict) if not unscored else None,
        sealed=run.sealed,
        isolation=run.isolation.value,
        caveats=caveats_of(run, parts, unscored),
        method=run.method,
        task=run.task,
        benchmark=benchmark.name,
        bars_version=bars.version,
        signature=_signature(run, benchmark, bars, items),
    )


def holm(parts: Sequence[Part]) -> tuple[frozenset[int], float]:
    """The parts shown to be under their bar (by identity), and the alpha of the last step."""
    failed: set[int] = set()
    alpha = ALPHA / len(parts)
    while len(failed) < len(parts):
        alpha = ALPHA / (len(parts) - len(failed))
        found = {
            id(part)
            for part in parts
            if id(part) not in failed and part.upper(alpha) < part.bar.at_least
        }
        if not found:
            break
        failed |= found
    return frozenset(failed), alpha


def records_needed(parts: Sequence[Part], verdict: Verdict) -> int | None:
    """How many records would settle it with 80 % probability, the estimates being right.

    A spread shrinks with the root of the number of records. To fail, one bar must be settled: the
    easiest. To pass, all that are open must be: the hardest.
    """
    if verdict is not Verdict.UNRESOLVED:
        return None
    reach = 1.0 + normal_quantile(POWER) / normal_quantile(1.0 - ALPHA)

    def needed(part: Part, alpha: float) -> float:
        gap = part.estimate.value - part.bar.at_least
        width = (
            part.estimate.value - part.lower(alpha)
            if gap > 0
            else part.upper(alpha) - (part.estimate.value)
        )
        return math.inf if gap == 0 else part.estimate.n * (reach * width / gap) ** 2

    under = [part for part in parts if part.estimate.value < part.bar.at_least]
    if under:
        count = min(needed(part, ALPHA / len(parts)) for part in under)
    else:
        open_parts = [part for part in parts if part.lower(ALPHA) < part.bar.at_least]
        count = max(needed(part, ALPHA) for part in open_parts)
    return math.ceil(count) if math.isfinite(count) else None


class _Judge:
    """Estimates the parts of each bar from the outputs of one run."""

    def __init__(self, run: Run, benchmark: Benchmark, bars: BarSet) -> None:
        self.outputs: Mapping[str, Record] = {r.item: r for r in run.records if r.error is None}
        self.benchmark = benchmark
        self.bars = bars

    def parts(self, bar: Bar) -> list[Part]:
        """One part per partition of an AUC; one for an F1 or an accuracy."""
        if bar.metric == "auc":
            return [self.auc_part(bar, self.bars.partitions[name]) for name in bar.partitions]
        return [self.share_part(bar)]

    def auc_part(self, bar: Bar, partition: Partition) -> Part:
        """The AUC of the method, less its control's where the bar has one."""
        corpus, keyed = self.corpus(bar)
        sides = []
        for expression in (partition.positive, partition.negative):
            chosen = [
                (keyed(item), item)
                for item in corpus.where(expression)
                if keyed(item) in self.outputs
            ]
            if not chosen:
                raise OneClassPartition(
                    f"bar {bar.id}: no scored record with {expression.text} in {corpus.name};"
                    f" its classes are {_counts(corpus.classes)}",
                    hint="Choose bars made for this benchmark, for example --bars plain.",
                )
            sides.append(chosen)
        rows = [[self.scores(side)] for side in sides]
        control = None
        if bar.minus is not None:
            control, sign = self.control(bar, sides)
            for row, side in zip(rows, sides, strict=True):
                row.append(sign * _feature(bar, [item for _, item in side]))
        groups = _groups(sides) if corpus.grouped else None
        fit = auc.fit(np.stack(rows[0]), np.stack(rows[1]), groups=groups)
        if bar.minus is None:
            return Part(
                bar=bar,
                partition=partition.positive.text,
                estimate=fit.estimate(level=LEVEL),
                interval=lambda level: fit.interval(level=level),
            )
        return Part(
            bar=bar,
            partition=partition.positive.text,
            estimate=fit.difference(0, 1, level=LEVEL),
            interval=lambda level: fit.difference_interval(0, 1, level=level),
            control=control,
            same_ranking=fit.same_ranking(0, 1),
        )

    def control(self, bar: Bar, sides: Sequence[Sequence[tuple[str, Item]]]) -> tuple[float, float]:
        """The control's AUC as the bar reads it, and the sign that reads it so."""
        above, below = (_feature(bar, [item for _, item in side]) for side in sides)
        value = auc.auc(above, below)
        if bar.minus is not None and bar.minus.direction == "better" and value < 0.5:
            return 1.0 - value, -1.0
        return value, 1.0

    def share_part(self, bar: Bar) -> Part:
        """The F1 of one class, or the accuracy over all."""
        corpus, keyed = self.corpus(bar)
        scored = [
            (item, class_of(self.outputs[keyed(item)].output or ""))
            for item in corpus.items
            if keyed(item) in self.outputs
        ]
        if bar.of is not None and not any(item.cls == bar.of for item, _ in scored):
            raise OneClassPartition(
                f"bar {bar.id}: no scored record of class {bar.of} in {corpus.name};"
                f" its classes are {_counts(corpus.classes)}"
            )
        if not scored:
            raise OneClassPartition(f"bar {bar.id}: no scored record in {corpus.name}")
        groups = [item.group or f"alone {item.id}" for item, _ in scored]
        grouped = groups if corpus.grouped else None
        if bar.of is None:
            fit = share.accuracy([item.cls == said for item, said in scored], groups=grouped)
        else:
            is_class = [item.cls == bar.of for item, _ in scored]
            fit = share.f1(is_class, [said == bar.of for _, said in scored], groups=grouped)
        return Part(
            bar=bar,
            partition="all records" if bar.corpus == "main" else f"second corpus {corpus.name}",
            estimate=fit.estimate(level=LEVEL),
            interval=lambda level: fit.interval(level=level),
        )

    def corpus(self, bar: Bar) -> tuple[Benchmark, Callable[[Item], str]]:
        """The corpus a bar is about, and an item's key in the run."""
        if bar.corpus == "main":
            return self.benchmark, lambda item: item.id
        if self.benchmark.second is None:
            raise SpecError(
                f"bar {bar.id} asks for a second corpus, and the run has none",
                hint="Run it with a second corpus: --second folklore-two.",
            )
        return self.benchmark.second, lambda item: SECOND + item.id

    def scores(self, side: Sequence[tuple[str, Item]]) -> auc.Floats:
        """The method's scores of some items."""
        return np.array([score_of(self.outputs[key].output or 0.0) for key, _ in side])


def _check_same(run: Run, benchmark: Benchmark, bars: BarSet) -> None:
    if run.task != bars.task:
        raise SpecError(f"the run is of {run.task}, and {bars.name} judges {bars.task}")
    second = None if benchmark.second is None else Source.of(benchmark.second)
    for ran, given in ((run.benchmark, Source.of(benchmark)), (run.second, second)):
        if ran is not None and given is not None and ran.digest != given.digest:
            raise DigestMismatch(
                f"the run is of {ran.name} with digest {ran.digest},"
                f" and {given.name} has {given.digest}",
                hint="Judge the run on the very file it was made on.",
            )


def _feature(bar: Bar, items: Sequence[Item]) -> auc.Floats:
    name = bar.minus.feature if bar.minus is not None else ""
    if name not in FEATURES:
        raise SpecError(
            f"bar {bar.id}: no feature {name!r}; the features are {', '.join(FEATURES)}"
        )
    return np.array([FEATURES[name](item.response or "") for item in items])


def _groups(sides: Sequence[Sequence[tuple[str, Item]]]) -> tuple[list[str], list[str]]:
    above, below = (
        [f"alone {key}" if item.group is None else f"group {item.group}" for key, item in side]
        for side in sides
    )
    return above, below


def _result(bar: Bar, parts: Sequence[Part], failed: frozenset[int], alpha: float) -> BarResult:
    results = tuple(
        PartResult(
            partition=part.partition,
            value=part.estimate.value,
            low=part.estimate.low,
            high=part.estimate.high,
            lower_bound=part.lower(ALPHA),
            upper_bound=part.upper(alpha),
            n=part.estimate.n,
            control=part.control,
            how=part.estimate.how,
        )
        for part in parts
    )
    lower_bound = min(result.lower_bound for result in results)
    outcome = Verdict.UNRESOLVED
    if any(id(part) in failed for part in parts):
        outcome = Verdict.FAIL
    elif lower_bound >= bar.at_least:
        outcome = Verdict.PASS
    value = min(result.value for result in results)
    return BarResult(
        id=bar.id,
        metric=bar.metric if bar.minus is None else f"{bar.metric} - {bar.minus.feature}",
        partition="; ".join(result.partition for result in results),
        value=value,
        low=min(result.low for result in results),
        high=min(result.high for result in results),
        lower_bound=lower_bound,
        upper_bound=min(result.upper_bound for result in results),
        threshold=bar.at_least,
        point=value >= bar.at_least,
        outcome=outcome,
        parts=results,
    )


def _verdict(results: Sequence[BarResult], unscored: int) -> Verdict:
    outcomes = [result.outcome for result in results]
    if unscored:
        return Verdict.UNRESOLVED
    if Verdict.FAIL in outcomes:
        return Verdict.FAIL
    return Verdict.PASS if set(outcomes) == {Verdict.PASS} else Verdict.UNRESOLVED


def _counts(classes: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in classes.items()) or "unknown"


def _signature(run: Run, benchmark: Benchmark, bars: BarSet, items: int) -> str:
    method = run.method + ("" if run.method_digest is None else f"@{short(run.method_digest)}")
    corpora = f"{benchmark.name}@{short(benchmark.digest)}"
    if benchmark.second is not None:
        corpora += f" + {benchmark.second.name}@{short(benchmark.second.digest)}"
    return (
        f"n {items} · {corpora} · bars {bars.name}@{short(bars.digest)} · {method}"
        f" · seed {run.seed} · assay {__version__}"
    )
