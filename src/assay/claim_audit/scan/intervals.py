"""A number with its interval, of which one record holds all three: one claim, not three."""

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from assay.claim_audit.check import check_claim
from assay.claim_audit.claim import Claim
from assay.claim_audit.evidence import EvidenceReader
from assay.claim_audit.scan.candidates import Candidate
from assay.claim_audit.scan.uncovered import Uncovered
from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.printed_intervals import spread_spans

_CHECKER = "result_number_equals"


def with_intervals(
    uncovered: Sequence[Uncovered], documents: Iterable[Document], evidence: EvidenceReader
) -> tuple[Uncovered, ...]:
    """The numbers, of each interval only the value it belongs to if a record holds both."""
    left = list(uncovered)
    for document in documents:
        for span, printed in _intervals(document):
            inside = [
                one for one in left if one.file == document.place and span[0] < one.end <= span[1]
            ]
            first = min(inside, key=lambda one: one.end, default=None)
            candidate = None if first is None else _record(first, printed, evidence)
            if first is None or candidate is None:
                continue
            whole = replace(first, number=printed, end=span[1], candidates=(candidate,))
            others = [one for one in inside if one is not first]
            left = [whole if one is first else one for one in left if one not in others]
    return tuple(left)


def _intervals(document: Document) -> Iterator[tuple[Span, str]]:
    text = document.plain.text
    for start, end in spread_spans(text, 0, len(text), errors=False):
        yield document.plain.source_span(start, end), text[start:end]


def _record(one: Uncovered, printed: str, evidence: EvidenceReader) -> Candidate | None:
    """The record that holds a value with the interval that is printed beside it."""
    for candidate in one.candidates:
        record = str(candidate.args.get("key_path", "")).rpartition(".")[0]
        if not record or candidate.match != "equal":
            continue
        args = {"path": candidate.args["path"], "number": record}
        claim = Claim(id="proposed", checker=_CHECKER, args=args, printed=printed)
        if check_claim(claim, evidence).stands:
            return replace(candidate, checker=_CHECKER, args=args)
    return None
