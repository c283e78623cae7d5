"""Intervals of a text: a number and both of its ends are one claim."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.scan.candidates import Candidate
from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.printed_intervals import spread_spans

_CHECKERS = {
    "json_path_equals": "result_number_equals",
    "log_metric_equals": "log_metric_equals",
}
OF_INTERVALS = frozenset(_CHECKERS.values())
"""The checkers of a number with its interval or error."""


class PrintedInterval(NamedTuple):
    """A number with its interval: the words, and their span in the source."""

    text: str
    span: Span


def intervals_in(document: Document) -> list[PrintedInterval]:
    """The numbers of a text that stand with their intervals or errors."""
    plain = document.plain
    return [
        PrintedInterval(plain.text[start:end], plain.source_span(start, end))
        for start, end in spread_spans(plain.text, 0, len(plain.text), errors=True)
    ]


def of_whole(
    candidates: Sequence[Candidate], whole: PrintedInterval, evidence: EvidenceReader
) -> list[Candidate]:
    """The claims of a whole interval that hold; where there are none, those of its number alone."""
    found = []
    for one in candidates:
        named = _named_record(one.args) if one.checker == "json_path_equals" else one.args
        checker = _CHECKERS.get(one.checker)
        if one.match == "equal" and named is not None and checker is not None:
            claim = Claim(id="proposed", checker=checker, args=named, printed=whole.text)
            if check_claim(claim, evidence).stands:
                found.append(replace(one, checker=checker, args=named))
    return found or [one for one in candidates if one.checker not in OF_INTERVALS]


def _named_record(args: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The record that a value stands in, as a number with its interval."""
    key = str(args.get("key_path", ""))
    record = key[: max(key.rfind("."), key.rfind("["), 0)]
    return {"path": args["path"], "number": record} if record and "percent" not in args else None


def holding(intervals: Sequence[PrintedInterval], start: int) -> PrintedInterval | None:
    """The interval that a number at a place of the source belongs to."""
    return next((one for one in intervals if one.span[0] <= start < one.span[1]), None)
