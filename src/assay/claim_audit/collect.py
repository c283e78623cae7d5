"""Audit claims: read them from files, check each against the evidence, judge the whole."""

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.check import check_claim
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.in_place import claims_in
from assay.claim_audit.judge import judge_claims
from assay.claim_audit.result import ClaimAudit
from assay.claim_audit.scan.mentions import coverage_of
from assay.claim_audit.spec import ClaimFile, check_ids, parse_claims
from assay.claim_audit.text_parts import LISTS, parts_of
from assay.digests import digest
from assay.errors import SpecError
from assay.files import read_bounded


def audit_claims(
    paths: Sequence[Path],
    *,
    root: Path | None = None,
    least_coverage: float | None = None,
    on_claim: Callable[[], None] | None = None,
) -> ClaimAudit:
    """Audit every claim in some files; paths in claims are relative to `root`.

    `least_coverage` is the share of the texts' numbers that must have a claim.
    """
    read = [(path, read_bounded(path, MAX_FILE_BYTES)) for path in paths]
    files = [claims_of(data, str(path)) for path, data in read]
    claims = tuple(claim for file in files for claim in file.claims)
    if not claims:
        names = ", ".join(str(path) for path in paths)
        raise SpecError(
            f"{names}: no claims",
            hint='Write one behind a number: <!-- claim: json_path_equals path="results.json"'
            ' key_path="auc" -->; or [[claim]] tables in a .toml file.',
        )
    check_ids(claims)
    gates = {name: limit for file in files for name, limit in file.gates.items()}
    with EvidenceReader(root or top_of(paths[0])) as evidence:
        results = []
        for claim in claims:
            results.append(check_claim(claim, evidence))
            if on_claim is not None:
                on_claim()
    texts = [part for path, data in read for part in parts_of(data, str(path))]
    return judge_claims(
        results,
        gates=gates,
        coverage=coverage_of(texts) if texts else None,
        least_coverage=least_coverage,
        digest=digest(b"".join(data for _, data in read)),
    )


def claims_of(data: bytes, where: str) -> ClaimFile:
    """The claims of one file: a claim file, or a text with claims in place."""
    if Path(where).suffix.lower() in LISTS:
        return parse_claims(data, where)
    found = [one for part in parts_of(data, where) for one in claims_in(*part)]
    return ClaimFile(claims=tuple(one.claim for one in found))


def top_of(path: Path) -> Path:
    """The folder for relative paths: the file's repository, or its own folder."""
    folder = path.resolve().parent
    for one in (folder, *folder.parents):
        if (one / ".git").exists():
            return one
    return folder
