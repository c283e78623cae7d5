"""Claims written in the text that makes them.

A comment right behind a number says how to check it. It renders as nothing, stays with its number
when lines are wrapped anew, and shows in a diff beside it:

    The AUC is 0.894 <!-- claim: json_path_equals path="results.json" key_path="d1.auc" -->.

LaTeX has `% claim: ...` at the end of a line, reStructuredText a comment line `.. claim: ...` below
the paragraph; both may name the number that they mean: `says="0.894"`. Notebooks have Markdown in
their cells.
"""

import re
from dataclasses import dataclass
from typing import Any

from assay.claim_audit.claim import Claim, claim_from
from assay.claim_audit.printed_numbers import PATTERN, WORDS
from assay.errors import SpecError
from assay.tables.faults import Faults
from assay.toml import read_toml

_MARKDOWN = re.compile(r"<!--\s*claim:\s*(?P<body>.*?)-->", re.DOTALL)
_LATEX = re.compile(r"(?<!\\)%\s*claim:\s*(?P<body>[^\n]*)")
_RST = re.compile(r"^[ \t]*\.\.\s+claim:\s*(?P<body>[^\n]*(?:\n[ \t]{3,}[^\n]+)*)", re.MULTILINE)
_KINDS = {".md": _MARKDOWN, ".markdown": _MARKDOWN, ".html": _MARKDOWN, ".tex": _LATEX,
          ".rst": _RST}  # fmt: skip
_HEAD = re.compile(r"(?P<checker>\w+)\s*")
_ARG = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=\s*")
_VALUE = re.compile(
    r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|\[(?:[^\[\]"\']|"(?:[^"\\]|\\.)*"|\'[^\']*\'|\[[^\[\]]*\])*\]'
    r"|\{[^{}]*\}|[^\s]+"
)
_INTERVAL = re.compile(rf"{PATTERN.pattern}\s*\[[^\[\]\n]{{1,60}}\]".replace("?P<", "?P<i_"))
_ONE = "(?:" + "|".join(sorted(WORDS, key=len, reverse=True)) + ")"
_JOINT = (
    r"(?:-|\s+(?=(?:dozen|hundred|thousand|million)\b)"
    r"|(?:(?<=hundred)|(?<=thousand)|(?<=million))\s+(?:and\s+)?)"
)
_WORD = re.compile(rf"\b{_ONE}(?:{_JOINT}{_ONE})*\b", re.IGNORECASE)
"""A count in words: twenty-six, one hundred and twenty."""
_VERSION = re.compile(
    r"(?<![\d.])\d+(?:\.\d+){2,}(?:[-.+]?(?:alpha|beta|dev|post|rc|a|b)[-.]?\d*\b)?"
)
_HIDDEN = {
    _MARKDOWN: re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL),
    _LATEX: re.compile(r"(?<!\\)%[^\n]*"),
    _RST: _RST,
}
"""What a reader does not see, by the form of the claims."""
_LOOK_BACK = 400
_OWN = {"id", "text", "says", "expected", "predicted", "confidence", "control"}


@dataclass(frozen=True, kw_only=True)
class Covered:
    """A claim of a text, and the span of the number that it covers."""

    claim: Claim
    start: int
    end: int


def claims_in(text: str, where: str, suffix: str) -> list[Covered]:
    """Every claim that a text makes in place; faults are named together."""
    pattern = _KINDS.get(suffix.lower())
    if pattern is None:
        return []
    faults, found = Faults(where), []
    shown = _HIDDEN[pattern].sub(lambda one: " " * len(one[0]), text)
    for number, comment in enumerate(pattern.finditer(text), 1):
        line = text.count("\n", 0, comment.start()) + 1
        try:
            found.append(_covered(text, shown, comment, f"{where}, line {line}", number))
        except SpecError as error:
            faults.add(error)
    faults.refuse()
    return found


def _covered(text: str, shown: str, comment: re.Match[str], place: str, number: int) -> Covered:
    checker, args = parse_comment(comment["body"], place)
    own = {name: args.pop(name) for name in list(args) if name in _OWN}
    says = str(own.pop("says")) if "says" in own else None
    span = (comment.start(), comment.start())
    printed = None
    if "expected" not in own:
        found = _number_before(shown, comment.start(), says)
        if found is None:
            what = "no number" if says is None else f"no {says!r:.40}"
            raise SpecError(
                f"{place}: {what} stands before the claim",
                hint="Put the comment right behind the number, or say `expected=`.",
            )
        span, printed = found, text[found[0] : found[1]]
    name = place.rsplit("/")[-1].replace(", line ", ":")
    fields = {
        "id": f"{name}#{number}",
        "text": _sentence(text, comment.start()),
        **{key: str(value) if key in ("id", "text") else value for key, value in own.items()},
        "checker": checker,
        "args": args,
        "printed": printed,
    }
    claim = claim_from(fields, place)
    return Covered(claim=claim, start=span[0], end=span[1])


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
        args[name["name"]] = _value(value[0], place)
        at = value.end()
        at += len(body[at:]) - len(body[at:].lstrip())
    return head["checker"], args


def _value(text: str, place: str) -> Any:  # noqa: ANN401 - any value of TOML
    """A value as TOML reads it; a bare word is a text."""
    try:
        return read_toml(f"x = {text}".encode(), where=place)["x"]
    except SpecError:
        if re.fullmatch(r"[\w./%+\-*\[\]=]+", text):
            return text
        raise SpecError(f"{place}: {text!r:.40} is no value") from None


def _number_before(text: str, at: int, says: str | None) -> tuple[int, int] | None:
    """Where the last number before a place stands, or the text that is named."""
    start = max(0, at - _LOOK_BACK)
    window = text[start:at]
    if says is not None:
        whole = rf"(?<![\w.])(?<!\d,){re.escape(says)}(?!\w|[.,]\d)"  # not the 3 of 13
        named = list(re.finditer(whole, window))
        return (start + named[-1].start(), start + named[-1].end()) if named else None
    kinds = (_INTERVAL, PATTERN, _WORD, _VERSION)
    spans = [one.span() for kind in kinds for one in kind.finditer(window)]
    if not spans:
        return None
    last = max(end for _, end in spans)
    first = min(begin for begin, end in spans if end == last)
    return start + first, start + len(window[:last].rstrip())


def _sentence(text: str, at: int) -> str:
    """The line of the text that a claim stands in, without its comments."""
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[begin : end if end >= 0 else len(text)]
    return " ".join(re.sub(r"<!--.*?(-->|$)", "", line).split())[:200]
