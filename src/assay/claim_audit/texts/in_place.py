"""Claims written in the text that makes them.

A comment right behind a number says how to check it. It renders as nothing, stays with its number
when lines are wrapped anew, and shows in a diff beside it:

    The AUC is 0.894 <!-- claim: json_path_equals path="results.json" key_path="d1.auc" -->.

LaTeX has `% claim: ...` at the end of a line, reStructuredText a comment line `.. claim: ...` below
the paragraph; both may name the number that they mean: `says="0.894"`. A comment behind a table
claims all of it (`table_equals`). What stands in code is an example, not a claim.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from assay.claim_audit.checkers.checker import Checker
from assay.claim_audit.checkers.table import checker_named
from assay.claim_audit.claim import Claim, Unverifiable
from assay.claim_audit.spec import KEYS, MOST_CLAIMS, made_claim
from assay.claim_audit.texts.document import Document, Span
from assay.claim_audit.texts.mentions import STATED, Mention, mentions_in
from assay.claim_audit.texts.printed_intervals import spread_spans
from assay.claim_audit.texts.printed_numbers import parse_printed
from assay.claim_audit.texts.printed_tables import table_before
from assay.errors import SpecError
from assay.tables.faults import Faults
from assay.toml import read_toml

_HEAD = re.compile(r"(?P<checker>\w+)\s*")
_ARG = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=\s*")
_VALUE = re.compile(
    r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|\[(?:[^\[\]"\']|"(?:[^"\\]|\\.)*"|\'[^\']*\'|\[[^\[\]]*\])*\]'
    r"|\{[^{}]*\}|[^\s]+"
)
_NO_COLON = re.compile(r"\s*claim\s+[a-z]+(?:_[a-z]+)+\s")
_NAMED = re.compile(r"(?<![\w.])[A-Za-z][\w./-]*\d[\w./-]*")
_QUANTITY = re.compile(
    r"\d|[½¼¾⅓⅔²³]|\b(?:no|none|half|halves|third|quarter|once|twice|thrice|both|single|pair|couple"
    r"|dozens|hundreds|thousands|millions|\w+fold|\w+teenth)\b",
    re.IGNORECASE,
)
_PART_BEFORE = re.compile(
    r"(?:[±^×·]|\^\{|\d/)\s*$|\d[,'’٫٬]$|[\u00ad\u200b-\u200d\u2060\ufeff]$"
    r"|\b(?:minus|half an?)\s$",
    re.IGNORECASE,
)
_PART_AFTER = re.compile(
    r"[½¼¾⅓⅔²³٫٬\u00ad\u200b-\u200d\u2060\ufeff]|\)\s?\\?%(?!\s*claim\b)|\s?[±^×·]"
    r"|\s?\\(?:times|cdot|pm)\b|[,'’/]\d|\s+and\s+(?:a\s+half|a\s+quarter)\b",
    re.IGNORECASE,
)
"""What makes a number a part of another: powers, errors, fractions, decimal commas, (5 ± 2) %."""
_REORDERED = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Marks after which a page shows letters and digits in another order than the file has them."""
_LOOK_BACK = 400
_LONGEST = 80
"""Characters of a number with its interval, on either side of one of the three."""
_ENDS = {
    ".tex": re.compile(r"\n[ \t]*\n"),
    ".rst": re.compile(r"\n[ \t]*\n\s*\S"),
}
"""What may not stand between a number and its comment: there, the end of a paragraph."""
_SENTENCE_END = re.compile(r"[.!?]\s|\n[ \t]*\n")


@dataclass(frozen=True, kw_only=True)
class Covered:
    """A claim of a text, and the span of the number or table that it covers."""

    claim: Claim
    start: int
    end: int


def claims_in(document: Document) -> list[Covered]:
    """Every claim that a text makes in place; faults are named together."""
    faults = Faults(document.place)
    found: list[Covered] = []
    mentions: list[Mention] | None = None
    for (start, _), body in document.comments:
        told = body.strip()
        if not told.startswith("claim"):
            continue
        place = f"{document.place}, line {document.line_of(start)}"
        if not told.startswith("claim:"):
            if _NO_COLON.match(f"{body} "):
                faults.add(SpecError(f"{place}: a claim without its colon", hint="Write `claim:`."))
            continue
        mentions = mentions_in(document) if mentions is None else mentions
        try:
            body = told.removeprefix("claim:")
            found.append(_covered(document, start, body, place, len(found) + 1, mentions))
        except SpecError as error:
            faults.add(error)
        if len(found) > MOST_CLAIMS:
            raise SpecError(f"{document.place}: more than {MOST_CLAIMS:,} claims")
    faults.refuse()
    return found


def _covered(
    document: Document, at: int, body: str, place: str, number: int, mentions: Sequence[Mention]
) -> Covered:
    name, args = parse_comment(body, place)
    own = {key: args.pop(key) for key in list(args) if key in KEYS or key == "says"}
    says = own.pop("says", None)
    span: Span = (at, at)
    printed = None
    checker = _checker(name)
    if "expected" not in own and not _claims_a_value(checker, args):
        said = None if says is None else str(says)
        found = _stated_before(document, at, said, checker, mentions)
        if found is None:
            what = "no number that can be read" if says is None else f"no {str(says)!r:.40}"
            raise SpecError(
                f"{place}: {what} stands before the claim",
                hint='Put the comment right behind the number, name the number (says="0.9"), or'
                ' say expected="..." in it.',
            )
        span, printed = found, document.text[found[0] : found[1]]
    row: dict[str, Any] = {
        "id": f"{place.replace(', line ', ':')}#{number}",
        "text": _line(document, at),
        **{key: str(own[key]) for key in ("id", "text") if key in own},
        **{key: own[key] for key in own if key not in ("id", "text")},
        "checker": name,
        "args": args,
    }
    return Covered(claim=made_claim(row, place, printed=printed), start=span[0], end=span[1])


