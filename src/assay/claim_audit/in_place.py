"""Claims written in the text itself.

A comment right after a number says how to check it. It is invisible when rendered, stays with its
number when lines are rewrapped, and appears next to it in a diff:

    The AUC is 0.894 <!-- claim: json_path_equals path="results.json" key_path="d1.auc" -->.

In LaTeX, write `% claim: ...` at the end of a line; in reStructuredText, a comment line
`.. claim: ...` below the paragraph. Both may name their number: `says="0.894"`. Notebooks have
Markdown in their cells.
"""

import re
from dataclasses import dataclass
from typing import Any

from assay.claim_audit.claim import Claim
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
_WORD = re.compile(
    r"\b(?:" + "|".join(sorted(WORDS, key=len, reverse=True)) + r")\b", re.IGNORECASE
)
_LOOK_BACK = 400
_OWN = {"id", "text", "says", "expected", "predicted", "confidence", "control"}


@dataclass(frozen=True, kw_only=True)
class Covered:
    """A claim of a text, and the span of the number that it covers."""

    claim: Claim
    start: int
    end: int


def claims_in(text: str, where: str, suffix: str) -> list[Covered]:
    """Every claim in a text; all faults are reported together."""
    pattern = _KINDS.get(suffix.lower())
    if pattern is None:
        return []
    faults, found = Faults(where), []
    for number, comment in enumerate(pattern.finditer(text), 1):
        line = text.count("\n", 0, comment.start()) + 1
        try:
            found.append(_covered(text, comment, f"{where}, line {line}", number))
        except SpecError as error:
            faults.add(error)
    faults.refuse()
    return found


def _covered(text: str, comment: re.Match[str], place: str, number: int) -> Covered:
    checker, args = parse_comment(comment["body"], place)
    own = {name: args.pop(name) for name in list(args) if name in _OWN}
    says = str(own.pop("says")) if "says" in own else None
    span = (comment.start(), comment.start())
    printed = None
    if "expected" not in own:
        found = _number_before(text, comment.start(), says)
        if found is None:
            what = "no number" if says is None else f"no {says!r:.40}"
            raise SpecError(
                f"{place}: {what} before the claim",
                hint="Put the comment right after the number, or set `expected=`.",
            )
        span, printed = found, text[found[0] : found[1]]
    claim = Claim(
        id=str(own.pop("id", f"{place.rsplit('/')[-1].replace(', line ', ':')}#{number}")),
        checker=checker,
        args=args,
        text=str(own.pop("text", _sentence(text, comment.start()))),
        place=place,
        printed=printed,
        **own,
    )
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
    """A TOML value; a bare word is a text."""
    try:
        return read_toml(f"x = {text}".encode(), where=place)["x"]
    except SpecError:
        if re.fullmatch(r"[\w./%+\-*\[\]=]+", text):
            return text
        raise SpecError(f"{place}: {text!r:.40} is not a TOML value") from None


def _number_before(text: str, at: int, says: str | None) -> tuple[int, int] | None:
    """The span of the last number before a place, or of the named text."""
    start = max(0, at - _LOOK_BACK)
    window = text[start:at]
    if says is not None:
        found = window.rfind(says)
        return None if found < 0 else (start + found, start + found + len(says))
    window = re.sub(r"<!--.*?-->", lambda one: " " * len(one[0]), window, flags=re.DOTALL)
    spans = [
        one.span() for pattern in (_INTERVAL, PATTERN, _WORD) for one in pattern.finditer(window)
    ]
    if not spans:
        return None
    last = max(end for _, end in spans)
    first = min(begin for begin, end in spans if end == last)
    return start + first, start + len(window[:last].rstrip())


def _sentence(text: str, at: int) -> str:
    """The text line of a claim, without its comments."""
    begin, end = text.rfind("\n", 0, at) + 1, text.find("\n", at)
    line = text[begin : end if end >= 0 else len(text)]
    return " ".join(re.sub(r"<!--.*?(-->|$)", "", line).split())[:200]
