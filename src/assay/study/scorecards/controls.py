"""The regression controls of a study's revisions: the runs of the cheats, kept and read back.

A cheat that is a submission has its run already. The run of any other is stored beside the bars,
under `controls/TASK-VERSION/`, and the entry of the bars names it.
"""

from assay.digests import digest
from assay.errors import IntegrityError, storage
from assay.files import read_as, read_inside
from assay.folders import remove
from assay.runs.result import Run
from assay.runs.store import load_run, save_run
from assay.study.entries import BarsRecord, StudyRecords, control_files
from assay.study.scorecards.store import load_result
from assay.study.study import Study


def keep_control(study: Study, bars: str, run: Run) -> dict[str, str]:
    """Store the run of a cheat; its files by digest. What an interrupted revision left is replaced.

    To be called under the ledger's lock, for bars that no entry has.
    """
    folder = study.path(f"controls/{bars}")
    with storage(folder):
        remove(folder)
    save_run(run, folder)
    return {name: digest(read_inside(study.root, name)) for name in control_files(bars)}


def load_control(study: Study, records: StudyRecords, record: BarsRecord) -> Run:
    """The stored run of a revision's control."""
    said = record.entry.said
    name = f"{record.task}-{record.version}"
    stored = [path for path in control_files(name) if path in record.entry.files]
    if stored:
        for path in stored:
            read_as(study.root, path, record.entry.files[path])
        return load_run(study.path(f"controls/{name}"))
    submission = said.get("control") or said.get("after")
    if submission is None:
        raise IntegrityError(f"{record.path} came with no stored control")
    other = records.submissions.get(submission)
    if other is None or other.run is None or other.run.n > record.entry.n:
        raise IntegrityError(
            f"{record.path} came with no stored control: {submission:.64} had no result then"
        )
    return load_result(study, other)
