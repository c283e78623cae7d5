"""What a submission is held to: the bars in force, and what there is to predict under them."""

from assay.benchmark.benchmark import Benchmark
from assay.benchmark.task import Task
from assay.errors import SpecError
from assay.files import read_as
from assay.gauntlet.metrics.table import applies, metric_of
from assay.gauntlet.spec import BarSet, parse_bars
from assay.study.entries import Records, SubmissionRecord
from assay.study.predictions.spec import Predictable
from assay.study.study import Study
from assay.study.submissions.spec import parse_seal


def bars_in_force(study: Study, records: Records, task: Task) -> BarSet:
    """The newest version of a task's bars, as the ledger knows it."""
    versions = records.versions(task)
    if not versions:
        raise SpecError(
            f"the study has no bars for {task}",
            hint="It was opened for another task; see its study.toml.",
        )
    newest = versions[-1]
    return parse_bars(read_as(study.root, newest.path, newest.digest), where=newest.path)


def task_of(study: Study, one: SubmissionRecord) -> Task:
    """The task that a submission was sealed for."""
    ((path, expected),) = one.seal.files.items()
    return parse_seal(read_as(study.root, path, expected), where=path).task


def asks_second(bars: BarSet) -> bool:
    """Whether some bar is about a second corpus."""
    return any(bar.corpus == "second" for bar in bars.bars)


def predictable(
    study: Study, benchmark: Benchmark, bars: BarSet, records: Records, *, before: int | None = None
) -> Predictable:
    """What can be predicted of a run under these bars.

    A prediction may look back on results of the same task that were there `before` an entry.
    """
    metrics: dict[str, float] = {}
    asked = [bar for bar in bars.bars if applies(bar, benchmark)]
    for bar in asked:
        least = metric_of(bar).least
        metrics[bar.id] = least
        if len(bar.partitions) > 1:
            metrics |= {f"{bar.id}.{name}": least for name in bar.partitions}
    done = [
        one.id
        for one in records.submissions.values()
        if one.run is not None
        and (before is None or one.run.n < before)
        and task_of(study, one) == bars.task
    ]
    return Predictable(metrics=metrics, bars=len(asked), submissions=done)
