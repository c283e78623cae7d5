"""The confined process: import, read a PDF, search a text, and answer in JSON lines."""

import importlib
import json
import re
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_MOST_PAGES = 2_000
_MOST_MATCHES = 100_000


def main() -> None:
    """Answer requests until the input ends."""
    line = socket.socket(fileno=int(sys.argv[-2]))
    root = Path(sys.argv[-1])
    sys.path[:0] = [str(root), str(root / "src")]
    sys.stdout = sys.stderr  # what an import prints is no answer
    with line, line.makefile("rwb") as file:
        for question in file:
            try:
                answer = _answered(json.loads(question))
            except BaseException as error:  # an import may raise anything
                answer = {"error": f"{type(error).__name__}: {error}"}
            file.write(json.dumps(answer, default=repr).encode() + b"\n")
            file.flush()


def _answered(question: dict[str, Any]) -> dict[str, Any]:
    if "module" in question:
        return _attribute(question["module"], question["attr"])
    if "pdf" in question:
        return _pdf(Path(question["pdf"]))
    return _matches(question["pattern"], question["text"])


def _attribute(module: str, attr: str) -> dict[str, Any]:
    """The value of an attribute of a module, as JSON; or that there is none."""
    value: Any = importlib.import_module(module)
    for name in attr.split("."):
        if not hasattr(value, name):
            return {"missing": f"{module} has no {attr}"}
        value = getattr(value, name)
    return {"value": _plain(value)}


def _plain(value: object) -> object:
    """A value as JSON; other types as text."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        ordered: Iterable[object] = value
        if isinstance(value, (set, frozenset)):
            ordered = sorted(value, key=repr)
        return [_plain(inner) for inner in ordered]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _pdf(path: Path) -> dict[str, Any]:
    """The pages of a PDF, and its texts."""
    try:
        from pypdf import PdfReader
    except ImportError:
        return {"error": "reading PDFs needs pypdf: pip install 'assay-eval[claims]'"}
    reader = PdfReader(path)
    pages = len(reader.pages)
    if pages > _MOST_PAGES:
        return {"error": f"{pages:,} pages, at most {_MOST_PAGES:,} are read"}
    titles = [str(part.title) for part in _outline(reader.outline)]
    return {
        "pages": pages,
        "titles": titles,
        "texts": [page.extract_text() for page in reader.pages],
    }


def _outline(parts: list[Any]) -> Iterable[Any]:
    for part in parts:
        if isinstance(part, list):
            yield from _outline(part)
        else:
            yield part


def _matches(pattern: str, text: str) -> dict[str, Any]:
    """What each match captures, and the line on which it stands."""
    found = []
    try:
        for one in re.finditer(pattern, text, re.MULTILINE):
            captured = (one[1] if one.re.groups else one[0]) or ""
            found.append((captured, text.count("\n", 0, one.start()) + 1))
            if len(found) > _MOST_MATCHES:
                return {"error": f"more than {_MOST_MATCHES:,} matches"}
    except re.error as error:
        return {"error": f"{pattern!r:.60} is not a regular expression: {error}"}
    return {"matches": found}
