"""Lines of a plan as Python: what a TOML file says, as the dictionary that `config=` takes.

Messages give the lines of a file, which the command prints as they are. For Python they are turned
into a dictionary here. Lines that are no such plan stay as they are. The values of these lines are
our own (`comparison.plan_text`), and are written alike in TOML and JSON.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

_HEADER = re.compile(r'\[dimensions\.(?P<name>[A-Za-z0-9_-]+|"(?:[^"\\]|\\.)*")\]')
_KEY = re.compile(r"(?P<key>[a-z]+) = (?P<value>.*?)(?:  # (?P<comment>.*))?")
_IN_A_LINE = "`config=FILE` with the line dimensions = {"
_TOKEN = re.compile(r'(?P<text>"(?:[^"\\]|\\.)*")(?P<equals> = )?|(?P<bare>[A-Za-z0-9_-]+) = ')
_LONGEST = 8_000


def plan_as_python(lines: Sequence[str]) -> list[str]:
    """Lines with the tables of a plan among them, the tables as one dictionary."""
    places = [place for place, line in enumerate(lines) if _HEADER.fullmatch(line)]
    if not places:
        return list(lines)
    first, end = places[0], len(lines)
    said = ['config={"dimensions": {']
    for place, following in zip(places, [*places[1:], end], strict=True):
        keys = [_KEY.fullmatch(line) for line in lines[place + 1 : following]]
        written = [_entry(key) for key in keys if key is not None]
        name = _HEADER.fullmatch(lines[place])
        if name is None or len(written) < len(keys) or None in written:
            return list(lines)
        said += _table(name["name"], [each for each in written if each is not None])
    return [*lines[:first], *said, "}}"]


def _entry(key: re.Match[str]) -> tuple[str, str] | None:
    """A key with its value in Python, and its comment; None if the value is none of a plan."""
    try:
        value = json.loads(key["value"])
    except ValueError:
        return None
    return f'"{key["key"]}": {_python(value)}', key["comment"] or ""


def _table(name: str, entries: Sequence[tuple[str, str]]) -> list[str]:
    """A dimension on one line; with comments, a line for each key."""
    name = name if name.startswith('"') else f'"{name}"'  # what TOML quotes is quoted alike
    if not any(comment for _, comment in entries):
        return [f"    {name}: {{{', '.join(said for said, _ in entries)}}},"]
    lines = [f"        {said},{f'  # {comment}' if comment else ''}" for said, comment in entries]
    return [f"    {name}: {{", *lines, "    },"]


def line_as_python(text: str) -> str:
    """A text with a plan on one line, the plan as a dictionary."""
    begin = text.find(_IN_A_LINE)
    if begin < 0:
        return text
    start = begin + len(_IN_A_LINE) - 1
    end = _closing(text[start : start + _LONGEST])
    if end is None:
        return text
    try:
        tables = json.loads(_TOKEN.sub(_as_json, text[start : start + end]))
    except ValueError:
        return text
    plan = _python({"dimensions": tables})
    return f"{text[:begin]}`config={plan}`{text[start + end :]}"


def _as_json(token: re.Match[str]) -> str:
    """A key of an inline table as JSON writes it; a text that is no key stays."""
    bare = token["bare"]
    return f'"{bare}": ' if bare else f"{token['text']}{': ' if token['equals'] else ''}"


def _closing(text: str) -> int | None:
    """Where the brace that opens a text is closed; braces in quotes do not count."""
    depth = 0
    for token in re.finditer(r'"(?:[^"\\]|\\.)*"|[{}]', text):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0:
            return token.end()
    return None


def _python(value: Any) -> str:  # noqa: ANN401 - any value of TOML
    """A value as Python writes it, texts in double quotes."""
    if isinstance(value, dict):
        pairs = (f"{_python(name)}: {_python(each)}" for name, each in value.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_python, value))}]"
    return json.dumps(value, ensure_ascii=False) if isinstance(value, str) else repr(value)
