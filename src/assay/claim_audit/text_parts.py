"""The texts of a file: all of it, or the Markdown cells of a notebook."""

import json
from collections.abc import Iterator
from pathlib import Path

from assay.digests import decode_utf8
from assay.errors import SpecError

LISTS = (".toml", ".json")
TEXTS = (".md", ".markdown", ".html", ".rst", ".tex", ".txt", ".ipynb")


def parts_of(data: bytes, where: str) -> list[tuple[str, str, str]]:
    """The text, place and format of each part; a claim file has none."""
    suffix = Path(where).suffix.lower()
    if suffix in LISTS:
        return []
    if suffix not in TEXTS:
        raise SpecError(f"{where}: claims are read from {', '.join((*LISTS, *TEXTS))}")
    text = decode_utf8(data, where=where)
    if suffix == ".ipynb":
        return [(part, place, ".md") for place, part in _notebook_texts(text, where)]
    return [(text, where, suffix)]


def _notebook_texts(data: str, where: str) -> Iterator[tuple[str, str]]:
    """The Markdown of a notebook's cells, each with its place."""
    try:
        cells = json.loads(data)["cells"]
        for number, cell in enumerate(cells, 1):
            if cell.get("cell_type") == "markdown":
                source = cell.get("source", "")
                text = source if isinstance(source, str) else "".join(source)
                yield f"{where}, cell {number}", text
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        raise SpecError(f"{where}: not a notebook: expected JSON with cells") from None
