"""Judge a run: estimate every bar, and give a verdict with a known error rate.

The chance of a PASS is at most 5 % if any one bar's true value is just under its threshold (an
intersection-union test, so no correction is needed). The chance of a FAIL is at most 5 % if every
true value is at or over its threshold (Holm over all parts of all bars).

With unscored items the verdict is UNRESOLVED: otherwise a method could pass by failing on the items
that it would get wrong.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from assay._version import __version__
from assay.benchmark.benchmark import Benchmark
from assay.digests import short
from assay.errors import (
    BadOutput,
    DigestMismatch,
    IntegrityError,
    MethodError,
    OneClassPartition,
    SpecError,
)
from assay.gauntlet.bar import Bar
from assay.gauntlet.caveats import SMALL, caveats_of
from assay.gauntlet.holm import holm, times_more
from assay.gauntlet.metrics.metric import Part, corpus_of, sides_of
from assay.gauntlet.metrics.seeds import over_seeds
from assay.gauntlet.metrics.table import applies, metric_of
from assay.gauntlet.result import BarResult, PartResult, PointVerdict, Scorecard, Verdict
from assay.gauntlet.spec import BarSet
from assay.runs.answers import Output, check_output
from assay.runs.result import SEEDS, Run, Source
from assay.wording import counted

ALPHA = 0.05
POWER = 0.80


def score(run: Run, benchmark: Benchmark, bars: BarSet) -> Scorecard:
    """Judge a run by one version of the bars, on the data it was made on."""
    _check_same(run, benchmark, bars)
    check_judgeable(benchmark, bars)
    by_seed = checked_outputs(run, benchmark)
    asked = [bar for bar in bars.bars if applies(bar, benchmark)]
    parts = [
        over_seeds(same_part)
        for bar in asked
        for same_part in zip(
            *(
                metric_of(bar).parts(bar, bars.partitions, benchmark, outputs)
                for outputs in by_seed
            ),
            strict=True,
        )
    ]
    missed, alpha = holm([part.bounds for part in parts], ALPHA)
    results = tuple(_result(bar, parts, missed, alpha) for bar in asked)
    items = sum(1 for _ in benchmark.keyed_items())
    unscored = items - len(set.intersection(*(set(outputs) for outputs in by_seed)))
    verdict = _verdict(results, unscored)
    undecided = verdict is Verdict.UNRESOLVED and not unscored
    passed = sum(result.point for result in results)
    point = Verdict.PASS if passed == len(results) else Verdict.FAIL
    return Scorecard(
        verdict=verdict,
        point=PointVerdict(passed=passed, total=len(results), verdict=point),
        bars=results,
        items=items,
        unscored=unscored,
        records_needed=_records_needed(parts, items) if undecided else None,
        sealed=run.provenance is not None,
        isolation=run.isolation.value,
        caveats=caveats_of(run, benchmark, bars, parts, unscored),
        method=run.method,
        task=run.task,
        benchmark=benchmark.name,
        bars_version=bars.version,
        digests=_digests(run, benchmark, bars),
        signature=_signature(run, benchmark, bars, items),
    )


@contextmanager
def failures_named(run: Run) -> Iterator[None]:
    """Say how many items failed, and how the first did, where too few outputs are left to judge."""
    try:
        yield
    except OneClassPartition as error:
        failures = [record.error for record in run.records if record.error is not None]
        if not run.complete:
            stopped = f"{error.message}; the run stopped after {counted(len(run.records), 'item')}"
            raise OneClassPartition(
                stopped + (f", with: {failures[-1].message}" if failures else ""),
                hint="Run it on all items; items that fail are recorded with `keep_going=True`.",
            ) from None
        if not failures:
            raise
        first = f"the first with: {failures[0].message}"
        if len(failures) == len(run.records):
            none = MethodError(
                f"{run.method}: all {counted(len(failures), 'item')} failed, {first}"
            )
            none.run = run
            raise none from None
        failed = f"{len(failures):,} of {len(run.records):,} items failed, {first}"
        raise OneClassPartition(f"{error.message}; {failed}", hint=error.hint) from None


def checked_outputs(run: Run, benchmark: Benchmark) -> list[dict[str, Output]]:
    """The outputs by item for each seed; a record that cannot be of this run is a breach."""
    known = {key for key, _ in benchmark.keyed_items()}
    second = benchmark.second.classes if benchmark.second is not None else {}
    classes = {*benchmark.classes, *second}
    if not 1 <= run.seeds <= SEEDS:
        raise IntegrityError(f"the run has {run.seeds} seeds, expected 1 to {SEEDS}")
    seen: set[tuple[str, int]] = set()
    by_seed: list[dict[str, Output]] = [{} for _ in range(run.seeds)]
    for record in run.records:
        if record.item not in known:
            raise IntegrityError(
                f"the run has a record of {record.item!r}, which is not an item of the benchmark"
            )
        if not 0 <= record.seed < run.seeds:
            raise IntegrityError(
                f"the run has {run.seeds} seeds, but a record of seed {record.seed}"
            )
        if (record.item, record.seed) in seen:
            raise IntegrityError(f"the run has two records of {record.item!r}")
        seen.add((record.item, record.seed))
        if record.output is not None:
            try:
                by_seed[record.seed][record.item] = check_output(
                    record.output, task=run.task, classes=classes
                )
            except BadOutput as error:
                raise IntegrityError(f"the record of {record.item!r}: {error.message}") from None
    return by_seed


def check_judgeable(benchmark: Benchmark, bars: BarSet) -> None:
    """Refuse, before anything runs, a benchmark that the bars cannot judge."""
    for bar in bars.bars:
        corpus = corpus_of(bar, benchmark)
        sides = [sides_of(bar, bars.partitions[name], corpus) for name in bar.partitions]
        if applies(bar, benchmark):
            metric_of(bar).check(bar, corpus, sides)


def _check_same(run: Run, benchmark: Benchmark, bars: BarSet) -> None:
    if run.task != bars.task:
        raise SpecError(f"the run is of {run.task}, but {bars.name} judges {bars.task}")
    second = None if benchmark.second is None else Source.of(benchmark.second)
    for ran, here in ((run.benchmark, Source.of(benchmark)), (run.second, second)):
        if (None if ran is None else ran.digest) != (None if here is None else here.digest):
            raise DigestMismatch(
                f"the run was made on {_named(ran)}, but is judged on {_named(here)}",
                hint="Judge the run on the data it was made on.",
            )


def _named(source: Source | None) -> str:
    return "no second corpus" if source is None else f"{source.name} with digest {source.digest}"


def _records_needed(parts: Sequence[Part], items: int) -> int | None:
    """The number of records needed for a verdict; None if there are too few to forecast."""
    if min(part.estimate.n for part in parts) < SMALL:
        return None
    more = times_more([part.bounds for part in parts], alpha=ALPHA, power=POWER)
    return None if more is None or not math.isfinite(more) else math.ceil(more * items)


def _result(bar: Bar, parts: Sequence[Part], missed: frozenset[int], alpha: float) -> BarResult:
    own = [(i, part) for i, part in enumerate(parts) if part.bar is bar]
    results = tuple(
        PartResult(
            partition=part.partition,
            value=part.estimate.value,
            low=part.estimate.low,
            high=part.estimate.high,
            lower_bound=part.bounds.lower(ALPHA),
            upper_bound=part.bounds.upper(alpha),
            n=part.estimate.n,
            control=part.control,
            how=part.estimate.how,
        )
        for _, part in own
    )
    lower_bound = min(result.lower_bound for result in results)
    outcome = Verdict.UNRESOLVED
    if any(i in missed for i, _ in own):
        outcome = Verdict.FAIL
    elif lower_bound >= bar.at_least and not any(part.unfit for _, part in own):
        outcome = Verdict.PASS
    value = min(result.value for result in results)
    return BarResult(
        id=bar.id,
        metric=metric_of(bar).measured(bar),
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


def _digests(run: Run, benchmark: Benchmark, bars: BarSet) -> Mapping[str, str | None]:
    return {
        "benchmark": benchmark.digest,
        "second": None if benchmark.second is None else benchmark.second.digest,
        "bars": bars.digest,
        "method": run.method_digest,
        "seal": None if run.provenance is None else run.provenance.seal,
    }


def _signature(run: Run, benchmark: Benchmark, bars: BarSet, items: int) -> str:
    """The signature: one line that names everything a number depends on."""
    method = run.method + ("" if run.method_digest is None else f"@{short(run.method_digest)}")
    corpora = f"{benchmark.name}@{short(benchmark.digest)}{benchmark.named_columns}"
    if benchmark.second is not None:
        corpora += f" + {benchmark.second.name}@{short(benchmark.second.digest)}"
    seal = "" if run.provenance is None else f" · seal {short(run.provenance.seal)}"
    return (
        f"n {items} · {corpora} · bars {bars.name}@{short(bars.digest)} · {method}"
        f" · seed {run.seed}{seal} · assay {__version__}"
    )
