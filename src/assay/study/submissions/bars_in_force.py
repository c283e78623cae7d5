"""The bars in force, and the metrics that a prediction under them may name."""

from assay.benchmark.benchmark import Benchmark, Task
from assay.errors import IntegrityError, SpecError
from assay.files import read_as
from assay.gauntlet.load import read_bars
from assay.gauntlet.metrics.table import applies, metric_of
from assay.gauntlet.spec import BarSet
from assay.study.predictions.spec import Predictable
from assay.study.records import StudyRecords, SubmissionRecord
from assay.study.study import StudyFolder
from assay.study.submissions.spec import Seal, parse_seal


def bars_in_force(study: StudyFolder, records: StudyRecords, task: Task) -> BarSet:
    """The newest version of a task's bars."""
    versions = records.versions(task)
    if not versions:
        raise SpecError(
            f"the study has no bars for {task}",
            hint="It was opened for another task; see its study.toml.",
        )
    newest = versions[-1]
    return read_bars(read_as(study.root, newest.path, newest.digest), where=newest.path)


def read_seal(study: StudyFolder, record: SubmissionRecord) -> Seal:
    """The seal of a submission, which must match the ledger."""
    ((path, expected),) = record.seal.files.items()
    return parse_seal(read_as(study.root, path, expected), where=path)


def _is_of(study: StudyFolder, record: SubmissionRecord, task: Task) -> bool:
    """Whether a submission is for a task; False if its seal is unreadable."""
    try:
        return read_seal(study, record).task == task
    except IntegrityError:
        return False


def asks_second(bars: BarSet) -> bool:
    """Whether some bar needs the second corpus."""
    return any(bar.corpus == "second" for bar in bars.bars)


def predictable(
    study: StudyFolder,
    benchmark: Benchmark,
    bars: BarSet,
    records: StudyRecords,
    *,
    before: int | None = None,
) -> Predictable:
    """The metrics, bar count and earlier results that a prediction may name.

    Earlier results are those of the same task, entered `before` a ledger entry if one is given.
    """
    metrics: dict[str, float] = {}
    asked = [bar for bar in bars.bars if applies(bar, benchmark)]
    for bar in asked:
        least = metric_of(bar).least
        metrics[bar.id] = least
        if len(bar.partitions) > 1:
            metrics |= {f"{bar.id}.{name}": least for name in bar.partitions}
    done = [
        record.id
        for record in records.submissions.values()
        if record.run is not None
        and (before is None or record.run.n < before)
        and _is_of(study, record, bars.task)
    ]
    return Predictable(metrics=metrics, bars=len(asked), submissions=done)
