"""A file that may be a log: its bytes, its structure, and the files beside it.

The content decides the format, never the name alone: a format asks for the keys of the JSON,
the columns of the table or the members of the archive.
"""

import codecs
import io
import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from assay.bounds import MAX_FILE_BYTES, MAX_ROWS
from assay.digests import digest
from assay.errors import SpecError, StorageError, storage, writable
from assay.files import read_bounded, stamp
from assay.folders import file_digest
from assay.logs.lenient_json import (
    LONGEST_LINE,
    FieldReader,
    decode,
    first_element,
    loads,
    object_or_none,
)
from assay.logs.zip_members import ZipMembers, is_zip
from assay.tables.compressed import compression_of, unpack_frames, unpacked

T = TypeVar("T")
_HEAD = 1 << 16
_MARK = b"\xef\xbb\xbf"
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


class LogFile:
    """A file, read on first use."""

    def __init__(self, path: Path) -> None:
        with storage(path):
            if not path.is_file():
                raise SpecError(
                    f"{path}: {'not a regular file' if path.exists() else 'no such file or folder'}"
                )
        self.path = path
        self.stamp = stamp(path)
        self._read_digest: str | None = None

    def __str__(self) -> str:
        return str(self.path)

    @cached_property
    def _stored_head(self) -> bytes:
        with storage(self.path), self.path.open("rb") as file:
            return file.read(4 * _HEAD)

    @cached_property
    def head(self) -> bytes:
        """The first bytes of the file, unpacked."""
        stored = self._stored_head
        if compression_of(stored) is None:
            return _narrow(stored[:_HEAD])
        try:
            return _narrow(unpack_frames(stored, _HEAD, where=str(self.path)))
        except SpecError:
            return b""

    @cached_property
    def data(self) -> bytes:
        """All bytes of the file, unpacked, without a byte order mark."""
        stored = read_bounded(self.path, MAX_FILE_BYTES)
        self._read_digest = digest(stored)
        return _narrow(unpacked(stored, where=str(self.path))).removeprefix(_MARK)

    @property
    def digest(self) -> str:
        """The digest of the bytes that were read, or of the file if only parts of it were.

        A file that has changed since it was opened is refused.
        """
        found = self._read_digest
        if found is None:
            with storage(self.path):
                _, found = file_digest(self.path)
        if stamp(self.path) != self.stamp:
            raise StorageError(f"{self.path} changed while it was read", hint="Try again.")
        return found

    @cached_property
    def members(self) -> ZipMembers | None:
        """The members of a zip archive; None if the file is not one."""
        if compression_of(self._stored_head) is not None and is_zip(self.head):
            raise SpecError(
                f"{self.path}: the archive was compressed a second time",
                hint="Unpack it once, for example with gunzip.",
            )
        return ZipMembers(self.path) if is_zip(self._stored_head) else None

    @cached_property
    def is_parquet(self) -> bool:
        """Whether the file is Parquet."""
        return self._stored_head[:4] == b"PAR1"

    @cached_property
    def keys(self) -> frozenset[str]:
        """The keys of a JSON object, or of the first one in an array or in lines of JSON."""
        return frozenset(self.first_object)

    @property
    def first_object(self) -> Mapping[str, Any]:
        """A JSON object, or the first one in an array or in lines of JSON; empty if there is none.

        The values of a file that is one object are not decoded.
        """
        return self._first if isinstance(self._first, dict) else {}

    @cached_property
    def is_lines(self) -> bool:
        """Whether the first line of the file is a complete JSON object, as in JSON lines.

        A document on a single line counts too.
        """
        start = self.head.removeprefix(_MARK).lstrip()[:1]
        return start == b"{" and object_or_none(self._first_line) is not None

    @cached_property
    def _first_line(self) -> bytes:
        start = self.head.removeprefix(_MARK).lstrip()
        if b"\n" in start or len(self.head) < _HEAD:
            return start.split(b"\n", 1)[0]
        return self.data.lstrip().split(b"\n", 1)[0]

    @cached_property
    def _first(self) -> Any:  # noqa: ANN401 - JSON is any of six types
        start = self.head.removeprefix(_MARK).lstrip()[:1]
        if start not in (b"{", b"[") or self.members is not None or self.is_parquet:
            return None
        if self.is_lines:
            return object_or_none(self._first_line)
        if start == b"[":
            return first_element(self.data)
        try:
            return msgspec.json.decode(self.data, type=dict[str, msgspec.Raw])
        except (msgspec.DecodeError, RecursionError, ValueError):
            try:
                return self.json
            except SpecError:
                return None

    @cached_property
    def json(self) -> Any:  # noqa: ANN401 - JSON is any of six types
        """The whole file as one JSON value; a bare NaN is a NaN."""
        return loads(self.data, where=str(self.path))

    def decoded(self, form: type[T]) -> T:
        """The whole file as a struct."""
        return decode(self.data, form, where=str(self.path))

    def table_of(self, harness: str) -> Mapping[str, Any]:
        """The whole file as one object, which must be the results of a harness."""
        if not isinstance(self.json, dict) or not isinstance(self.json.get("results"), dict):
            raise SpecError(f"{self.path}: not results of {harness}")
        return self.json

    def lines(self) -> Iterator[tuple[str, Any]]:
        """Each line's place and its JSON value."""
        for where, line in self.raw_lines():
            yield where, loads(line, where=where)

    def fields(self, names: Sequence[str]) -> Iterator[tuple[str, tuple[Any, ...]]]:
        """Each line's place and these fields of its object; `msgspec.UNSET` for a missing one."""
        read = FieldReader(names).read
        for where, line in self.raw_lines():
            yield where, read(line, where=where)

    def raw_lines(self) -> Iterator[tuple[str, bytes]]:
        """Each line's place and its bytes; blank lines are skipped."""
        place = f"{self.path}, line"
        for number, line in enumerate(io.BytesIO(self.data), 1):
            if line.isspace():
                continue
            if len(line) > LONGEST_LINE or number > MAX_ROWS:
                raise SpecError(
                    f"{place} {number}: the line is too long, or the file has too many lines"
                )
            yield f"{place} {number}", line

    def forget(self) -> None:
        """Release the bytes; the next use reads the file again."""
        for name in ("data", "json", "head", "members"):
            self.__dict__.pop(name, None)

    def beside(self, name: str) -> "LogFile | None":
        """A file in the same folder."""
        path = self.path.parent / name
        with storage(path):
            return LogFile(path) if path.is_file() else None


