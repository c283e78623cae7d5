"""Correct the numbers of claims that fail."""

import difflib
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Decimal
from pathlib import Path

from assay.claim_audit.agreement import interval_of, number_of, with_interval
from assay.claim_audit.check import check_claim
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.in_place import Covered, claims_in
from assay.claim_audit.printed_numbers import Printed, parse_printed, spelled
from assay.claim_audit.result import ClaimVerdict


def corrected(text: str, where: str, suffix: str, evidence: EvidenceReader) -> str:
    """A text in which every covered number that fails is corrected, at the same precision."""
    edits = []
    for one in claims_in(text, where, suffix):
        checked = check_claim(one.claim, evidence)
        if checked.verdict is ClaimVerdict.FAILS and one.claim.printed is not None:
            percent = one.claim.args.get("percent") is True
            printed = reprinted(one.claim.printed, checked.evidence.got, percent=percent)
            if printed is not None:
                edits.append((one, printed))
    return _edited(text, edits)


def reprinted(old: str, observed: object, *, percent: bool = False) -> str | None:
    """An observed value in the printed form of the old one; None if that is impossible."""
    interval, numbers = with_interval(old), interval_of(observed)
    if interval is not None:
        if numbers is None:
            return None
        first, low, high = (
            _printed_as(part, number) for part, number in zip(interval, numbers, strict=True)
        )
        return f"{first} [{low}, {high}]"
    printed, number = parse_printed(old), number_of(observed)
    if printed is None or number is None:
        return observed if isinstance(observed, str) and printed is None else None
    return _printed_as(printed, number / 100 if percent else number)


def _printed_as(printed: Printed, number: Decimal) -> str:
    """A number with the decimals, separators, sign and unit of another."""
    if printed.text.replace("-", "").replace(" ", "").isalpha():
        return spelled(int(number), printed.text) or str(number)
    unit = printed.text[len(printed.text.rstrip("%kMx ")) :]
    scale = {"%": Decimal(100), "k": 1 / Decimal(1000), "M": 1 / Decimal(1_000_000)}
    shown = number * scale.get(unit.strip(), Decimal(1))
    digits = printed.text[: len(printed.text) - len(unit)]
    places = len(digits.partition(".")[2])
    value = shown.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN)
    text = f"{value:,f}" if "," in digits else f"{value:f}"
    if digits.lstrip("+-\u2212").startswith(".") and text.lstrip("-").startswith("0."):
        text = text.replace("0.", ".", 1)
    sign = "+" if digits.startswith("+") and value >= 0 else ""
    return f"{sign}{text}{unit}"


def _edited(text: str, edits: Sequence[tuple[Covered, str]]) -> str:
    for one, printed in sorted(edits, key=lambda edit: -edit[0].start):
        text = text[: one.start] + printed + text[one.end :]
    return text


def diff_of(path: Path, old: str, new: str) -> str:
    """The changes as a patch."""
    return "".join(
        difflib.unified_diff(
            old.splitlines(keepends=True),
            new.splitlines(keepends=True),
            f"a/{path}",
            f"b/{path}",
        )
    )
