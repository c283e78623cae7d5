"""Does the text match the artifacts: check claims, find numbers without one, correct the text."""

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.api.arguments import in_range
from assay.claim_audit.collect import audit_claims, top_of
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.fix import corrected
from assay.claim_audit.result import ClaimAudit
from assay.claim_audit.scan.scan import ClaimScan, scan_texts
from assay.digests import decode_utf8
from assay.errors import SpecError
from assay.files import read_bounded

_MOST_BYTES = 16 << 20


def claims(
    *sources: str | Path,
    root: str | Path | None = None,
    min_coverage: float | None = None,
) -> ClaimAudit:
    """Check every claim of some files, and show that each check can fail.

    A claim holds, fails, or is unverifiable. Each claim that holds is altered (numbers one up and
    one down, texts changed, relations reversed), and every altered claim must fail. If an altered
    claim holds too, the claim is vacuous, and does not count as holding.

    Args:
        sources: claim files (.toml, .json), and texts with claims in place (.md, .rst, .tex,
            .ipynb).
        root: the folder that paths in claims are relative to. Default: the repository.
        min_coverage: the share of the texts' numbers that must have a claim.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> _ = Path("results.json").write_text('{"auc": 0.8938}')
        >>> comment = '<!-- claim: json_path_equals path="results.json" key_path="auc" -->'
        >>> _ = Path("README.md").write_text(f"The AUC is 0.894 {comment}.")
        >>> audit = assay.claims("README.md")
        >>> audit.verdict.value, audit.claims[0].evidence.got
        ('holds', 0.8938)

    """
    in_range("min_coverage", min_coverage, 0.0, 1.0)
    return check_claims([Path(source) for source in sources], _root(root), min_coverage)


def check_claims(
    paths: Sequence[Path],
    root: Path | None,
    min_coverage: float | None,
    on_claim: Callable[[], None] | None = None,
) -> ClaimAudit:
    """The audit, with a step after each claim."""
    if not paths:
        raise SpecError("no file with claims", hint="Name one: assay claims README.md")
    return audit_claims(paths, root=root, least_coverage=min_coverage, on_claim=on_claim)


def scan_claims(*sources: str | Path, root: str | Path | None = None) -> ClaimScan:
    """Find the numbers of some texts without a claim, with candidates for each."""
    paths = [Path(source) for source in sources]
    if not paths:
        raise SpecError("no text to scan", hint="Name one: assay claims scan README.md")
    return scan_texts(paths, _root(root) or top_of(paths[0]))


def fixed_text(path: Path, root: Path | None) -> tuple[str, str]:
    """A text, and the same text with every covered number that fails corrected."""
    text = decode_utf8(read_bounded(path, _MOST_BYTES), where=str(path))
    with EvidenceReader(root or top_of(path)) as evidence:
        return text, corrected(text, str(path), path.suffix, evidence)


def _root(root: str | Path | None) -> Path | None:
    return None if root is None else Path(root)
