"""Recognise files without rows (PDF, pickle, HTML) and say what to do. None is ever opened."""

import re
from collections.abc import Mapping

from assay.errors import SpecError
from assay.tables.text import likely_wide

_AS_CSV = "Open it in its program and save the sheet as CSV (UTF-8)."
_EXPORT = "Load it with the tool that wrote it and save the rows as .jsonl, .csv or .parquet."
_UNZIP = "Unpack it and name the file of rows inside."
_BINARY: Mapping[bytes, tuple[str, str]] = {
    b"%PDF": ("a PDF", "Find the data behind it: .csv, .jsonl or .parquet."),
    b"SQLite format 3\0": (
        "a SQLite database",
        "Save the table as CSV: sqlite3 -header -csv FILE 'select * from TABLE' > rows.csv",
    ),
    b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1": ("an old Office file, such as Excel .xls", _AS_CSV),
    b"\x89HDF\r\n\x1a\n": ("HDF5", _EXPORT),
    b"\x93NUMPY": ("a NumPy array (.npy)", _EXPORT),
    b"FEA1": ("Feather version 1", "Save it as Arrow or Parquet."),
    b"ORC": ("ORC", "Save it as Parquet."),
    b"Obj\x01": ("Avro", "Save it as Parquet."),
    b"7z\xbc\xaf\x27\x1c": ("a 7z archive", _UNZIP),
    b"Rar!": ("a RAR archive", _UNZIP),
    b"\x89PNG": ("an image", _EXPORT),
    b"\xff\xd8\xff": ("an image", _EXPORT),
}
_LFS = b"version https://git-lfs"
_PICKLE = re.compile(rb"\x80[\x02-\x05]")
_MARKUP = re.compile(rb"(?:\xef\xbb\xbf)?\s*<(?:!doctype\s+html|html|head|body|!--)", re.IGNORECASE)
_XML = re.compile(rb"(?:\xef\xbb\xbf)?\s*<\?xml", re.IGNORECASE)
_JSON = re.compile(rb"\s*[{\[]")
_TAR = slice(257, 262)
_START = 1 << 12


def refuse_foreign(data: bytes, ending: str, *, where: str, as_text: bool) -> None:
    """Refuse a file of another kind; `as_text` if its encoding was named."""
    if not data or data.isspace():
        raise SpecError(
            f"{where}: the file is empty",
            hint="Check that it was written or downloaded completely.",
        )
    seems, remedy = _seems(data)
    if not seems and not as_text and _is_binary(data):
        seems, remedy = f"binary data that begin with {data[:8].hex(' ')}", _EXPORT
    if seems and ending in (".parquet", ".arrow"):
        kind = ending[1:].capitalize()
        raise SpecError(f"{where}: not {kind}: it seems to be {seems}", hint=remedy)
    if seems:
        raise SpecError(f"{where}: seems to be {seems}, expected rows", hint=remedy)
    if ending in (".parquet", ".arrow") and not as_text and not _begins_as_text(data):
        raise SpecError(
            f"{where}: not {ending[1:].capitalize()}: it begins with {data[:8]!r}",
            hint="Check that it was downloaded completely.",
        )


def _seems(data: bytes) -> tuple[str, str]:
    for magic, told in _BINARY.items():
        if data.startswith(magic):
            return told
    if data.startswith(_LFS):
        return "a Git LFS pointer instead of the file", "Fetch the file: git lfs pull"
    if data.startswith(b"PK\x03\x04"):
        return _zip(data)
    if _PICKLE.match(data) and data.rstrip(b"\0").endswith(b"."):
        return (
            "a Python pickle, which Assay never opens: it may run any code",
            "If you trust it, load it yourself and save the rows as .jsonl or .parquet.",
        )
    if _MARKUP.match(data):
        return (
            "an HTML page",
            "Download the file itself, not the page about it.",
        )
    if _XML.match(data):
        return "XML", _EXPORT
    if data[_TAR] == b"ustar":
        return "a tar archive", _UNZIP
    return "", ""


def _zip(data: bytes) -> tuple[str, str]:
    start = data[:_START]
    if b"xl/" in start or b"[Content_Types].xml" in start:
        return "an Excel workbook (.xlsx)", _AS_CSV
    if b"opendocument" in start:
        return "an OpenDocument file, such as .ods", _AS_CSV
    return "a zip archive", _UNZIP


def _is_binary(data: bytes) -> bool:
    """Whether NULs show that this is not text, not even UTF-16 or UTF-32."""
    return b"\0" in data[:_START] and likely_wide(data) is None


def _begins_as_text(data: bytes) -> bool:
    return _JSON.match(data) is not None
