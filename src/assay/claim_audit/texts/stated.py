"""Which number, version or table a comment in a text speaks of.

It is the last one before the comment in its sentence, or the one that the comment names. It must be
written whole: what cannot be read is refused with the words that stand there.
"""

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from assay.claim_audit.texts.boundaries import part_of
from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.markup.marks import CLAIM, OPAQUE
from assay.claim_audit.texts.markup.plain import plain_words
from assay.claim_audit.texts.mentions import STATED, Token
from assay.claim_audit.texts.printed_intervals import spread_spans
from assay.claim_audit.texts.unstated import Kind
from assay.tables.numbers.printed_numbers import DASHES, SPACES, parse_printed

Whole = Callable[[Token], Span]
"""The span of a number with its interval, and with its error where that is read."""
_LOOK_BACK = 400
_LONGEST = 80
"""Characters of a number with its interval, on either side of one of the three."""
_REORDERED = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Marks after which a page shows letters and digits in another order than the file has them."""
_ENDS = {".tex": re.compile(r"\n[ \t]*\n"), ".rst": re.compile(r"\n[ \t]*\n(?=\s*[^\s\ue002])")}
"""What may not stand between a number and its comment: there, the end of a paragraph."""
_SENTENCE_END = re.compile(
    r"(?<!\bvs)(?<!\be\.g)(?<!\bi\.e)(?<!\bcf)(?<!\bal)(?<!\bapprox)(?<!\bresp)(?<!\betc)"
    r"(?<!\bFig)(?<!\bTab)(?<!\bSec)(?<!\bEq)(?<!\bNo)(?<!\bca)(?<!\bp)(?<!\bpp)[.!?][\"')*_]*\s"
    r"|\n[ \t]*\n|\n[ \t>]*\u2022|\|[ \t]*\n(?=[ \t]*\|)"
)
_LAST_END = re.compile(r"[.!?]?[\"')]*\s*$")
"""The end of the sentence that the comment itself stands behind."""
_PASSED: frozenset[Kind] = frozenset({"reference", "section", "name"})
"""What may stand between a number and its comment: it is no nearer number."""
_IN_YEAR = re.compile(r"(?:\b(?:in|since|of|from|until|by|during|before|after)\s|\()$", re.I)
_YEAR = re.compile(r"(?:19|20)\d{2}")
_ERROR_PART = re.compile(r"(?P<value>[^\u00b1]+?)\s*\u00b1|\u00b1\s*(?P<error>[^\u00b1]+)")
_RANKED = re.compile(r"\b(?:top|best|pass|hits?)[-@]$", re.IGNORECASE)
_NAMED = re.compile(r"(?<![\w.])[A-Za-z][\w./-]*\d[\w./-]*")
_QUANTITY = re.compile(
    r"[\w.,/^-]*\d[\w.,/^%-]*|[\u00bd\u00bc\u00be\u2153\u2154\u00b2\u00b3]"
    r"|\b(?:none|half|halves|third|quarter|twice|thrice|single|pair|couple"
    r"|dozens|hundreds|thousands|millions|\w+fold|\w+teenth)\b"
    r"|\b(?:no|once|both)\b(?=\W*$)",
    re.IGNORECASE,
)


class NotWhole(Exception):
    """No number can be taken from a text; `why` says what stands there."""

    def __init__(self, why: str, hint: str) -> None:
        super().__init__(why)
        self.why = f"{why}; {hint}"


class Stated(NamedTuple):
    """What a comment covers: the words of the plain text, their span there, and in the source."""

    text: str
    start: int
    end: int
    span: Span


def stated_before(
    document: Document,
    place: int,
    says: str | None,
    tokens: Sequence[Token],
    *,
    errors: bool = False,
) -> Stated:
    """The number or version that a comment at a place of the source covers.

    With `errors` a number and its standard error, `0.73 \u00b1 0.02`, are one statement.
    """
    plain = document.plain
    at = plain.place_of(place)
    whole = partial(_whole, plain.text, at=at, errors=errors)
    start, end = (
        _last(document, at, tokens, whole)
        if says is None
        else _said(document, at, says, tokens, whole)
    )
    span = plain.source_span(start, end)
    _refuse_reordered(document.text, span[0], place)
    return Stated(plain.text[start:end], start, end, span)


def _refuse_reordered(source: str, start: int, place: int) -> None:
    """Refuse a number of whose line a page shows the digits in another order."""
    if _REORDERED.search(source, source.rfind("\n", 0, start) + 1, place):
        raise NotWhole(
            "a mark before the claim turns the direction of the writing, so that a page shows"
            " other digits than stand there",
            "leave the mark out",
        )


def _last(document: Document, at: int, tokens: Sequence[Token], whole: Whole) -> Span:
    text, begin = document.plain.text, max(0, at - _LOOK_BACK)
    near = [one for one in tokens if begin <= one.start and one.end <= at]
    end = begin + len(_LAST_END.sub("", _open(text[begin:at])))
    ends = _ENDS.get(document.suffix, _SENTENCE_END)
    stops = [one.end() for one in ends.finditer(text[begin:end])]
    since = begin + (stops[-1] if stops else 0)
    near = [one for one in near if since <= one.start]
    stated = [one for one in near if _is_stated(text, one)]
    alone = [one for one in near if _counts_alone(text, one)]
    if not stated and alone:
        return alone[-1].start, alone[-1].end
    if not stated:
        raise _none_read(text[since:end])
    span = whole(stated[-1])
    nearer = _nearer(text, span[1], max(span[1], end), near)
    if nearer is not None:
        raise NotWhole(
            f"{nearer!r:.60} stands between {text[slice(*span)]!r:.40} and the claim, and is not a"
            " number that can be read",
            'name the number (says="0.9")',
        )
    if stated[-1].kind != "version" and not _is_range_end(text, *span):
        _refuse_part(text, *span)
    return span


def _open(text: str) -> str:
    """A text up to the comments that stand last, other comments of the same number included."""
    return text.rstrip(f"{CLAIM} \t\n\u00a0")


def _is_stated(text: str, one: Token) -> bool:
    if one.kind == "quotation":  # a claim in a block quote is made there
        return text[text.rfind("\n", 0, one.start) + 1 :].startswith(">")
    return one.kind in STATED or one.kind == "version"


def _counts_alone(text: str, one: Token) -> bool:
    """Whether a date, or the 5 of top-5, is what a sentence without another number states."""
    return one.kind == "date" or _RANKED.search(text[: one.start][-12:]) is not None


def _none_read(window: str) -> NotWhole:
    found = list(_QUANTITY.finditer(window.replace(CLAIM, " ")))
    shown = _shown(window)[-60:]
    what = f"{found[-1][0]!r:.40} cannot be read" if found else "no number stands there"
    return NotWhole(
        f"no number that can be read stands before the claim: {what} in {shown!r}",
        'put the comment right behind the number, name it (says="0.9"), or say expected="..."',
    )


def _nearer(text: str, start: int, end: int, near: Sequence[Token]) -> str | None:
    """What may be a nearer number than the one that ends at `start`; references are none."""
    between = list(text[start:end].replace(CLAIM, " "))
    for one in near:
        year = _YEAR.fullmatch(text[one.start : one.end]) and one.kind == "date"
        passed = one.kind in _PASSED or (year and _IN_YEAR.search(text[: one.start][-12:]))
        if one.start >= start and passed:
            between[one.start - start : one.end - start] = " " * (one.end - one.start)
    found = _QUANTITY.search(_NAMED.sub(" ", "".join(between)))
    return None if found is None else found[0].strip()


def _refuse_part(text: str, start: int, end: int) -> None:
    whole = part_of(text, start, end)
    if whole is not None:
        raise NotWhole(
            f"{text[start:end]!r:.40} is only a part of the number in {_shown(whole)!r:.80}, which"
            " has no form that is read",
            'write it otherwise, or say expected="..." with what is meant',
        )


def _shown(text: str) -> str:
    return " ".join(text.replace(CLAIM, "").replace(OPAQUE, "\u25af").split())


def _said(document: Document, at: int, says: str, tokens: Sequence[Token], whole: Whole) -> Span:
    """The last place before a comment of the number that it names."""
    text, begin = document.plain.text, max(0, at - _LOOK_BACK)
    wanted = _form(plain_words(says, document.suffix))
    named = says.strip()
    error_part = _ERROR_PART.fullmatch(wanted)
    if error_part is not None:  # one of the two of 0.696 ± 0.007, named as such
        wanted = error_part["value"] or error_part["error"]
    refusal: NotWhole | None = None
    for span in _spans_said(text, begin, at, wanted, tokens, whole):
        try:
            if error_part is not None:
                _refuse_no_error(text, *span, is_value=error_part["value"] is not None)
            elif not _is_range_end(text, *span):
                _refuse_part(text, *span)
        except NotWhole as error:
            refusal = refusal or error
        else:
            return span
    if refusal is not None:
        raise refusal
    reads = parse_printed(named) is not None or bool(re.search(r"\d", named))
    stands = re.search(rf"(?<!\w){re.escape(named)}(?!\w)", text[begin:at]) is not None
    why = "stands before the claim" if reads or not stands else "is a number"
    raise NotWhole(
        f"no {named!r:.40} {why}" if why != "is a number" else f"{named!r:.40} is not a number",
        "name the whole number, with its sign, per cent and unit, as the text prints it",
    )


def _spans_said(
    text: str, begin: int, at: int, wanted: str, tokens: Sequence[Token], whole: Whole
) -> list[Span]:
    """Where the words stand that a comment names, the last first: a number, or a word for one."""
    spans: list[Span] = []
    if not wanted:
        return spans
    for one in tokens:
        if begin <= one.start and one.end <= at and one.kind != "code":
            for start, end in (whole(one), (one.start, one.end)):
                if _form(text[start:end]) in (wanted, f"{wanted}%"):
                    spans.append((start, end))
    pattern = re.compile(r"\s*".join(re.escape(part) for part in wanted.split()))
    if parse_printed(wanted) is not None:
        window = text[begin:at]
        for found in re.finditer(rf"(?<!\w){pattern.pattern}(?!\w)", window, re.IGNORECASE):
            start, end = begin + found.start(), begin + found.end()
            before = re.search(r"\b(?:a|an|one)[\s-]$", text[begin:start], re.IGNORECASE)
            if before and wanted in ("third", "quarter", "fourth", "fifth", "tenth"):
                start = begin + before.start()  # a third, which is no place
            spans.append((start, end))
    return sorted(set(spans), key=lambda span: (-span[1], span[0]))


def _form(text: str) -> str:
    """The words of a number, whatever spaces, dashes and signs of per cent they have."""
    text = re.sub(rf"[{DASHES}]", "-", " ".join(text.split()))
    text = re.sub(rf"(?<=\d)[{SPACES}](?=\d{{3}}(?!\d))", ",", text)
    return re.sub(r"\s*(?:%|\uff05|\ufe6a|per\s?cent|pct)$", "%", text)


def _is_range_end(text: str, start: int, end: int) -> bool:
    """Whether a number is an end of a range that says so itself: 3-4, of which one is named."""
    low = re.search(rf"(?<![\w.,/:^-])\d[\d.,]*[{DASHES}]$", text[max(0, start - 20) : start])
    high = re.match(rf"[{DASHES}]\d[\d.,]*(?![\w/:^%-])", text[end : end + 20])
    if (low is None) == (high is None) or not text[start:end][0].isdigit():
        return False
    first = start - len(low[0]) if low else start
    last = end + len(high[0].rstrip(".,")) if high else end
    return part_of(text, first, last) is None


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
    _refuse_part(text, first - bool(sign and not is_value), last)


def _whole(text: str, one: Token, *, at: int, errors: bool) -> Span:
    """The span of a number, or of the number with its interval or error of which it is a part."""
    window = max(0, one.start - _LONGEST), min(at, one.end + _LONGEST)
    for start, end in spread_spans(text, *window, errors=errors):
        if start <= one.start and one.end <= end:
            return start, end
    return one.start, one.end
