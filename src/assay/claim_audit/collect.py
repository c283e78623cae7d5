"""Audit claims: read them from files, check each against the evidence, judge the whole."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.judge import judge_claims
from assay.claim_audit.result import ClaimAudit
from assay.claim_audit.spec import ClaimFile, check_ids, parse_claims
from assay.claim_audit.texts.coverage import coverage_of, quoted_spans
from assay.claim_audit.texts.document import LISTS, Document, documents_in
from assay.claim_audit.texts.in_place import Covered, claims_in
from assay.digests import digest
from assay.errors import SpecError
from assay.files import read_bounded


@dataclass(frozen=True, kw_only=True)
class ReadText:
    """A text and the claims that it makes in place."""

    document: Document
    covered: tuple[Covered, ...]


def audit_claims(
    paths: Sequence[Path],
    *,
    root: Path | None = None,
    least_coverage: float | None = None,
    allow_commands: bool = False,
    on_claim: Callable[[], None] | None = None,
) -> ClaimAudit:
    """The audit of every claim in some files; `root` is the folder that their paths start from.

    `least_coverage` is the share of the texts' numbers that claims must cover. Commands are run
    only if they are allowed.
    """
    read = [(path, read_bounded(path, MAX_FILE_BYTES)) for path in paths]
    lists = [parse_claims(data, str(path)) for path, data in read if is_list(path)]
    texts = [text for path, data in read for text in read_texts(data, str(path))]
    claims = tuple(
        [claim for file in lists for claim in file.claims]
        + [one.claim for text in texts for one in text.covered]
    )
    _check_asked(claims, paths, texts, least_coverage)
    check_ids(claims)
    with EvidenceReader(root or top_of(paths[0]), allow_commands=allow_commands) as evidence:
        results = []
        for claim in claims:
            results.append(check_claim(claim, evidence))
            if on_claim is not None:
                on_claim()
    listed = [claim for file in lists for claim in file.claims if not claim.control]
    coverage = coverage_of(
        (text.document, [*_spans(text), *quoted_spans(listed, text.document)]) for text in texts
    )
    return judge_claims(
        results,
        gates=_gates(lists),
        coverage=coverage if texts else None,
        least_coverage=least_coverage,
        digest=digest(b"".join(data for _, data in read)),
    )


def read_texts(data: bytes, where: str) -> list[ReadText]:
    """The texts of a file, each with its claims; none for a list of claims."""
    return [
        ReadText(document=document, covered=tuple(claims_in(document)))
        for document in documents_in(data, where)
    ]


def is_list(path: Path) -> bool:
    """Whether a file is a list of claims, not a text."""
    return path.suffix.lower() in LISTS


def top_of(path: Path) -> Path:
    """The folder that paths start from: the repository that a file lies in, or its own folder."""
    folder = path.resolve().parent
    for one in (folder, *folder.parents):
        if (one / ".git").exists():
            return one
    return folder


def _spans(text: ReadText) -> list[tuple[int, int]]:
    return [(one.start, one.end) for one in text.covered if not one.claim.control]


def _gates(lists: Sequence[ClaimFile]) -> Mapping[str, int]:
    """The kill-gates of all files; of two with one name, the stricter."""
    gates: dict[str, int] = {}
    for file in lists:
        for name, limit in file.gates.items():
            gates[name] = min(limit, gates.get(name, limit))
    return gates


def _check_asked(
    claims: Sequence[Claim],
    paths: Sequence[Path],
    texts: Sequence[ReadText],
    least_coverage: float | None,
) -> None:
    if not claims:
        names = ", ".join(str(path) for path in paths)
        raise SpecError(
            f"{names}: no claims",
            hint='Write one behind a number: <!-- claim: json_path_equals path="results.json"'
            ' key_path="auc" -->; or [[claim]] tables in a .toml file. `assay claims scan DOC`'
            " proposes some.",
        )
    if least_coverage is not None and not texts:
        raise SpecError("coverage is of texts, and only lists of claims are named")
