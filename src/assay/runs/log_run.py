"""A run that a harness made: the scores of its log, as outputs on a benchmark's records."""

from collections.abc import Iterator
from pathlib import Path

from assay.benchmark.benchmark import Benchmark
from assay.errors import SpecError
from assay.logs.log_records import LogScores, read_log_scores
from assay.logs.log_trials import harness_of_run
from assay.runs.result import SEEDS, Failure, Limits, Record, Run, Source
from assay.sandbox.levels import Level


def run_of_log(path: Path, benchmark: Benchmark, metric: str | None = None) -> Run:
    """The scores of a log under one metric as a run of detection; epochs are its seeds.

    A record without a score in the log is unscored here, never 0.
    """
    found = read_log_scores(path, ids=benchmark.all_ids, metric=metric)
    if found is None:
        raise SpecError(f"{path}: not a harness's log")
    if len(found.by_epoch) > SEEDS:
        raise SpecError(
            f"{path}: {len(found.by_epoch)} epochs, but a run has at most {SEEDS} seeds",
            hint="Judge a log with fewer epochs.",
        )
    model = found.run.model or found.run.harness
    return Run(
        method=f"{model}, {found.metric}",
        method_digest=None,
        task="detection",
        benchmark=Source.of(benchmark),
        second=None,
        seed=0,
        folds=None,
        isolation=Level.ELSEWHERE,
        limits=Limits(),
        keep_going=True,
        environment=(),
        harness=harness_of_run(found.run),
        printed=0,
        complete=found.run.finished,
        records=tuple(_records(found, benchmark)),
        seeds=len(found.by_epoch),
    )


def _records(found: LogScores, benchmark: Benchmark) -> Iterator[Record]:
    lost = Failure(kind="unscored", message=f"no {found.metric} in the log")
    for seed, scores in enumerate(found.by_epoch):
        for item in benchmark.items:
            score = scores.get(item.id)
            error = lost if score is None else None
            yield Record(item=item.id, output=score, error=error, ms=0.0, seed=seed)
