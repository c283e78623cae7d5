"""A submission as its records give it: what was sealed, and what came of it."""

from enum import StrEnum

import msgspec

from assay.benchmark.task import Task
from assay.gauntlet.result import Judgement
from assay.study.predictions.grade import Grade


class Status(StrEnum):
    """How far a submission has come."""

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
        """What it is worth under one version of the bars."""
        return next((one for one in self.judgements if one.bars == version), None)


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
