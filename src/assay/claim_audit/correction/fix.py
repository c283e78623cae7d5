"""Rewrite the numbers that claims cover to what is there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.collect import read_texts
from assay.claim_audit.correction.corrected import LeftClaim, corrected
from assay.claim_audit.correction.patch import patch_of, write_text
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.texts.document import LISTS
from assay.errors import SpecError
from assay.files import read_bounded
from assay.result import Result
from assay.wording import counted


class ClaimFix(Result, frozen=True, kw_only=True):
    """Numbers of some texts that were, or would be, rewritten; and the claims that are left.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> _ = Path("rows.csv").write_text("id\\n1\\n2\\n")
        >>> comment = '<!-- claim: aggregate_equals path="rows.csv" statistic="count" -->'
        >>> _ = Path("README.md").write_text(f"There are three {comment} rows.")
        >>> assay.fix_claims("README.md").sentence
        '1 number changes (not written: `write=True`)'
    """

    claims: int
    changed: int
    left: tuple[LeftClaim, ...]
    patch: str
    written: bool

    @property
    def favourable(self) -> bool:
        """Whether nothing is left to mend."""
        return not self.left

    @property
    def sentence(self) -> str:
        """What changes, and what is left."""
        if not self.claims:
            return "no claims to correct; `assay claims scan DOC` proposes some"
        changes = "changed" if self.written else "changes" if self.changed == 1 else "change"
        told = f"{counted(self.changed, 'number')} {changes}" if self.changed else "nothing changes"
        if self.changed and not self.written:
            told += " (not written: `write=True`)"
        if self.left:
            return f"{told}; {counted(len(self.left), 'claim')} cannot be mended here"
        return told if self.changed else "nothing changes: every claim holds"

    def to_rows(self) -> list[dict[str, Any]]:
        """One row for each claim that is left."""
        return [{"id": one.id, "place": one.place, "why": one.why} for one in self.left]

    def lines(self) -> Sequence[str]:
        """What changes, and the claims that are left."""
        return (self.sentence, *(f"{one.id}: {one.why}" for one in self.left[:8]))


def fix_texts(paths: Sequence[Path], evidence: EvidenceReader, *, write: bool) -> ClaimFix:
    """Correct every covered number that fails, in the form that it is printed in."""
    left: list[LeftClaim] = []
    patches, changed, claims = [], 0, 0
    for path in paths:
        if path.suffix.lower() in LISTS:
            raise SpecError(
                f"{path}: a list of claims, expected a text",
                hint="Name the text that makes the claims: README.md",
            )
        data = read_bounded(path, MAX_FILE_BYTES)
        for text in read_texts(data, str(path)):
            made = corrected(text.document, text.covered, evidence)
            claims += len(text.covered)
            left += made.left
            if not made.changed:
                continue
            if path.suffix.lower() == ".ipynb":
                why = f"{counted(made.changed, 'number')} to mend: notebooks are not rewritten"
                left.append(LeftClaim(id=text.document.place, place=text.document.place, why=why))
                continue
            changed += made.changed
            patches.append(patch_of(path, text.document.text, made.text))
            if write:
                write_text(path, made.text)
    return ClaimFix(
        claims=claims,
        changed=changed,
        left=tuple(left),
        patch="".join(patches),
        written=write and changed > 0,
    )
