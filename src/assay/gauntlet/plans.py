"""The bars and data by which a method is judged, for each task that it may turn out to do."""

from dataclasses import dataclass

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.load import load_benchmark
from assay.benchmark.task import TASKS, Task
from assay.errors import AssayError
from assay.gauntlet.load import fitting_bars, load_bars
from assay.gauntlet.spec import BarSet


@dataclass(frozen=True, kw_only=True)
class JudgingPlan:
    """Bars, and the benchmark with its second corpus where a bar needs one."""

    bars: BarSet
    benchmark: Benchmark


def judging_plans(
    benchmark: Benchmark, *, bars: str | None = None, second: str | None = None
) -> dict[Task, JudgingPlan | AssayError]:
    """A plan for each task, or the error that rules it out.

    Default bars fit the benchmark; the default second corpus is the one that the bars name.
    """
    plans: dict[Task, JudgingPlan | AssayError] = {}
    for task in TASKS:
        try:
            plans[task] = _plan(benchmark, task, bars, second)
        except AssayError as error:
            plans[task] = error
    return plans


def _plan(benchmark: Benchmark, task: Task, bars: str | None, second: str | None) -> JudgingPlan:
    chosen = load_bars(bars or fitting_bars(benchmark, task), task=task)
    if second is None and any(bar.corpus == "second" for bar in chosen.bars):
        second = chosen.second
    if second is not None:
        benchmark = benchmark.with_second(load_benchmark(second))
    return JudgingPlan(bars=chosen, benchmark=benchmark)
