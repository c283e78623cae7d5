"""Audit claims: read them from files, check each against the evidence, judge the whole."""

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import Evidence
from assay.claim_audit.in_place import claims_in, notebook_texts
from assay.claim_audit.judge import judge_claims
from assay.claim_audit.result import ClaimAudit
from assay.claim_audit.spec import ClaimFile, check_ids, parse_claims
from assay.digests import decode_utf8, digest
from assay.errors import SpecError
from assay.files import read_bounded

_LISTS = (".toml", ".json")
_TEXTS = (".md", ".markdown", ".html", ".rst", ".tex", ".ipynb")


def audit_claims(
    paths: Sequence[Path],
    *,
    root: Path | None = None,
    on_claim: Callable[[], None] | None = None,
) -> ClaimAudit:
    """The audit of every claim in some files; `root` is the folder that their paths start from."""
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
    with Evidence(root or top_of(paths[0])) as evidence:
        results = []
        for claim in claims:
            results.append(check_claim(claim, evidence))
            if on_claim is not None:
                on_claim()
    return judge_claims(results, gates=gates, digest=digest(b"".join(data for _, data in read)))


def claims_of(data: bytes, where: str) -> ClaimFile:
    """The claims of one file: a list of them, or a text that makes them in place."""
    suffix = Path(where).suffix.lower()
    if suffix in _LISTS:
        return parse_claims(data, where)
    if suffix not in _TEXTS:
        known = ", ".join((*_LISTS, *_TEXTS))
        raise SpecError(f"{where}: claims are read from {known}")
    text = decode_utf8(data, where=where)
    claims: list[Claim] = []
    if suffix == ".ipynb":
        for place, part in notebook_texts(text, where):
            claims += [one.claim for one in claims_in(part, place, ".md")]
    else:
        claims = [one.claim for one in claims_in(text, where, suffix)]
    return ClaimFile(claims=tuple(claims))


def top_of(path: Path) -> Path:
    """The folder that paths start from: the repository that a file lies in, or its own folder."""
    folder = path.resolve().parent
    for one in (folder, *folder.parents):
        if (one / ".git").exists():
            return one
    return folder
