"""Paths into a JSON value (`a.b[0].c`, `rows[id=q7].score`, `models["gpt-3.5"].auc`); records."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.claim_audit.claim import Unverifiable
from assay.claim_audit.evidence import NotThere
from assay.tables.nested import as_word

_QUOTED = r'"(?:[^"\\]|\\.)*"|\'[^\']*\''
_PLAIN = r"[^.\[\]\"'=$]+"
_STEP = re.compile(
    rf"(?P<name>\.?[^.\[\]\"']+)|\[(?P<quoted>{_QUOTED})\]|\[(?P<number>-?\d{{1,9}})\]"
    rf"|\[(?P<field>[^\[\]=\"']+)=(?P<wanted>{_QUOTED}|[^\]\"']+)\]"
)
_MOST_SHOWN = 8
KEY = "key"
"""The column of the names, if a JSON file holds its records by name."""


@dataclass(frozen=True, kw_only=True)
class PathStep:
    """One step inside: a key or the number of an element, or the element whose field has a word."""

    name: str
    wanted: str | None = None

    def __str__(self) -> str:
        """The step as a message shows it."""
        return self.name if self.wanted is None else f"{self.name}={self.wanted}"


def steps_of(key_path: str) -> list[PathStep]:
    """The steps of a path; one that cannot be read to its end is refused."""
    rest = key_path[1:] if key_path[:1] == "$" and key_path[1:2] in ("", ".", "[") else key_path
    at, steps = 0, []
    while at < len(rest):
        found = _STEP.match(rest, at)
        inner = found is not None and found["name"] is not None and at > 0
        if found is None or (inner and rest[at] != "."):
            raise Unverifiable(
                f"key_path: {key_path!r:.80} cannot be read from {rest[at:]!r:.40} on;"
                ' expected a form such as a.b[0].c, rows[id=q7].score or models["gpt-3.5"].auc'
            )
        steps.append(_step(found, key_path))
        at = found.end()
    return steps


def _step(found: re.Match[str], key_path: str) -> PathStep:
    if found["name"] is not None:
        return PathStep(name=found["name"].removeprefix("."))
    if found["field"] is not None:
        return PathStep(name=found["field"], wanted=_unquoted(found["wanted"], key_path))
    return PathStep(name=found["number"] or _unquoted(found["quoted"], key_path))


def _unquoted(text: str, key_path: str) -> str:
    if text[:1] != '"':
        return text[1:-1] if text[:1] == "'" else text
    try:
        return str(json.loads(text))
    except ValueError:
        raise Unverifiable(f"key_path: {text:.40} in {key_path!r:.80} is no text") from None


def value_at(value: Any, key_path: str, where: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    """What stands at a path inside a JSON value."""
    whole = value
    for number, step in enumerate(steps_of(key_path)):
        if not number and step.wanted is None and isinstance(whole, Mapping):
            _tell_deeper(whole, step.name, key_path, where)
        value = _inner(value, step, where)
    return value


def _tell_deeper(whole: Mapping[str, Any], name: str, key_path: str, where: str) -> None:
    """Say where a name stands that is missing at the top and is found once below it."""
    inside = [key for key, inner in whole.items() if isinstance(inner, Mapping) and name in inner]
    if name not in whole and len(inside) == 1:
        meant = f"{joined('', str(inside[0]))}{'' if key_path[:1] == '[' else '.'}{key_path}"
        raise NotThere(f"{where} has no {name!r:.60} at the top; there is {meant:.120}")


def joined(key_path: str, name: str) -> str:
    """The path one key further; a key that holds marks of a path is quoted."""
    if re.fullmatch(_PLAIN, name):
        return f"{key_path}.{name}" if key_path else name
    return f"{key_path}[{json.dumps(name, ensure_ascii=False)}]"


def _inner(value: Any, step: PathStep, where: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    if isinstance(value, Mapping):
        if step.wanted is None and step.name in value:
            return value[step.name]
        known = ", ".join(list(map(str, value))[:_MOST_SHOWN])
        raise NotThere(f"{where} has no {str(step)!r:.60}; its keys are {known or 'none':.400}")
    if isinstance(value, Sequence) and not isinstance(value, str):
        if step.wanted is not None:
            rows = [row for row in value if isinstance(row, Mapping) and step.name in row]
            found = [row for row in rows if as_word(row[step.name]) == step.wanted]
            if len(found) == 1:
                return found[0]
            raise NotThere(f"{where} has {len(found)} elements with {step!s:.60}")
        if re.fullmatch(r"-?\d{1,9}", step.name) and -len(value) <= int(step.name) < len(value):
            return value[int(step.name)]
        raise NotThere(f"{where} has no element {step.name:.60} among {len(value)}")
    raise NotThere(f"{where}: nothing is inside {value!r:.40}")


def records_in(value: Any) -> list[Mapping[str, Any]] | None:  # noqa: ANN401 - JSON is any of six types
    """The records of a list, or of an object of objects; None if a value is neither."""
    if isinstance(value, Mapping):
        records: Sequence[Any] = list(value.values())
        names = [{KEY: name} for name in value]
    else:
        records = value if isinstance(value, list) else []
        names = [{} for _ in records]
    if not records or not all(isinstance(one, Mapping) for one in records):
        return None
    return [{**name, **one} for name, one in zip(names, records, strict=True)]
