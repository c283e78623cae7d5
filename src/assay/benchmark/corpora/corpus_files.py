"""Read the records of a published file, each with its place.

JSON lines (with any file ending), one JSON array, CSV, Parquet, and any of them packed with gzip.
Parsing is strict and limited, including the unpacked size.
"""

import io
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.digests import decode_utf8, digest, json_lines, parse_json
from assay.errors import SpecError
from assay.files import read_bounded
from assay.tables.nested import kind_of
from assay.tables.rows import rows_of

MOST_BYTES = 512 << 20
_GZIP = b"\x1f\x8b"
_TABLES = (".csv", ".tsv", ".parquet")


@dataclass(frozen=True, kw_only=True)
class CorpusRecord:
    """One record: its place, a name from its place, and its fields."""

    where: str
    name: str
    fields: Mapping[str, object]

    def text(self, field: str) -> str:
        """A field that must hold text."""
        value = self.required(field)
        if not isinstance(value, str):
            raise self.wrong(field, "text", value)
        return value

    def texts(self, field: str) -> list[str]:
        """A field that must hold a list of texts."""
        value = self.required(field)
        if not isinstance(value, list):
            raise self.wrong(field, "a list of texts", value)
        for text in value:
            if not isinstance(text, str):
                raise self.wrong(field, "a list of texts", text)
        return value

    def key(self, field: str) -> str:
        """A field that must hold an id: text or a whole number."""
        value = self.required(field)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if not isinstance(value, str) or not value.strip():
            raise self.wrong(field, "an id", value)
        return value

    def has(self, *fields: str) -> bool:
        """Whether all these fields exist and none is null."""
        return all(self.fields.get(field) is not None for field in fields)

    def required(self, field: str) -> object:
        """A field that must exist."""
        if field not in self.fields:
            raise SpecError(
                f"{self.where}: no field {field!r}; the fields are {listed(self.fields)}"
            )
        return self.fields[field]

    def wrong(self, field: str, expected: str, got: object) -> SpecError:
        """The error for a field with an unexpected value."""
        return SpecError(f"{self.where}, field {field!r}: expected {expected}, got {kind_of(got)}")


@dataclass(frozen=True, kw_only=True)
class CorpusFile:
    """A file that was read: its name, the digest of its bytes, and its records."""

    name: str
    digest: str
    records: tuple[CorpusRecord, ...]


def read_source(path: Path, *, before: str = "") -> CorpusFile:
    """The records of one file; `before` is a prefix of their numbers."""
    data = read_bounded(path, MOST_BYTES)
    records = tuple(
        CorpusRecord(where=where, name=f"{before}{number}", fields=fields)
        for number, (where, fields) in enumerate(_rows(path, data), 1)
    )
    if not records:
        raise SpecError(f"{path}: no records")
    return CorpusFile(name=path.name, digest=digest(data), records=records)


def read_sources(paths: Sequence[Path]) -> list[CorpusFile]:
    """Several files; from the second on, the names of records say which file they are from."""
    files: list[CorpusFile] = []
    for number, path in enumerate(paths, 1):
        file = read_source(path, before="" if number == 1 else f"{number}.")
        same = next((other.name for other in files if other.digest == file.digest), None)
        if same is not None:
            raise SpecError(f"{path}: the same bytes as {same}", hint="Give each file once.")
        files.append(file)
    return files


def listed(names: Mapping[str, object]) -> str:
    """Some field names, for an error."""
    shown = [repr(name)[:60] for name in names]
    return ", ".join(shown[:12]) + (", ..." if len(shown) > 12 else "") or "none"


def _rows(path: Path, data: bytes) -> Iterator[tuple[str, Mapping[str, object]]]:
    if data.startswith(_GZIP):
        data = _unpacked(path, data)
        path = path.with_name(path.name.removesuffix(".gz"))
    where = str(path)
    if path.suffix.lower() in _TABLES:
        yield from rows_of(path, data)
        return
    plain = data.removeprefix(b"\xef\xbb\xbf")
    if plain.lstrip()[:1] == b"[":
        rows = parse_json(decode_utf8(plain, where=where), where=where)
        numbered = ((f"{where}, record {number}", row) for number, row in enumerate(rows, 1))
    else:
        numbered = (
            (f"{where}, line {number}", row) for number, row in json_lines(data, where=where)
        )
    for place, row in numbered:
        if not isinstance(row, dict):
            raise SpecError(f"{place}: expected an object, got {kind_of(row)}")
        yield place, row


def _unpacked(path: Path, data: bytes) -> bytes:
    """The unpacked bytes of a gzip file with any number of members, within a limit."""
    out = io.BytesIO()
    while data:
        member = zlib.decompressobj(wbits=31)
        try:
            out.write(member.decompress(data, MOST_BYTES + 1 - out.tell()))
        except zlib.error as error:
            raise SpecError(f"{path}: not gzip: {error}") from None
        if out.tell() > MOST_BYTES:
            raise SpecError(f"{path}: unpacks to more than {MOST_BYTES:,} bytes")
        if not member.eof:
            raise SpecError(f"{path}: the gzip file is cut off")
        data = member.unused_data
        if data and not data.startswith(_GZIP):
            raise SpecError(f"{path}: {len(data):,} bytes after the end of the gzip data")
    return out.getvalue()