def _narrow(data: bytes) -> bytes:
    """A text as UTF-8, converted if its byte order mark says UTF-16."""
    if not data.startswith(_WIDE_MARKS):
        return data
    return data.decode("utf-16", "replace").encode()


def table_in(value: object, *names: str) -> Mapping[str, Any]:
    """The nested table under these names; empty if it is missing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else {}


def number(value: object) -> float | None:
    """A score as a number; None if it is missing or not a number."""
    if type(value) is float:  # the usual case
        return value if math.isfinite(value) else None
    if isinstance(value, (bool, int, float)):
        try:
            found = float(value)
        except OverflowError:
            return None
        return found if math.isfinite(found) else None
    return None


def numbers(named: Mapping[str, object]) -> dict[str, float]:
    """Those of some named values that are numbers."""
    return {name: found for name, one in named.items() if (found := number(one)) is not None}


def text(value: object) -> str | None:
    """A text, or None; a chat is its last message's text, a list of texts is joined."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, list):
        parts = [text(part) for part in value]
        roles = [isinstance(part, dict) and "role" in part for part in value]
        if any(roles):
            users = [part for part, at in zip(parts, value, strict=True) if _is_user(at)]
            return (users or parts)[-1]
        return "\n".join(part for part in parts if part)
    if isinstance(value, dict):
        return text(value.get("content", value.get("text")))
    return str(value)


def _is_user(message: object) -> bool:
    return isinstance(message, dict) and message.get("role") == "user"


def canonical(value: object) -> str:
    """A value as JSON with sorted keys; values outside JSON are written as in Python."""
    try:
        return msgspec.json.encode(value, order="sorted").decode()
    except (TypeError, UnicodeEncodeError, RecursionError):
        return writable(repr(value))


def fingerprint(value: object) -> str:
    """A short digest of a setting, for comparing two of them."""
    return digest(canonical(value).encode()).removeprefix("sha256:")[:12]
