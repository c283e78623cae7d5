"""The regression controls of a study's revisions: store and read the runs of the cheats.

A cheat that is a submission has its run already. The run of any other is stored under
`controls/TASK-VERSION/`, and the entry of the bars names it. Older revisions stored none: if the
cheat is a registered method, which is Assay's own code, it is run again.
"""

from contextlib import closing
from typing import NamedTuple

from assay.errors import IntegrityError, MethodError, NotHere, SpecError, storage
from assay.files import read_as
from assay.folders import remove
from assay.method.registry import REGISTERED
from assay.runs.collect import run as run_method
from assay.runs.result import Run
from assay.runs.store import HEAD, OUTPUTS, RunFolder, parse_run
from assay.study.records import BarsRecord, StudyRecords, SubmissionRecord
from assay.study.scorecards.store import load_result
from assay.study.study import StudyFolder


class ControlRun(NamedTuple):
    """The run of a revision's control; `again` if none was stored and it was run again."""

    run: Run
    again: bool = False


def keep_control(study: StudyFolder, bars: str, run: Run) -> dict[str, str]:
    """Store the run of a cheat, replacing leftovers of an interrupted revision; files by digest.

    The digests are of the bytes as written. Call it under the ledger's lock, for bars that have no
    entry yet.
    """
    place = study.path(f"controls/{bars}")
    with storage(place):
        remove(place)
    with closing(RunFolder(place)) as folder:
        folder.begin(run)
        for record in run.records:
            folder.add(record)
        folder.finish(run)
    return {f"controls/{bars}/{name}": made for name, made in folder.files.items()}


def load_control(
    study: StudyFolder, records: StudyRecords, record: BarsRecord, method: str, *, second: bool
) -> ControlRun:
    """The run of a revision's control: stored, or else a new run of a registered method.

    `second` says whether the superseded bars need the second corpus.
    """
    folder = f"controls/{record.task}-{record.version}"
    names = [f"{folder}/{name}" for name in (HEAD, OUTPUTS)]
    files, said = record.entry.files, record.entry.said
    if all(name in files for name in names):
        head, outputs = (read_as(study.root, name, files[name]) for name in names)
        return ControlRun(parse_run(study.path(folder), head, outputs))
    if "control" in said:
        cheat = _finished_before(records, said["control"], record)
        if cheat is None:
            raise IntegrityError(
                f"{record.path} has no stored control: {said['control']:.64} had no result then"
            )
        return ControlRun(load_result(study, cheat))
    led_to_it = _finished_before(records, said.get("after", ""), record)
    if led_to_it is not None:
        run = load_result(study, led_to_it)
        if run.method == method:
            return ControlRun(run)
    if method in REGISTERED:
        return ControlRun(_run_again(study, record, method, second=second), again=True)
    raise NotHere(
        f"the control of {record.path}, {method:.80}, is not stored, and Assay does not bundle it,"
        " so it cannot be run again"
    )


def _finished_before(
    records: StudyRecords, submission: str, bars: BarsRecord
) -> SubmissionRecord | None:
    """A submission that had a result when certain bars were entered."""
    record = records.submissions.get(submission)
    finished = record is not None and record.run is not None and record.run.n < bars.entry.n
    return record if finished else None


def _run_again(study: StudyFolder, record: BarsRecord, method: str, *, second: bool) -> Run:
    """Run a registered method as a revision does."""
    try:
        return run_method(method, study.benchmark(second=second), task=record.task)
    except (MethodError, SpecError) as error:
        raise NotHere(
            f"the control of {record.path} is not stored, and {method} cannot be run:"
            f" {error.message}"
        ) from None
