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

from msgspec.structs import replace

from assay.claim_audit.checkers.checker import Checker
from assay.claim_audit.checkers.table import checker_named
from assay.claim_audit.claim import Claim, Unverifiable
from assay.claim_audit.spec import KEYS, MOST_CLAIMS, made_claim
from assay.claim_audit.texts.comment_syntax import parse_comment
from assay.claim_audit.texts.document import Document
from assay.claim_audit.texts.markup.marks import CLAIM
from assay.claim_audit.texts.mentions import Token, tokens_in
from assay.claim_audit.texts.printed_intervals import parse_spread
from assay.claim_audit.texts.printed_tables import table_before
from assay.claim_audit.texts.reading.refusal import NotWhole
from assay.claim_audit.texts.reading.relations import refuse_other_relation
from assay.claim_audit.texts.reading.stated import Stated, stated_before
from assay.claim_audit.texts.reading.units import other_unit
from assay.errors import SpecError
from assay.tables.numbers.printed_numbers import Printed, parse_printed

_NO_COLON = re.compile(r"[Cc]laims?:?\s+[a-z]+(?:_[a-z]+)+\s")
_INNER = re.compile(r"\bclaim:\s*(\w{1,60})")
_LOOK_BACK = 400


@dataclass(frozen=True, kw_only=True)
class Covered:
    """A claim of a text, and the span of the number or table that it covers."""

    claim: Claim
    start: int
    end: int


def claims_in(document: Document) -> list[Covered]:
    """Every claim that a text makes in place.

    One that cannot be read is among them, with why: it is unverifiable, and the others are checked.
    """
    found: list[Covered] = []
    tokens: list[Token] | None = None
    for (start, _), body in document.comments:
        told = body.strip()
        place = f"{document.place}, line {document.line_of(start)}"
        number = len(found) + 1
        why_not = _no_claim(document, start, told)
        if why_not is not None:
            found.append(_refused(document, start, place, number, why_not))
        if why_not is not None or not told.startswith("claim:"):
            continue
        tokens = tokens_in(document) if tokens is None else tokens
        try:
            body = told.removeprefix("claim:")
            found.append(_covered(document, start, body, place, number, tokens))
        except NotWhole as refusal:
            found.append(_refused(document, start, place, number, refusal.why))
        except SpecError as error:
            why = " ".join(filter(None, (error.message.removeprefix(f"{place}: "), error.hint)))
            found.append(_refused(document, start, place, number, why))
        if len(found) > MOST_CLAIMS:
            raise SpecError(f"{document.place}: more than {MOST_CLAIMS:,} claims")
    return found


def _no_claim(document: Document, at: int, told: str) -> str | None:
    """Why a comment that speaks of a claim makes none; None if it makes one, or is another."""
    if told.startswith("claim:"):
        if document.is_unshown(at):
            return "the claim stands in what a page does not show"
        return None
    if _NO_COLON.match(f"{told} "):
        return "a comment that is nearly a claim: write `claim:`, in small letters"
    inner = _INNER.search(told)
    if inner is None or _checker(inner[1]) is None:
        return None
    return f"`claim: {inner[1]}` does not begin its comment: put it in a comment of its own"


def _refused(document: Document, at: int, place: str, number: int, why: str) -> Covered:
    """A claim that cannot be read."""
    told = document.comment_at(at).strip()
    named = _INNER.search(told) or re.match(r"(?:claim:)?\s*(\w{1,60})", told)
    text, within = _line(document, at)
    claim = Claim(
        id=f"{place.replace(', line ', ':')}#{number}",
        text=text,
        at=within,
        checker=named[1] if named else "",
        place=place,
        control="control=true" in told,
        refused=why,
    )
    return Covered(claim=claim, start=at, end=at)


