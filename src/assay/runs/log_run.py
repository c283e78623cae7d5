"""A run that a harness made: the scores of its log, as outputs on a benchmark's records."""

from pathlib import Path

from assay.benchmark.benchmark import Benchmark
from assay.errors import SpecError
from assay.logs.log_records import read_log_scores
from assay.logs.log_trials import harness_of_run
from assay.runs.given_scores import scored_run
from assay.runs.result import SEEDS, Run


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
    return scored_run(
        f"{model}, {found.metric}",
        found.by_epoch,
        benchmark,
        lost=f"no {found.metric} in the log",
        harness=harness_of_run(found.run),
        complete=found.run.finished,
    )
