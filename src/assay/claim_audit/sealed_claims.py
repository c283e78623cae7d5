"""Claims of a study: sealed with what is predicted of each, and graded once.

The files of claims are copied into the study and entered in its ledger before anything is checked.
Grading checks the sealed copies, against the artifacts as they are then; the audit is stored and
entered, also if claims fail.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.collect import audit_claims, is_list, read_texts, top_of
from assay.claim_audit.result import ClaimAudit
from assay.claim_audit.spec import check_ids, parse_claims
from assay.errors import SpecError
from assay.files import read_bounded
from assay.result import Result
from assay.study.graded_once.store import grade_once, seal_files, stored_names
from assay.study.records import GradedOnce
from assay.study.study import StudyFolder
from assay.wording import counted

KIND = "claims"


class SealedClaims(Result, frozen=True, kw_only=True):
    """Claims that were sealed in a study: their files, and how many say what they predict."""

    name: str
    files: tuple[str, ...]
    claims: int
    predicted: int
    entry: int

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each file."""
        return [{"name": self.name, "file": file, "entry": self.entry} for file in self.files]

    def lines(self) -> list[str]:
        """What was sealed, and how to grade it."""
        return [
            f"{self.name} is sealed: entry {self.entry}, {counted(self.claims, 'claim')},"
            f" {self.predicted} with a prediction"
        ]


def seal_claims(study: StudyFolder, paths: Sequence[Path], name: str) -> SealedClaims:
    """Copy files of claims into the study, and enter them in its ledger."""
    read = {path.name: read_bounded(path, MAX_FILE_BYTES) for path in paths}
    files = stored_names(KIND, name, read)
    if len(read) < len(paths):
        raise SpecError("two files have the same name", hint="Give one of them another name.")
    claims = tuple(
        claim
        for own, data in read.items()
        for claim in (
            parse_claims(data, own).claims
            if is_list(Path(own))
            else [one.claim for text in read_texts(data, own) for one in text.covered]
        )
    )
    unread = [claim for claim in claims if claim.refused is not None]
    if unread:
        raise SpecError(f"{unread[0].place}: {unread[0].refused}")
    check_ids(claims)
    predicted = sum(claim.predicted is not None for claim in claims)
    if not predicted:
        raise SpecError(
            "no claim says what is predicted of it",
            hint='Add predicted = "holds" or "fails", and confidence = 0.9, to a claim.',
        )
    entry = seal_files(study, KIND, name, read)
    return SealedClaims(
        name=name,
        files=tuple(sorted(files)),
        claims=len(claims),
        predicted=predicted,
        entry=entry.n,
    )


def grade_claims(
    study: StudyFolder,
    name: str,
    *,
    root: Path | None = None,
    allow_commands: bool = False,
    on_claim: Callable[[], None] | None = None,
) -> ClaimAudit:
    """Check sealed claims, once; the audit is stored and entered in the ledger."""

    def check(record: GradedOnce) -> ClaimAudit:
        return audit_claims(
            [study.path(file) for file in sorted(record.seal.files)],
            root=root or top_of(study.root / "study.toml"),
            allow_commands=allow_commands,
            on_claim=on_claim,
        )

    return grade_once(study, KIND, name, check)