def _covered(
    document: Document, at: int, body: str, place: str, number: int, tokens: Sequence[Token]
) -> Covered:
    name, args = parse_comment(body, place)
    own = {key: args.pop(key) for key in list(args) if key in KEYS or key == "says"}
    says = own.pop("says", None)
    said = None if says is None else str(says)
    checker = _checker(name)
    span, printed = (at, at), None
    if (
        checker is not None
        and checker.compares == "table"
        and not _claims_a_value(checker, args, own)
    ):
        found = table_before(document, at)
        if found is None:
            raise NotWhole("no Markdown table stands right before the claim", "put it there")
        span, printed = found, document.text[slice(*found)]
    elif not _claims_a_value(checker, args, own):
        errors = checker is not None and checker.spreads
        stated = stated_before(document, at, said, tokens, errors=errors)
        refuse_other_relation(document, stated.start, stated.end, args.get("op"))
        _refuse_other_unit(document, stated, args)
        span, printed = stated.span, stated.text
    elif checker is not None and checker.value is not None and args.get("op", "==") == "==":
        _refuse_another(document, at, own.get("expected", args.get(checker.value)), tokens)
    text, within = _line(document, at)
    row: dict[str, Any] = {
        "id": f"{place.replace(', line ', ':')}#{number}",
        "text": text,
        **{key: str(own[key]) for key in ("id", "text") if key in own},
        **{key: own[key] for key in own if key not in ("id", "text")},
        "checker": name,
        "args": args,
    }
    claim = made_claim(row, place, printed=printed)
    claim = replace(claim, at=within if claim.text == text else None)
    return Covered(claim=claim, start=span[0], end=span[1])


def _refuse_other_unit(document: Document, stated: Stated, args: dict[str, Any]) -> None:
    """Refuse a number in another unit than the name of the value says, without a scale."""
    behind = document.without_notes[stated.end : stated.end + _LOOK_BACK].replace(CLAIM, "")
    units = other_unit(stated.text, behind, args)
    if units is not None:
        raise NotWhole(
            f"the text says {stated.text!r:.40} in {units[0]}, and the value's name {units[1]}",
            f"say scale=..., by which the file's value is multiplied to be in {units[0]}, or"
            " scale=1.0 if the name is wrong",
        )


def _refuse_another(document: Document, at: int, claimed: object, tokens: Sequence[Token]) -> None:
    """Refuse a number in a comment right behind another one."""
    wanted = parse_printed(claimed)
    try:
        stated: Stated | None = stated_before(document, at, None, tokens, errors=True)
    except NotWhole:
        return
    if (
        wanted is None
        or stated is None
        or document.plain.text[stated.end :][:3].strip()[:1] != CLAIM
    ):
        return
    spread, there = parse_spread(stated.text), parse_printed(stated.text)
    parts = [there] if spread is None else spread.parts
    if not any(one is None or _either_admits(one, wanted) for one in parts):
        raise NotWhole(
            f"the text says {stated.text!r:.40} and the claim {claimed!r:.40}",
            "leave the number out of the comment, or correct the text",
        )


def _either_admits(one: Printed, other: Printed) -> bool:
    """Whether two printed numbers may be of the same value."""
    return one.admits(other.value) or other.admits(one.value)


def _checker(name: str) -> Checker | None:
    """The checker of a name; None if there is none, which the audit says of the claim."""
    try:
        return checker_named(name)
    except Unverifiable:
        return None


def _claims_a_value(checker: Checker | None, args: dict[str, Any], own: dict[str, Any]) -> bool:
    """Whether a comment needs no number before it: a statement, or a value that it states."""
    if "expected" in own or checker is None:
        return "expected" in own
    return checker.value is None or checker.value in args


def _line(document: Document, at: int) -> tuple[str, int | None]:
    """The line of the text that a claim stands in, without comments, and the comment's place."""
    text = document.text
    begin = max(text.rfind("\n", max(0, at - _LOOK_BACK), at) + 1, at - _LOOK_BACK, 0)
    end = text.find("\n", at, at + _LOOK_BACK)
    line = _without_comments(text[begin : end if end >= 0 else at + _LOOK_BACK])[:200]
    within = len(_without_comments(text[begin:at]))
    return line, within if 0 < within < len(line) else None


def _without_comments(line: str) -> str:
    return " ".join(re.sub(r"<!--(?:[^-]|-(?!->))*(?:-->|$)", "", line).split())
