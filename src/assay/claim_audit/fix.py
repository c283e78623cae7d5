"""Rewrite the numbers that claims cover to what is there, and say what could not be."""

import difflib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.claim_audit.check import check_claim
from assay.claim_audit.correction.reprint import reprinted
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.in_place import Covered, claims_in
from assay.claim_audit.result import ClaimResult, ClaimVerdict, told_of
from assay.claim_audit.text_parts import LISTS, parts_of
from assay.errors import SpecError

_NOTEBOOK = ".ipynb"
_SAID_WITHIN = 800
"""Characters behind a number within which its comment may name it."""


@dataclass(frozen=True, kw_only=True)
class StillFails:
    """A claim that does not stand in the corrected text, and why its number was left as it is."""

    id: str
    place: str
    why: str


@dataclass(frozen=True, kw_only=True)
class Corrected:
    """A text with the numbers that could be mended, and the claims that still do not stand."""

    text: str
    still_failing: tuple[StillFails, ...]


def corrected(text: str, where: str, suffix: str, evidence: EvidenceReader) -> Corrected:
    """A text with every covered number that fails printed as it is, at the same precision.

    Controls, and numbers that are claimed to be a bound, are not rewritten. Each new number is read
    again in its place: where its claim would not hold, the old one is left and listed.
    """
    if suffix.lower() in LISTS:
        raise SpecError(
            f"{where}: a list of claims, which has no text to correct",
            hint="Name the text that makes the claims: assay claims fix README.md",
        )
    if suffix.lower() == _NOTEBOOK:
        parts = parts_of(text.encode(), where)
        found = [one for part in parts for one in claims_in(*part)]
        results = [check_claim(one.claim, evidence) for one in found]
        why = dict.fromkeys(range(len(found)), "notebooks are not rewritten")
        return Corrected(text=text, still_failing=_left(results, why))
    covered = claims_in(text, where, suffix)
    edits, why = _edits(covered, [check_claim(one.claim, evidence) for one in covered])
    while True:
        new = _edited(text, covered, edits)
        try:
            again = claims_in(new, where, suffix)
        except SpecError:
            again = []
        if len(again) == len(covered):
            results = [check_claim(one.claim, evidence) for one in again]
            wrong = _wrong(covered, again, results, edits)
        else:  # one of them cannot be read in its place: each is tried alone
            wrong = [n for n in edits if not _reads(text, covered, {n: edits[n]}, where, suffix)]
            wrong = wrong or list(edits)
        if not wrong:
            return Corrected(text=new, still_failing=_left(results, why))
        for n in wrong:
            why[n] = f"{edits.pop(n)!r:.60} in its place would not be a claim that holds"


def _edits(
    covered: Sequence[Covered], results: Sequence[ClaimResult]
) -> tuple[dict[int, str], dict[int, str]]:
    """The new text of each number that fails, by the number of its claim; and why others have none.

    Claims of one number, or of numbers that overlap, must want the same.
    """
    edits: dict[int, str] = {}
    why: dict[int, str] = {}
    for n, (one, result) in enumerate(zip(covered, results, strict=True)):
        claim = one.claim
        if claim.control or result.verdict is not ClaimVerdict.FAILS or claim.printed is None:
            continue
        if claim.args.get("op", "==") != "==":
            why[n] = "a bound is the author's to choose"
            continue
        percent = claim.args.get("percent") is True
        new = reprinted(claim.printed, result.evidence.got, percent=percent)
        if new is None:
            why[n] = f"{claim.printed!r:.60} has no form for what is there"
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


def _overlap(one: Covered, other: Covered) -> bool:
    return one.start < other.end and other.start < one.end


def _edited(text: str, covered: Sequence[Covered], edits: Mapping[int, str]) -> str:
    """A text with its edits, one for each span; a comment that names the number names the new."""
    spans: dict[tuple[int, int], str] = {}
    for n, new in edits.items():
        start, end = covered[n].start, covered[n].end
        spans[start, end] = new
        said = re.compile(rf"\bsays\s*=\s*([\"']?)(?P<old>{re.escape(text[start:end])})\1(?![\w.])")
        for found in said.finditer(text, end, end + _SAID_WITHIN):
            if found.span("old") not in spans:  # else the comment of another claim of the number
                spans[found.span("old")] = new
                break
    for (start, end), new in sorted(spans.items(), reverse=True):
        text = text[:start] + new + text[end:]
    return text


def _reads(
    text: str, covered: Sequence[Covered], edits: Mapping[int, str], where: str, suffix: str
) -> bool:
    """Whether the claims of a text can be read after an edit."""
    try:
        return len(claims_in(_edited(text, covered, edits), where, suffix)) == len(covered)
    except SpecError:
        return False


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


def _left(results: Sequence[ClaimResult], why: Mapping[int, str]) -> tuple[StillFails, ...]:
    return tuple(
        StillFails(
            id=one.id,
            place=one.place,
            why="; ".join(filter(None, (told_of(one), why.get(n)))),
        )
        for n, one in enumerate(results)
        if not one.control and not one.stands
    )


def diff_of(path: Path, old: str, new: str) -> str:
    """What changes, as a patch."""
    return "".join(
        difflib.unified_diff(
            old.splitlines(keepends=True),
            new.splitlines(keepends=True),
            f"a/{path}",
            f"b/{path}",
        )
    )
