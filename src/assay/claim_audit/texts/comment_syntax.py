"""The body of a comment that makes a claim: `name key="value" key=3 key=["a", "b"]`."""

import re
from typing import Any

from assay.errors import SpecError
from assay.toml import read_toml

_HEAD = re.compile(r"(?P<checker>\w+)\s*")
_ARG = re.compile(r"(?P<name>[A-Za-z_]\w*)\s*=\s*")
_VALUE = re.compile(
    r'"(?:[^"\\]|\\.)*"|\'[^\']*\'|\[(?:[^\[\]"\']|"(?:[^"\\]|\\.)*"|\'[^\']*\'|\[[^\[\]]*\])*\]'
    r"|\{[^{}]*\}|[^\s]+"
)


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
