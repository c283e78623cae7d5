"""What the steps of a verification hand to each other."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.ledger.chain import Chain
from assay.ledger.checkpoint import Checkpoint
from assay.ledger.note import VerifierKey
from assay.runs.result import Run
from assay.study.entries import StudyRecords
from assay.study.git import Repository
from assay.study.study import Study
from assay.study.submissions.sealed import SealedPrereg

View = Callable[[Study, StudyRecords], str]


class Found(NamedTuple):
    """What a step found; `noted` marks what a reader should know although nothing is broken."""

    said: str
    noted: bool = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What is held against a study: checkpoints, keys, a revision whose ledger it must continue."""

    checkpoints: tuple[Checkpoint, ...] = ()
    keys: tuple[VerifierKey, ...] = ()
    since: str | None = None
    rerun: bool = False


@dataclass(kw_only=True)
class Verifying:
    """A study under verification, and what earlier steps have read and checked."""

    study: Study
    views: Mapping[str, View]
    shown: Shown
    repository: Repository | None
    chain: Chain = field(default_factory=Chain)
    records: StudyRecords = field(default_factory=StudyRecords)
    sealed: dict[str, SealedPrereg] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
