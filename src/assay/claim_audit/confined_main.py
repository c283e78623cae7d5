"""What the confined process does: import, read a PDF, search a text, and answer in JSON lines."""

import importlib
import importlib.util
import json
import math
import os
import re
import socket
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_MOST_PAGES = 2_000
_MOST_MATCHES = 100_000
_INSTALLED = {"site-packages", "dist-packages"}


def main() -> None:
    """Answer questions until the other side goes away."""
    line = socket.socket(fileno=int(sys.argv[-3]))
    sees, root = sys.argv[-2], sys.argv[-1]
    if sees == "code":
        sys.path[:0] = [root, os.path.join(root, "src")]  # noqa: PTH118 - a text of sys.path
    else:
        sys.path[:] = [path for path in sys.path if not is_of_root(path, root)]
    sys.stdout = sys.stderr  # what an import prints is no answer
    with line, line.makefile("rwb") as file:
        for question in file:
            try:
                answer = json.dumps(_answered(json.loads(question), root))
            except BaseException as error:  # an import may raise anything
                why = f"{type(error).__name__}: {error}"
                answer = json.dumps({"type": "error", "why": why[:1000]})
            file.write(answer.encode() + b"\n")
            file.flush()


def is_of_root(path: str, root: str) -> bool:
    """Whether a file or folder is the root's own: below it, and not an installed package."""
    real, top = os.path.realpath(path), os.path.realpath(root)
    if real != top and not real.startswith(f"{top}{os.sep}"):
        return False
    return not _INSTALLED & set(Path(real[len(top) :]).parts)


def _answered(question: dict[str, Any], root: str) -> dict[str, Any]:
    if "module" in question:
        return _attribute(question["module"], question["attr"], root)
    if "pdf" in question:
        return _pdf(Path(question["pdf"]))
    return _matches(question["pattern"], question["text"])


def _attribute(module: str, attr: str, root: str) -> dict[str, Any]:
    """The value of an attribute of a module, as JSON has it; or that it has none.

    Where the module comes from is looked up before any of its code runs.
    """
    spec = importlib.util.find_spec(module.partition(".")[0])
    places = [] if spec is None else [spec.origin or "", *(spec.submodule_search_locations or ())]
    files = [place for place in places if os.path.isabs(place)]  # noqa: PTH117 - not "built-in"
    if spec is not None and not (files and all(is_of_root(file, root) for file in files)):
        where = files[0] if files else spec.origin
        return _error(f"{module} is no module of the root: it comes from {where}")
    value: Any = importlib.import_module(module)
    file = str(getattr(value, "__file__", None) or (files or [""])[0])
    for name in attr.split("."):
        if not hasattr(value, name):
            return {"type": "attribute", "file": file, "present": False}
        value = getattr(value, name)
    return {"type": "attribute", "file": file, "present": True, "value": _plain(value)}


def _plain(value: object) -> object:
    """A value as JSON has it; of another kind its text."""
    if isinstance(value, dict):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if isinstance(value, (list, tuple, set, frozenset)):
        ordered: Iterable[object] = value
        if isinstance(value, (set, frozenset)):
            ordered = sorted(value, key=repr)
        return [_plain(inner) for inner in ordered]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def _pdf(path: Path) -> dict[str, Any]:
    """The pages of a PDF, and its texts."""
    try:
        from pypdf import PdfReader
    except ImportError:
        return _error("reading PDFs needs pypdf: pip install 'assay-eval[claims]'")
    reader = PdfReader(path)
    pages = len(reader.pages)
    if pages > _MOST_PAGES:
        return _error(f"{pages:,} pages, at most {_MOST_PAGES:,} are read")
    titles = [str(part.title) for part in _outline(reader.outline)]
    texts = [page.extract_text() for page in reader.pages]
    return {"type": "pdf", "pages": pages, "titles": titles, "texts": texts}


def _outline(parts: list[Any]) -> Iterable[Any]:
    for part in parts:
        if isinstance(part, list):
            yield from _outline(part)
        else:
            yield part


def _matches(pattern: str, text: str) -> dict[str, Any]:
    """What each match captures, and the line on which it stands."""
    found = []
    line, before = 1, 0
    try:
        for one in re.finditer(pattern, text, re.MULTILINE):
            captured = (one[1] if one.re.groups else one[0]) or ""
            line += text.count("\n", before, one.start())
            before = one.start()
            found.append((captured, line))
            if len(found) > _MOST_MATCHES:
                return _error(f"more than {_MOST_MATCHES:,} matches")
    except re.error as error:
        return _error(f"{pattern!r:.60} is no regular expression: {error}")
    return {"type": "matches", "found": found}


def _error(why: str) -> dict[str, Any]:
    return {"type": "error", "why": why}
