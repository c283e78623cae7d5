"""The number that a comment names: `says="0.9"`, whole, with its sign, unit and per cent."""

import re
from collections.abc import Callable, Iterator, Sequence

from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.markup.plain import plain_words
from assay.claim_audit.texts.mentions import Token
from assay.claim_audit.texts.reading.ranges import is_range_end
from assay.claim_audit.texts.reading.reach import Reach
from assay.claim_audit.texts.reading.refusal import NotWhole, refuse_part
from assay.tables.numbers.printed_numbers import DASHES, SPACES, parse_printed

Whole = Callable[[Token], Span]
"""The span of a number with its interval, and with its error where that is read."""
_ERROR_PART = re.compile(r"(?P<value>[^\u00b1]+?)\s*\u00b1|\u00b1\s*(?P<error>[^\u00b1]+)")
_WITH_WORD = re.compile(r"(?P<number>\S*\d\S*)(?P<unit>\s+[^\W\d][^\d]{0,20})")
"""A number with its unit behind a space: 12.6 ms."""


def named_span(
    document: Document, reach: Reach, says: str, near: Sequence[Token], whole: Whole
) -> Span:
    """The last place in reach of a comment of the number that it names."""
    wanted = _form(plain_words(says, document.suffix))
    error_part = _ERROR_PART.fullmatch(wanted)
    if error_part is not None:  # one of the two of 0.696 \u00b1 0.007, named as such
        wanted = error_part["value"] or error_part["error"]
    refusal: NotWhole | None = None
    for span in _spans_said(reach, wanted, near, whole):
        try:
            if error_part is not None:
                _refuse_no_error(reach.text, *span, is_value=error_part["value"] is not None)
            elif not is_range_end(document, reach.text, *span):
                refuse_part(reach.text, *span)
        except NotWhole as error:
            refusal = refusal or error
        else:
            return span
    raise refusal or _not_there(reach.text[reach.since : reach.end], says.strip())


def _not_there(window: str, named: str) -> NotWhole:
    reads = parse_printed(named) is not None or bool(re.search(r"\d", named))
    stands = re.search(rf"(?<!\w){re.escape(named)}(?!\w)", window) is not None
    if stands and not reads:
        why = f"{named!r:.40} is not a number"
    else:
        why = f"no {named!r:.40} stands before the claim in its sentence"
    return NotWhole(
        why, "name the whole number, with its sign, per cent and unit, as it is printed"
    )


def _spans_said(reach: Reach, wanted: str, near: Sequence[Token], whole: Whole) -> list[Span]:
    """Where the words stand that a comment names, the last first: a number, or a word for one."""
    if not wanted:
        return []
    spans = [
        span for one in near if one.kind != "code" for span in _forms(reach, one, wanted, whole)
    ]
    if parse_printed(wanted) is not None:
        spans += _words_said(reach, wanted)
    return sorted(set(spans), key=lambda span: (-span[1], span[0]))


def _forms(reach: Reach, one: Token, wanted: str, whole: Whole) -> Iterator[Span]:
    """The spans of a number that are as named: with its interval, alone, or before its unit."""
    for start, end in (whole(one), (one.start, one.end)):
        if _form(reach.text[start:end]) in (wanted, f"{wanted}%"):
            yield start, end
    with_unit = _WITH_WORD.fullmatch(wanted)
    if with_unit is not None and _form(reach.text[one.start : one.end]) == with_unit["number"]:
        behind = reach.text[one.end : one.end + len(with_unit["unit"]) + 4]
        unit = r"\s+".join(re.escape(word) for word in with_unit["unit"].split())
        if re.match(rf"\s+{unit}(?!\w)", behind):
            yield one.start, one.end


def _words_said(reach: Reach, wanted: str) -> Iterator[Span]:
    pattern = r"\s*".join(re.escape(part) for part in wanted.split())
    window = reach.text[reach.since : reach.end]
    for found in re.finditer(rf"(?<!\w){pattern}(?!\w)", window, re.IGNORECASE):
        start, end = reach.since + found.start(), reach.since + found.end()
        before = re.search(r"\b(?:a|an|one)[\s-]$", reach.text[reach.since : start], re.IGNORECASE)
        if before and wanted in ("third", "quarter", "fourth", "fifth", "tenth"):
            start = reach.since + before.start()  # a third, which is no place
        yield start, end


def _form(text: str) -> str:
    """The words of a number, whatever spaces, dashes and signs of per cent they have."""
    text = re.sub(rf"[{DASHES}]", "-", " ".join(text.split()))
    text = re.sub(rf"(?<=\d)[{SPACES}](?=\d{{3}}(?!\d))", ",", text)
    return re.sub(r"\s*(?:%|\uff05|\ufe6a|per\s?cent|pct)$", "%", text)


def _refuse_no_error(text: str, start: int, end: int, *, is_value: bool) -> None:
    """Refuse a number that is not the named side of a value with its error."""
    number, marks = r"[\d.,]*\d(?:\s?%)?", r"\s*(?:\u00b1|\+/?-)\s*"
    if is_value:
        other = re.match(f"{marks}{number}", text[end : end + 40])
        first, last = start, end + (other.end() if other else 0)
    else:
        other = re.search(f"{number}{marks}$", text[max(0, start - 40) : start])
        first, last = start - (len(other[0]) if other else 0), end
    if other is None:
        raise NotWhole(
            f"{text[start:end]!r:.40} is no side of a value with its error there", "say which"
        )
    sign = re.search(rf"[{DASHES}]$", text[max(0, first - 1) : first])
    refuse_part(text, first - bool(sign and not is_value), last)
