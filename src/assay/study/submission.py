"""Submissions and bar versions as records; `submission_reader` reads them from a study."""

from enum import StrEnum

import msgspec

from assay.benchmark.task import Task
from assay.gauntlet.result import Judgement
from assay.study.predictions.grade import Grade


class Status(StrEnum):
    """The stage that a submission has reached."""

    SEALED = "sealed"
    STARTED = "started, no result"
    FINISHED = "finished"


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """A sealed submission. `original` is the version of the bars that was sealed with it.

    The entries are numbers of lines in the ledger; `witness` is the commit that held the seal
    before the run began.
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

    def under(self, version: str) -> Judgement | None:
        """Its judgement under one version of the bars."""
        return next((made for made in self.judgements if made.bars == version), None)


class Version(msgspec.Struct, frozen=True, kw_only=True):
    """A version of the bars: the entry that brought it, why, and after which submission.

    `cheat` is the method that met every bar of the version before it.
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
