"""Parts of steps 4 and 5: sealed files of claims, and the audits that graded them."""

from pathlib import Path

from assay.digests import digest, parse_object
from assay.errors import IntegrityError
from assay.files import read_as
from assay.study.entry_readers import claims_audit_file
from assay.study.records import ClaimsRecord, StudyRecords


def sealed_contents(root: Path, record: ClaimsRecord) -> list[bytes]:
    """The files of claims, which must be as they were sealed, in the order of their names."""
    files = record.seal.files
    return [read_as(root, name, files[name]) for name in sorted(files)]


def check_sealed_claims(root: Path, records: StudyRecords) -> int:
    """How many files of claims are as they were sealed."""
    return sum(len(sealed_contents(root, record)) for record in records.claims.values())


def check_claim_audits(root: Path, records: StudyRecords) -> int:
    """How many audits are as they were entered, and of the claims that were sealed."""
    graded = [record for record in records.claims.values() if record.audit is not None]
    for record in graded:
        assert record.audit is not None  # noqa: S101 - filtered above
        name = claims_audit_file(record.name)
        audit = parse_object(read_as(root, name, record.audit.files[name]), where=name)
        sealed = digest(b"".join(sealed_contents(root, record)))
        if audit.get("sealed") != sealed or audit.get("name") != record.name:
            raise IntegrityError(f"{name}: entry {record.audit.n} grades other claims than sealed")
    return len(graded)
