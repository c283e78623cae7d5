"""Try a method: run it on a benchmark and judge the run, without a seal."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.benchmark.benchmark import TASKS, Benchmark, Task
from assay.benchmark.load import load_second
from assay.errors import AssayError
from assay.gauntlet.load import Bars, bars_for, check_task
from assay.gauntlet.result import Scorecard
from assay.gauntlet.spec import BarSet
from assay.models.recording import Recording
from assay.runs.collect import Listener, close_run, collect
from assay.runs.result import Limits, batch_size
from assay.runs.store import RunFolder
from assay.runs.worker import Method, default_task, start_worker


def try_method(
    method: Method,
    benchmark: Benchmark,
    *,
    bars: Bars | None = None,
    second: object = None,
    task: Task | None = None,
    seed: int = 0,
    limits: Limits | None = None,
    environment: Sequence[str] = (),
    keep_going: bool = False,
    batch: int | None = None,
    save: Path | None = None,
    recording: Recording | None = None,
    listener: Listener | None = None,
) -> Scorecard:
    """Run a method on a benchmark and judge it; `save` is a new folder that keeps the run.

    Default bars fit the benchmark; the default second corpus is the one that the bars name. The
    listener is told where the outputs are if the run ends early or cannot be judged.
    """
    # Everything is read before the method is: what it does to a file then changes nothing.
    plans = judging_plans(benchmark, bars=bars, second=second)
    folder = None if save is None else RunFolder(save)
    batch_size(batch)
    started = start_worker(
        method,
        seed=seed,
        limits=limits,
        environment=environment,
        on_print=None if listener is None else listener.printed,
        recording=recording,
    )
    # Imported while the worker boots, which takes as long as numpy, the larger part of it.
    import numpy as np  # noqa: F401

    from assay.gauntlet.judge import check_judgeable, failures_named, score

    with started as worker:
        task = task or default_task(worker, benchmark)
        plan = plans[task]
        if isinstance(plan, AssayError):
            raise plan
        check_judgeable(plan.benchmark, plan.bars)
        run = collect(
            worker,
            plan.benchmark,
            folder,
            task=task,
            seed=seed,
            limits=limits or Limits(),
            keep_going=keep_going,
            batch=batch,
            listener=listener,
        )
    if folder is not None:
        close_run(run, folder)
    try:
        with failures_named(run):
            return score(run, plan.benchmark, plan.bars)
    except (AssayError, KeyboardInterrupt):
        if listener is not None:
            made = sum(record.error is None for record in run.records)
            listener.interrupted(made, close_run(run, None) if folder is None else folder.path)
        raise


@dataclass(frozen=True, kw_only=True)
class JudgingPlan:
    """Bars, and the benchmark with its second corpus where a bar needs one."""

    bars: BarSet
    benchmark: Benchmark


def judging_plans(
    benchmark: Benchmark, *, bars: Bars | None = None, second: object = None
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


def _plan(benchmark: Benchmark, task: Task, bars: Bars | None, second: object) -> JudgingPlan:
    chosen = bars_for(bars, benchmark, task)
    check_task(chosen, task, chosen.name)
    if second is None and benchmark.second is None and _asks_for_second(chosen):
        second = chosen.second
    if second is not None:
        benchmark = benchmark.with_second(load_second(second))
    return JudgingPlan(bars=chosen, benchmark=benchmark)


def _asks_for_second(bars: BarSet) -> bool:
    return any(bar.corpus == "second" for bar in bars.bars)
