"""Does the text match the artifacts: check claims, find numbers without one, mend the text."""

from collections.abc import Callable, Sequence
from pathlib import Path

from assay.api.arguments import in_range
from assay.claim_audit.collect import audit_claims, top_of
from assay.claim_audit.correction.fix import ClaimFix, fix_texts
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.result import ClaimAudit
from assay.claim_audit.scan.propose import propose_claims
from assay.claim_audit.scan.scan import ClaimScan, scan_texts
from assay.errors import SpecError, StorageError, storage
from assay.files import how_to_find, named_path


def claims(
    *sources: str | Path,
    root: str | Path | None = None,
    min_coverage: float | None = None,
    allow_commands: bool = False,
) -> ClaimAudit:
    """Check every claim of some files, and show that each check can fail.

    A claim holds, fails, or is unverifiable. Each claim that holds is altered (numbers one up and
    one down, texts changed, relations turned round), and every altered claim must fail. A claim
    with an altered one that holds is vacuous, and does not count as holding.

    Args:
        sources: claim files (.toml, .json), and texts with claims in place (.md, .rst, .tex,
            .ipynb).
        root: the folder that paths in claims start from. Default: the repository.
        min_coverage: the share of the texts' numbers that claims must cover.
        allow_commands: run the commands of `command_output_equals`, confined. Default: such claims
            are unverifiable.

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
    return check_claims(sources, _root(root), min_coverage, allow_commands=allow_commands)


def check_claims(
    paths: Sequence[str | Path],
    root: Path | None,
    min_coverage: float | None,
    *,
    allow_commands: bool = False,
    on_claim: Callable[[], None] | None = None,
) -> ClaimAudit:
    """The audit, with a step after each claim."""
    return audit_claims(
        _paths(paths),
        root=root,
        least_coverage=min_coverage,
        allow_commands=allow_commands,
        on_claim=on_claim,
    )


def scan_claims(
    *sources: str | Path, root: str | Path | None = None, write: bool = False
) -> ClaimScan:
    """Find the numbers of some texts that no claim covers, with what could cover each.

    Args:
        sources: the texts.
        root: the folder to look for values in. Default: the repository.
        write: write a claim behind each number that exactly one value equals.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> _ = Path("results.json").write_text('{"auc": 0.8938}')
        >>> _ = Path("README.md").write_text("The AUC is 0.894.")
        >>> print(assay.scan_claims("README.md"))
        0 of 1 numbers have a claim (0%); 1 claim proposed (`write=True`)
        README.md:1: 0.894 (0.8938 in results.json)

    """
    paths = _paths(sources)
    scan = scan_texts(paths, _root(root) or top_of(paths[0]))
    return propose_claims(scan, paths, write=write)


def fix_claims(
    *sources: str | Path,
    root: str | Path | None = None,
    write: bool = False,
    allow_commands: bool = False,
) -> ClaimFix:
    """Rewrite the numbers that claims cover to what is there, in the form they are printed in.

    Args:
        sources: the texts.
        root: the folder that paths in claims start from. Default: the repository.
        write: write the files. Default: only give the patch.
        allow_commands: run the commands of `command_output_equals`, confined.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> _ = Path("rows.csv").write_text("id\\n1\\n2\\n")
        >>> comment = '<!-- claim: aggregate_equals path="rows.csv" statistic="count" -->'
        >>> _ = Path("README.md").write_text(f"There are three {comment} rows.")
        >>> assay.fix_claims("README.md", write=True).changed
        1
        >>> Path("README.md").read_text()[:13]
        'There are two'

    """
    paths = _paths(sources)
    top = _root(root) or top_of(paths[0])
    with EvidenceReader(top, allow_commands=allow_commands) as evidence:
        return fix_texts(paths, evidence, write=write)


def _paths(sources: Sequence[str | Path]) -> list[Path]:
    if not sources:
        raise SpecError("no file is named", hint="Name a text or a list of claims: README.md")
    paths = [named_path(source, "sources") for source in sources]
    for path in paths:
        with storage(path):
            if not path.exists():
                raise StorageError(
                    f"{path}: No such file or directory",
                    hint=how_to_find(path),
                )
    return paths


def _root(root: str | Path | None) -> Path | None:
    return None if root is None else Path(root)
