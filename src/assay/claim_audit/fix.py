"""Rewrite the numbers that claims cover to what is there."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assay.bounds import MAX_FILE_BYTES
from assay.claim_audit.check import check_claim
from assay.claim_audit.collect import read_texts
from assay.claim_audit.document import LISTS
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.in_place import Covered
from assay.claim_audit.patch import patch_of, write_text
from assay.claim_audit.reprint import reprinted
from assay.claim_audit.result import ClaimResult, ClaimVerdict, told_of
from assay.errors import SpecError
from assay.files import read_bounded
from assay.result import Result
from assay.wording import counted


class LeftClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that does not hold and that no other number can mend, and why."""

    id: str
    place: str
    why: str


class ClaimFix(Result, frozen=True, kw_only=True):
    """Numbers of some texts that were, or would be, rewritten; and the claims that are left.

    Example:
        >>> import assay
        >>> from pathlib import Path
        >>> _ = Path("rows.csv").write_text("id\\n1\\n2\\n")
        >>> comment = '<!-- claim: aggregate_equals path="rows.csv" statistic="count" -->'
        >>> _ = Path("README.md").write_text(f"There are three {comment} rows.")
        >>> assay.fix_claims("README.md").sentence
        '1 number changes (not written: write=True)'
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
            return "no claims"
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
    """Rewrite every covered number that fails, in the form that it is printed in."""
    patches, left, changed, claims = [], [], 0, 0
    for path in paths:
        if path.suffix.lower() in LISTS:
            raise SpecError(f"{path}: a list of claims, expected a text")
        data = read_bounded(path, MAX_FILE_BYTES)
        old = data.decode()
        for text in read_texts(data, str(path)):
            edits, own_left = _edits(text.covered, evidence)
            claims += len(text.covered)
            left += own_left
            if not edits:
                continue
            if text.document.text != old:
                left += [_left(one.claim.id, one.claim.place, "in a notebook") for one, _ in edits]
                continue
            changed += len(edits)
            new = edited(old, edits)
            patches.append(patch_of(path, old, new))
            if write:
                write_text(path, new)
    return ClaimFix(
        claims=claims,
        changed=changed,
        left=tuple(left),
        patch="".join(patches),
        written=write and changed > 0,
    )


def _edits(
    covered: Sequence[Covered], evidence: EvidenceReader
) -> tuple[list[tuple[Covered, str]], list[LeftClaim]]:
    """The numbers to print instead, one for each place; and the claims that are left."""
    edits: dict[tuple[int, int], tuple[Covered, str]] = {}
    left = []
    for one in covered:
        checked = check_claim(one.claim, evidence)
        if one.claim.control or checked.stands:
            continue
        printed = _instead(one, checked)
        known = edits.get((one.start, one.end))
        if printed is None or (known is not None and known[1] != printed):
            left.append(_left(one.claim.id, one.claim.place, told_of(checked)))
        else:
            edits[one.start, one.end] = one, printed
    return list(edits.values()), left


def _instead(one: Covered, checked: ClaimResult) -> str | None:
    """The number to print; None if the claim is of another kind, or its value is not to be had."""
    is_equality = one.claim.args.get("op", "==") == "=="
    failed = checked.verdict is ClaimVerdict.FAILS and checked.evidence.observed
    if one.claim.printed is None or not is_equality or not failed:
        return None
    percent = one.claim.args.get("percent") is True
    return reprinted(one.claim.printed, checked.evidence.got, percent=percent)


def _left(name: str, place: str, why: str) -> LeftClaim:
    return LeftClaim(id=name, place=place, why=why)


def edited(text: str, edits: Sequence[tuple[Covered, str]]) -> str:
    """A text with other numbers in the places of claims."""
    for one, printed in sorted(edits, key=lambda edit: -edit[0].start):
        text = text[: one.start] + printed + text[one.end :]
    return text
