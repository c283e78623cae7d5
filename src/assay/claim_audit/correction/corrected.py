"""Correct the numbers of one text that claims cover, and say which could not be."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

import msgspec

from assay.claim_audit.check import check_claim, compared
from assay.claim_audit.checkers.table import checker_named
from assay.claim_audit.claim import Claim
from assay.claim_audit.correction.pieces import edited_pieces
from assay.claim_audit.correction.reprint import other_power, other_sign, reprinted
from assay.claim_audit.correction.siblings import other_choice
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.result import ClaimResult, ClaimVerdict, told_of
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.in_place import Covered, claims_in
from assay.claim_audit.texts.printed_tables import Rows, parse_table, retyped_table, same_cell

_SAID_WITHIN = 800
"""Characters behind a number within which its comment may name it."""


class LeftClaim(msgspec.Struct, frozen=True, kw_only=True):
    """A claim that does not stand in the corrected text, and why its number was left as it is."""

    id: str
    place: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """A text with the numbers that could be mended, and the claims that still do not stand."""

    text: str
    changed: int
    left: tuple[LeftClaim, ...]


def corrected(
    document: Document, covered: Sequence[Covered], evidence: EvidenceReader
) -> Corrected:
    """A text with every covered number that fails printed as it is, at the same precision.

    Controls, and numbers that are claimed to be a bound, are not rewritten. Each new number is read
    again in its place: if its claim would not hold, the old one is left and listed.
    """
    results = [check_claim(one.claim, evidence) for one in covered]
    edits, why = _edits(document, covered, results, evidence)
    while True:
        text = _edited(document, covered, edits)
        new = Document(text, document.place, document.suffix)
        again = claims_in(new)
        results = [check_claim(one.claim, evidence) for one in again]
        wrong = list(edits)
        if len(again) == len(covered):
            wrong = _wrong(covered, again, results, edits)
        if not wrong:
            return Corrected(text=new.text, changed=len(edits), left=_left(results, why))
        for n in wrong:
            why[n] = f"{edits.pop(n)!r:.60} in its place would not be a claim that holds"


def _edits(
    document: Document,
    covered: Sequence[Covered],
    results: Sequence[ClaimResult],
    evidence: EvidenceReader,
) -> tuple[dict[int, str], dict[int, str]]:
    """The new text of each number that fails, by the number of its claim; and why others have none.

    Claims of one number, or of numbers that overlap, must want the same.
    """
    edits: dict[int, str] = {}
    why: dict[int, str] = {}
    for n, (one, result) in enumerate(zip(covered, results, strict=True)):
        claim = one.claim
        failed = result.verdict is ClaimVerdict.FAILS and result.evidence.observed
        if claim.control or not failed or claim.printed is None:
            continue
        if claim.args.get("op", "==") != "==":
            why[n] = "a bound is the author's to choose"
            continue
        new, why_not = _mended(claim, claim.printed, evidence)
        if new is None:
            why[n] = why_not
        elif edited_pieces(document, one, new) is None:
            why[n] = f"it stands in markup: write {new!r:.60} by hand"
        else:
            edits[n] = new
    for n in list(edits):
        rivals = [
            m
            for m, other in enumerate(covered)
            if m != n and not other.claim.control and _overlap(other, covered[n])
        ]
        spans = {(covered[m].start, covered[m].end, edits.get(m, why.get(m))) for m in rivals}
        if spans - {(covered[n].start, covered[n].end, edits[n])}:
            why[n] = "another claim covers the same number and says otherwise"
    return {n: new for n, new in edits.items() if n not in why}, why


def _mended(claim: Claim, printed: str, evidence: EvidenceReader) -> tuple[str | None, str]:
    """The new text of what a claim covers; else why there is none."""
    checker = checker_named(claim.checker)
    observed = checker.observe(claim.args, evidence)
    if observed.unmet is not None:
        return None, "so the condition may be wrong, and not the number"
    if checker.compares == "table":
        return _mended_table(printed, observed.value), "its rows or heads are others: print it anew"
    found = compared(claim, printed, observed)
    power = other_power(printed, found)
    if power:
        return None, (
            f"what is there is {Decimal(10) ** power:f} times as much: either the number or its"
            " unit is wrong, and which of them only the author knows"
        )
    if other_sign(printed, found):
        return None, "the sign changes: which side the words around it are on only the author knows"
    choice = other_choice(claim, evidence)
    if choice is not None:
        return None, f"{choice}: one of them may be wrong"
    return reprinted(printed, found), f"{printed!r:.60} has no form for what is there"


def _mended_table(printed: str, observed: Rows) -> str | None:
    """A table with the cells that differ printed as they are; None if its rows or heads differ."""
    claimed = parse_table(printed)
    if [len(row) for row in claimed] != [len(row) for row in observed] or claimed[0] != observed[0]:
        return None

    def retype(row: int, column: int, old: str) -> str | None:
        found = observed[row][column]
        return old if same_cell(old, found) else reprinted(old, found)

    return retyped_table(printed, retype)


def _overlap(one: Covered, other: Covered) -> bool:
    return one.start < other.end and other.start < one.end


def _edited(document: Document, covered: Sequence[Covered], edits: Mapping[int, str]) -> str:
    """A text with its edits, one for each span; a comment that names the number names the new."""
    text = document.text
    pieces: dict[tuple[int, int], str] = {}
    for n, new in edits.items():
        one = covered[n]
        for start, end, piece in edited_pieces(document, one, new) or ():
            pieces[start, end] = piece
        forms = "|".join(map(re.escape, {text[one.start : one.end], one.claim.printed or ""}))
        said = re.compile(rf"\bsays\s*=\s*([\"']?)(?P<old>{forms})\1(?![\w.])")
        for found in said.finditer(text, one.end, one.end + _SAID_WITHIN):
            if found.span("old") not in pieces:  # else the comment of another claim of the number
                pieces[found.span("old")] = new
                break
    for (start, end), piece in sorted(pieces.items(), reverse=True):
        text = text[:start] + piece + text[end:]
    return text


def _wrong(
    covered: Sequence[Covered],
    again: Sequence[Covered],
    results: Sequence[ClaimResult],
    edits: Mapping[int, str],
) -> list[int]:
    """The edits after which a claim covers another number, or does not hold."""
    found = {
        n
        for n, new in edits.items()
        if again[n].claim.printed != new or results[n].verdict is not ClaimVerdict.HOLDS
    }
    moved = [
        n
        for n, (old, new) in enumerate(zip(covered, again, strict=True))
        if n not in edits and not old.claim.control and old.claim.printed != new.claim.printed
    ]
    found |= {n for n in edits for m in moved if abs(covered[n].start - covered[m].start) < 1000}
    return sorted(found)


def _left(results: Sequence[ClaimResult], why: Mapping[int, str]) -> tuple[LeftClaim, ...]:
    return tuple(
        LeftClaim(
            id=one.id,
            place=one.place,
            why="; ".join(filter(None, (told_of(one), why.get(n)))),
        )
        for n, one in enumerate(results)
        if not one.control and not one.stands
    )
