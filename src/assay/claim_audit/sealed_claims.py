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
from assay.digests import digest, is_name, pretty_json
from assay.errors import AlreadyRun, AlreadySealed, DigestMismatch, NotSealed, SpecError, storage
from assay.files import is_record_path, read_bounded, write_whole
from assay.result import Result
from assay.study.entries import enter, read_records, records_of
from assay.study.entry_readers import claims_audit_file
from assay.study.records import ClaimsRecord
from assay.study.study import StudyFolder
from assay.study.verify.claim_records import sealed_contents
from assay.wording import counted, some

FORMAT = "assay-claims/1"


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
    if not is_name(name):
        raise SpecError(
            f"{name!r:.80} is not a valid name", hint="Use small letters, digits, '-' and '_'."
        )
    read = {path.name: read_bounded(path, MAX_FILE_BYTES) for path in paths}
    files = {f"claims/{name}/{own}": data for own, data in read.items()}
    wrong = [one for one in files if not is_record_path(one) or one == claims_audit_file(name)]
    if wrong or len(read) < len(paths):
        raise SpecError(
            f"{wrong[0]!r:.80} cannot be stored" if wrong else "two files have the same name",
            hint="Give the file another name.",
        )
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
    with study.ledger as ledger:
        known = read_records(ledger.entries).claims.get(name)
        if known is not None:
            raise AlreadySealed(
                f"the claims {name} were sealed by entry {known.seal.n}",
                hint="Seal other claims under another name.",
            )
        for inner, data in files.items():
            path = study.path(inner)
            with storage(path):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, data)
        entry = enter(
            ledger, "claims-seal", name, files={one: digest(data) for one, data in files.items()}
        )
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
    record = _ungraded(name, records_of(study).claims)
    sealed = digest(b"".join(sealed_contents(study.root, record)))
    audit = audit_claims(
        [study.path(file) for file in sorted(record.seal.files)],
        root=root or top_of(study.root / "study.toml"),
        allow_commands=allow_commands,
        on_claim=on_claim,
    )
    if digest(b"".join(sealed_contents(study.root, record))) != sealed:
        raise DigestMismatch(f"the claims {name} changed while they were checked")
    stored = claims_audit_file(name)
    data = pretty_json({"format": FORMAT, "name": name, "sealed": sealed, "audit": audit.to_dict()})
    with study.ledger as ledger:
        _ungraded(name, read_records(ledger.entries).claims)
        write_whole(study.path(stored), data)
        enter(ledger, "claims", name, files={stored: digest(data)})
    return audit


def _ungraded(name: str, known: dict[str, ClaimsRecord]) -> ClaimsRecord:
    if name not in known:
        sealed = f"; sealed are {some(sorted(known))}" if known else ""
        raise NotSealed(
            f"no claims {name!r:.80} are sealed{sealed}",
            hint="Seal them first: assay claims seal FILE `name=NAME`",
        )
    record = known[name]
    if record.audit is not None:
        raise AlreadyRun(
            f"the claims {name} were graded by entry {record.audit.n}",
            hint=f"The audit is in {claims_audit_file(name)}.",
        )
    return record
