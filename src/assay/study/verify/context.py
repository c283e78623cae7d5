"""The state that the steps of a verification share."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from assay.ledger.attestation import Attestation
from assay.ledger.certificate import AuthorityCertificate
from assay.ledger.chain import Chain
from assay.ledger.checkpoint import Checkpoint
from assay.ledger.note import VerifierKey
from assay.runs.collect import Listener
from assay.runs.result import Run
from assay.study.git import Repository
from assay.study.git_modules import NamedCommit
from assay.study.records import StudyRecords
from assay.study.study import StudyFolder
from assay.study.submissions.rerun import Rerun
from assay.study.submissions.sealed import SealedPrereg

View = Callable[[StudyFolder, StudyRecords], str]


class StepFinding(NamedTuple):
    """The finding of a step; `noted` marks one that is not a breach but that a reader must know."""

    text: str
    noted: bool = False


@dataclass(frozen=True, kw_only=True)
class Shown:
    """What a study is verified against: checkpoints, keys, a revision whose ledger it continues.

    `authorities` are those whose timestamps are accepted; none means those that the study pins.
    `rerun` names submissions to run again; empty means all of them, None means none.
    """

    checkpoints: tuple[Checkpoint, ...] = ()
    keys: tuple[VerifierKey, ...] = ()
    authorities: tuple[AuthorityCertificate, ...] = ()
    since: str | None = None
    rerun: tuple[str, ...] | None = None
    listener: Listener | None = None


@dataclass(kw_only=True)
class Verifying:
    """A study under verification, and what earlier steps have read and checked."""

    study: StudyFolder
    views: Mapping[str, View]
    shown: Shown
    repository: Repository | None
    named: tuple[NamedCommit, ...] = ()
    chain: Chain = field(default_factory=Chain)
    records: StudyRecords = field(default_factory=StudyRecords)
    attested: dict[int, Attestation] = field(default_factory=dict)
    sealed: dict[str, SealedPrereg] = field(default_factory=dict)
    runs: dict[str, Run] = field(default_factory=dict)
    reruns: list[Rerun] = field(default_factory=list)

    @property
    def place(self) -> str | None:
        """The path of the study in its repository."""
        return None if self.repository is None else self.repository.prefix

    @property
    def around(self) -> tuple[Repository, ...]:
        """The repositories around the study's own, and the study's path in each."""
        own = None if self.repository is None else self.repository.top
        tops = dict.fromkeys(each.repository.top for each in self.named)
        return tuple(
            Repository(top, self.study.root.resolve().relative_to(top).as_posix())
            for top in tops
            if own is not None and own != top and own.is_relative_to(top)
        )
