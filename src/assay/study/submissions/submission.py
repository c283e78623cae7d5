"""Submissions and bar versions as records, read from the files of a study."""

from enum import StrEnum

import msgspec

from assay.benchmark.benchmark import Task
from assay.errors import AssayError
from assay.gauntlet.result import Judgement
from assay.method.classes import method_class
from assay.study.predictions.grade import Grade
from assay.study.records import StudyRecords, SubmissionRecord, Unreadable
from assay.study.scorecards.store import load_version, read_grade, read_judgement
from assay.study.study import StudyFolder
from assay.study.submissions.bars_in_force import read_seal


class Status(StrEnum):
    """The stage that a submission has reached."""

    SEALED = "sealed"
    WITHDRAWN = "withdrawn"
    STARTED = "started, no result"
    FINISHED = "finished"


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """A sealed submission. `original` is the version of the bars that was sealed with it.

    Entries are line numbers in the ledger; `witness` is the commit that held the seal before the
    run began, `because` the reason of a withdrawal. `method_class` is the class of method that its
    reference tells, or else its seal; None if neither does.
    """

    id: str
    method: str
    task: Task
    status: Status
    seal: str
    witness: str | None
    original: str
    sealed_by: int
    started_by: int | None
    finished_by: int | None
    graded_by: int | None
    judgements: tuple[Judgement, ...]
    grade: Grade | None
    because: str | None = None
    method_class: str | None = None

    def under(self, version: str) -> Judgement | None:
        """Its judgement under one version of the bars."""
        return next((made for made in self.judgements if made.bars == version), None)


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A version of the bars: its entry, its reason, and the submission that led to it.

    `cheat` is the method that met every bar of the version before.
    """

    task: Task
    version: str
    digest: str
    entry: int
    because: str
    after: str | None
    supersedes: str | None
    cheat: str | None
    bars: tuple[str, ...]


def submissions_of(
    study: StudyFolder, records: StudyRecords
) -> tuple[list[Submission], tuple[Unreadable, ...]]:
    """Every sealed submission, in the order of the seals, and the unreadable ones."""
    read: list[Submission] = []
    unreadable: list[Unreadable] = []
    for record in records.submissions.values():
        try:
            read.append(_submission(study, records, record))
        except AssayError as error:
            unreadable.append(Unreadable(submission=record.id, why=error.message))
    return read, tuple(unreadable)


def versions_of(study: StudyFolder, records: StudyRecords) -> list[Version]:
    """Every version of the bars, oldest first."""
    versions = []
    for record in records.bars:
        bars = load_version(study, record)
        versions.append(
            Version(
                task=record.task,
                version=record.version,
                digest=record.digest,
                entry=record.entry.n,
                because=bars.because,
                after=record.entry.said.get("after") or None,
                supersedes=bars.supersedes,
                cheat=record.entry.said.get("cheat") or None,
                bars=tuple(bar.id for bar in bars.bars),
            )
        )
    return versions


def _submission(study: StudyFolder, records: StudyRecords, record: SubmissionRecord) -> Submission:
    seal = read_seal(study, record)
    withdrawn = record.withdrawn
    unstarted = Status.SEALED if withdrawn is None else Status.WITHDRAWN
    status = unstarted if record.started is None else Status.STARTED
    order = [version.version for version in records.versions(seal.task)]
    judged = {name: read_judgement(study, entry) for name, entry in record.scores.items()}
    witness = None if record.started is None else record.started.said.get("witness")
    return Submission(
        id=record.id,
        method=seal.method,
        task=seal.task,
        status=status if record.run is None else Status.FINISHED,
        seal=next(iter(record.seal.files.values())),
        witness=None if witness in (None, "none") else witness,
        original=seal.bars_version,
        sealed_by=record.seal.n,
        started_by=None if record.started is None else record.started.n,
        finished_by=None if record.run is None else record.run.n,
        graded_by=None if record.grade is None else record.grade.n,
        judgements=tuple(judged[name] for name in order if name in judged),
        grade=None if record.grade is None else read_grade(study, record.grade),
        because=None if withdrawn is None else withdrawn.said["because"],
        method_class=method_class(seal.method) or seal.method_class,
    )