def _checker(name: str) -> Checker | None:
    """The checker of a name; None if there is none, which the audit says of the claim."""
    try:
        return checker_named(name)
    except Unverifiable:
        return None


def _claims_a_value(checker: Checker | None, args: dict[str, Any]) -> bool:
    """Whether a comment needs no number before it: a statement, or a value in the arguments."""
    if checker is None:
        return False
    return checker.value is None or checker.value in args


def parse_comment(body: str, place: str) -> tuple[str, dict[str, Any]]:
    """The checker of a comment and its arguments: `name key="value" key=3 key=["a", "b"]`."""
    body = body.strip()
    head = _HEAD.match(body)
    if head is None:
        raise SpecError(f"{place}: expected the name of a checker, got {body!r:.40}")
    args: dict[str, Any] = {}
    at = head.end()
    while at < len(body):
        name = _ARG.match(body, at)
        value = None if name is None else _VALUE.match(body, name.end())
        if name is None or value is None:
            raise SpecError(
                f"{place}: expected key=value, got {body[at:]!r:.40}",
                hint='Write texts in quotes: path="results.json".',
            )
        if name["name"] in args:
            raise SpecError(f"{place}: {name['name']!r:.40} is given twice")
        args[name["name"]] = _value(value[0], place)
        at = value.end()
        at += len(body[at : at + 200]) - len(body[at : at + 200].lstrip())
    return head["checker"], args


def _value(text: str, place: str) -> Any:  # noqa: ANN401 - any value of TOML
    """A value as TOML reads it; a bare word is a text."""
    try:
        return read_toml(f"x = {text}".encode(), where=place)["x"]
    except SpecError:
        if re.fullmatch(r"[\w./%+\-*\[\]=\\]+", text):
            return text
        raise SpecError(f"{place}: {text!r:.40} is not a value") from None


def _stated_before(
    document: Document,
    at: int,
    says: str | None,
    checker: Checker | None,
    mentions: Sequence[Mention],
) -> Span | None:
    """The span of the number, version or table that a comment at a place covers."""
    text, start = document.text, max(0, at - _LOOK_BACK)
    if checker is not None and checker.compares == "table":
        return table_before(document, at)
    errors = checker is not None and checker.spreads
    near = [one for one in mentions if start <= one.start and one.end <= at and one.kind != "code"]
    if says is not None:
        spans = [span for one in near for span in (_whole(text, one, at, errors), _span(one))]
        found = next((span for span in spans[::-1] if text[span[0] : span[1]] == says), None)
        return found or _named(text, start, at, says)
    stated = [one for one in near if one.kind in STATED or one.kind == "version"]
    if not stated:
        return None
    span = _whole(text, stated[-1], at, errors)
    between = _uncommented(document, span[1], at)
    if _ENDS.get(document.suffix, _SENTENCE_END).search(between):
        return None
    line = text[text.rfind("\n", 0, span[0]) + 1 : at]
    if _is_part(text, *span) or _has_number(between) or _REORDERED.search(line):
        return None
    return span


def _is_part(text: str, start: int, end: int) -> bool:
    """Whether a number is a part of what is written: 3 in 10^3, 1 in 9 ± 1, one in minus one."""
    before, after = text[max(0, start - 12) : start], text[end : end + 14]
    return _PART_BEFORE.search(before) is not None or _PART_AFTER.match(after) is not None


def _has_number(between: str) -> bool:
    """Whether something that may be a number stands between a number and its comment.

    It would be the nearer one; what begins with a letter is a name: D1, GPT-4, top-5.
    """
    return _QUANTITY.search(_NAMED.sub(" ", between)) is not None


def _named(text: str, start: int, at: int, says: str) -> Span | None:
    """The last place of a number that is no mention (`half`), if it stands alone there."""
    if parse_printed(says) is None:
        return None
    pattern = re.compile(rf"(?<![\w.,]){re.escape(says)}(?!\w|[.,]\d)")
    spans = [one.span() for one in pattern.finditer(text, start, at)]
    return spans[-1] if spans else None


def _span(mention: Mention) -> Span:
    return mention.start, mention.end


def _whole(text: str, mention: Mention, at: int, errors: bool) -> Span:
    """The span of a number, or of the number with its interval or error of which it is a part."""
    window = max(0, mention.start - _LONGEST), min(at, mention.end + _LONGEST)
    for start, end in spread_spans(text, *window, errors=errors):
        if start <= mention.start and mention.end <= end:
            return start, end
    return _span(mention)


def _uncommented(document: Document, start: int, end: int) -> str:
    """What stands between two places, without comments; a comment of LaTeX is no blank line."""
    parts, at = [], start
    for (begin, stop), _ in document.comments:
        if begin >= end:
            break
        if begin >= at:
            parts.append(document.text[at:begin])
            at = stop
    return ("%" if document.suffix == ".tex" else " ").join([*parts, document.text[at:end]])


def _line(document: Document, at: int) -> str:
    """The line of the text that a claim stands in, without its comments."""
    text = document.text
    begin = max(text.rfind("\n", max(0, at - _LOOK_BACK), at) + 1, at - _LOOK_BACK, 0)
    end = text.find("\n", at, at + _LOOK_BACK)
    line = text[begin : end if end >= 0 else at + _LOOK_BACK]
    return " ".join(re.sub(r"<!--(?:[^-]|-(?!->))*(?:-->|$)", "", line).split())[:200]
