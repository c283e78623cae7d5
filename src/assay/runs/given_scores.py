"""A run made of scores that were there already: read from a log, or given as they are.

Nothing was run here, so nothing was observed. A record without a score is unscored, never 0.
"""

from collections.abc import Iterator, Mapping, Sequence

from assay.benchmark.benchmark import Benchmark, Item
from assay.runs.result import Failure, Limits, Record, Run, Source
from assay.sandbox.levels import Level

Scores = Mapping[str, float]
_GIVEN = "scores"
"""What the harness of a run of given scores is called; the value says how they were read."""


def run_of_scores(method: str, scores: Scores, benchmark: Benchmark, *, read_as: str = "") -> Run:
    """Scores by record id as a run of detection; `read_as` says how texts were read as numbers."""
    return scored_run(
        method, [scores], benchmark, lost="no score was given", harness={_GIVEN: read_as or "given"}
    )


def how_given(run: Run) -> str | None:
    """How the scores of a run were read, if they were given; None for every other run."""
    return run.harness.get(_GIVEN) if run.isolation is Level.ELSEWHERE else None


def scored_run(
    method: str,
    by_seed: Sequence[Scores],
    benchmark: Benchmark,
    *,
    lost: str,
    harness: Mapping[str, str],
    complete: bool = True,
) -> Run:
    """A run of detection with these scores; `lost` says why a record has none."""
    return Run(
        method=method,
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
        harness=harness,
        printed=0,
        complete=complete,
        records=tuple(_records(by_seed, benchmark.items, lost)),
        seeds=len(by_seed),
    )


def _records(by_seed: Sequence[Scores], items: Sequence[Item], lost: str) -> Iterator[Record]:
    failure = Failure(kind="unscored", message=lost)
    for seed, scores in enumerate(by_seed):
        for item in items:
            score = scores.get(item.id)
            error = failure if score is None else None
            yield Record(item=item.id, output=score, error=error, ms=0.0, seed=seed)
