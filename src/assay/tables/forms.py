"""Recognise the form of a file by its content; the ending of its name only breaks ties."""

import json
import re
from dataclasses import dataclass
from pathlib import PurePath
from typing import Literal

from assay.bounds import MAX_FILE_BYTES, MAX_LINE_BYTES
from assay.errors import SpecError
from assay.tables.arrow import FILE, STREAM
from assay.tables.compressed import compression_of, unpacked
from assay.tables.csv_rows import separator_of
from assay.tables.foreign import refuse_foreign
from assay.tables.text import utf8_of

FormName = Literal["jsonl", "json-array", "json-object", "csv", "parquet", "arrow"]
PACKED = {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "zstandard"}
LINES = (".jsonl", ".ndjson")
TABLES = (".csv", ".tsv")
_OBJECT = re.compile(rb'\s*\{\s*["}]')
_ARRAY = re.compile(rb"\s*\[\s*[{\]]")
_BRACKET = re.compile(rb"\s*\[")
_LINE = re.compile(rb"[^\n]*\S[^\n]*")
_FIRST_LINES = 20


@dataclass(frozen=True, kw_only=True)
class Form:
    """The form of a file, its compression, the separator of its cells, and its bytes.

    `data` is unpacked; text is in UTF-8.
    """

    name: FormName
    data: bytes
    packed: str | None = None
    separator: str | None = None


def endings(name: str) -> tuple[str, str]:
    """The ending of a name that shows the form, and the ending after it that shows compression."""
    path = PurePath(name)
    last = path.suffix.lower()
    if last in PACKED:
        return PurePath(path.stem).suffix.lower(), last
    return last, ""


def form_of(name: str, data: bytes, *, where: str, encoding: str | None = None) -> Form:
    """Recognise the form of a file; a file of another kind is refused."""
    if len(data) > MAX_FILE_BYTES:
        raise SpecError(f"{where}: larger than {MAX_FILE_BYTES:,} bytes")
    packed = compression_of(data)
    if packed is not None:
        data = unpacked(data, where=where)
        if compression_of(data) is not None:
            raise SpecError(f"{where}: compressed twice", hint="Unpack it once and try again.")
    ending, _ = endings(name)
    binary = _binary_form(data)
    if binary is not None:
        if encoding is not None:
            raise SpecError(
                f"{where}: {binary.capitalize()} is binary and has no text encoding",
                hint=f"Leave out `encoding={encoding}`.",
            )
        return Form(name=binary, data=data, packed=packed)
    refuse_foreign(data, ending, where=where, as_text=encoding is not None)
    text = utf8_of(data, where=where, encoding=encoding)
    form = _text_form(text, ending)
    separator = separator_of(text, ending, where) if form in ("csv", None) else None
    if form is None:
        if separator is None:
            raise _unknown(text, where)
        form = "csv"
    return Form(name=form, data=text, packed=packed, separator=separator)


def _binary_form(data: bytes) -> FormName | None:
    if data.startswith(b"PAR1"):
        return "parquet"
    return "arrow" if data.startswith((STREAM, FILE)) else None


def _text_form(data: bytes, ending: str) -> FormName | None:
    """The form of a text; None if only a separator could show it."""
    if _OBJECT.match(data):
        return "jsonl" if ending in LINES or _is_lines(data, ending) else "json-object"
    if _ARRAY.match(data) or (_BRACKET.match(data) and ending not in TABLES):
        return "json-array"
    if ending in LINES:
        return "jsonl"
    if ending == ".json":
        return "json-array"
    return "csv" if ending in TABLES else None


def _is_lines(data: bytes, ending: str) -> bool:
    """Whether a text that begins with an object has one object a line, rather than one in all."""
    lines: list[bytes] = []
    for found in _LINE.finditer(data):
        lines.append(found[0])
        if len(lines) > _FIRST_LINES:
            break
    if len(lines) < 2:
        return False
    whole = [_is_object(line) for line in lines]
    return whole[0] or (ending != ".json" and 2 * sum(whole) >= len(whole))


def _is_object(line: bytes) -> bool:
    if len(line) > MAX_LINE_BYTES:
        return False
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _unknown(data: bytes, where: str) -> SpecError:
    start = data[:200].decode("utf-8", "ignore").strip().split("\n")[0]
    return SpecError(
        f"{where}: neither JSON nor a table with equally long rows; it begins with {start!r:.60}",
        hint="Save it as .jsonl (one JSON object a line), .json, .csv or .parquet.",
    )
