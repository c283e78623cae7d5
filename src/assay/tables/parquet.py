"""Check the size of a Parquet file from its metadata, before unpacking it.

A few kilobytes of Parquet can expand to billions of values: repeated values are stored once, and
pages are compressed. So the footer and the header of every page are read first (in Thrift's compact
protocol), and the sizes they declare are checked against the limits of all readers.

The declared sizes do not limit texts in lists, which grow when unpacked. A file with such columns
is first unpacked on trial, in a process with limits (on Linux; elsewhere there is no limit).

Format: https://github.com/apache/parquet-format (Thrift definitions, version 2.11).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from assay.bounds import MAX_CELLS, MAX_COLUMNS, MAX_DEPTH, MAX_ROWS, MAX_UNPACKED_BYTES
from assay.errors import SpecError
from assay.tables.frames import fault_on_trial, frame_rows, load_polars, read_frame
from assay.tables.nested import PlacedRows

_MAGIC = b"PAR1"
_MOST_METADATA = 16 << 20
_MOST_VALUES = 2_000_000
"""The most values in the footer and all page headers: 40 for each of 50,000 column chunks."""
_DESCRIBED = {0: 5, 2: 7, 3: 8}
"""The field that describes a page header, by kind: data, dictionary, data of version 2."""
_ENCODING = {5: 2, 7: 2, 8: 4}
"""The field of that description with the encoding."""
_TEXTS = (6, 7)
"""Physical types of byte arrays: of any length, and of a fixed one."""
_FIXED = 7
_LONGEST_FIXED = 64
"""Bytes of a value of fixed length, such as an identifier or a decimal number."""
_REPEATED = 2
_PREFIXES = 7
"""DELTA_BYTE_ARRAY: each text is stored as its difference from the one before."""


class _Malformed(Exception):
    """The metadata do not follow the protocol."""


@dataclass
class _Compact:
    """Reads values of Thrift's compact protocol; structs become dictionaries by field number."""

    data: bytes
    at: int = 0
    values: int = 0

    def byte(self) -> int:
        if not 0 <= self.at < len(self.data):
            raise _Malformed
        self.at += 1
        return self.data[self.at - 1]

    def varint(self) -> int:
        number = shift = 0
        while shift < 70:
            byte = self.byte()
            number |= (byte & 0x7F) << shift
            if byte < 0x80:
                return number
            shift += 7
        raise _Malformed

    def integer(self) -> int:
        number = self.varint()
        return (number >> 1) ^ -(number & 1)

    def value(self, kind: int, depth: int) -> Any:  # noqa: ANN401 - any of the protocol's types
        self.values += 1
        if depth > MAX_DEPTH or self.values > _MOST_VALUES:
            raise _Malformed
        match kind:
            case 1 | 2:
                return kind == 1
            case 3:
                return self.byte()
            case 4 | 5 | 6:
                return self.integer()
            case 7 | 8:
                size = 8 if kind == 7 else self.varint()
                if self.at + size > len(self.data):
                    raise _Malformed
                self.at += size
                return self.data[self.at - size : self.at]
            case 9 | 10:
                head = self.byte()
                size = self.varint() if head >> 4 == 15 else head >> 4
                if size > min(len(self.data) - self.at, _MOST_VALUES - self.values):
                    raise _Malformed
                # A boolean in a list takes one byte.
                inner = 3 if head & 15 in (1, 2) else head & 15
                return [self.value(inner, depth + 1) for _ in range(size)]
            case 12:
                return self.struct(depth + 1)
        raise _Malformed

    def struct(self, depth: int = 0) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self.byte():
            number = number + (head >> 4) if head >> 4 else self.integer()
            fields[number] = self.value(head & 15, depth)
        return fields


@dataclass
class _Announced:
    """The sizes that a file declares."""

    rows: int = 0
    values: int = 0
    unpacked: int = 0


def check_parquet(data: bytes, *, where: str) -> None:
    """Refuse a file that declares more than the limits allow, before unpacking it."""
    try:
        metadata = _footer(data)
        lists = _check_schema(metadata[2], where)
        announced = _Announced(rows=metadata[3])
        rows, reader = 0, _Compact(data)
        for group in metadata[4]:
            rows += _natural(group[3])
            for chunk in group[1]:
                _add_column(announced, reader, chunk[3], where)
        announced.rows = max(_natural(announced.rows), rows)
    except (_Malformed, KeyError, TypeError, AttributeError, IndexError):
        raise SpecError(f"{where}: not Parquet: its metadata cannot be read") from None
    for name, count, most in (
        ("rows", announced.rows, MAX_ROWS),
        ("values", announced.values, MAX_CELLS),
        ("bytes unpacked", announced.unpacked, MAX_UNPACKED_BYTES),
    ):
        if count > most:
            raise SpecError(
                f"{where}: {count:,} {name}, at most {most:,} allowed",
                hint="Take a part of it.",
            )
    fault = fault_on_trial(data, "read_parquet") if lists else None
    if fault is not None:
        raise SpecError(
            f"{where}: a list of texts cannot be read: {fault}",
            hint="Save it as one JSON object a line (.jsonl).",
        )


def _footer(data: bytes) -> dict[int, Any]:
    size = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or not data.startswith(_MAGIC) or not data.endswith(_MAGIC):
        raise _Malformed
    if size > min(len(data) - 8, _MOST_METADATA):
        raise _Malformed
    return _Compact(data[len(data) - 8 - size : -8]).struct()


def _check_schema(elements: list[dict[int, Any]], where: str) -> bool:
    """Refuse too many or too deep columns; True if a column has texts in lists."""
    leaves, lists = 0, False
    open_groups: list[int] = []
    repeated: list[bool] = []
    for element in elements:
        while open_groups and not open_groups[-1]:
            open_groups.pop()
            repeated.pop()
        if open_groups:
            open_groups[-1] -= 1
        if len(open_groups) > MAX_DEPTH:
            raise SpecError(f"{where}: nested deeper than {MAX_DEPTH} levels")
        is_repeated = element.get(3) == _REPEATED
        if element.get(5):
            open_groups.append(_natural(element[5]))
            repeated.append(is_repeated)
            continue
        leaves += 1
        lists = lists or ((is_repeated or any(repeated)) and element.get(1) in _TEXTS)
        if element.get(1) == _FIXED and _natural(element.get(2, 0)) > _LONGEST_FIXED:
            raise SpecError(
                f"{where}: values of {element[2]:,} bytes each, at most {_LONGEST_FIXED} allowed"
            )
    if leaves > MAX_COLUMNS:
        raise SpecError(f"{where}: {leaves:,} columns, at most {MAX_COLUMNS:,} allowed")
    return lists


def _add_column(
    announced: _Announced, reader: _Compact, column: dict[int, Any], where: str
) -> None:
    """Add the size that a column chunk declares, or its pages, whichever is more."""
    values = unpacked = 0
    for header in _pages(reader, _start(column), _natural(column[7])):
        described, encoding = _described(header)
        if encoding == _PREFIXES:
            raise SpecError(
                f"{where}: unsupported encoding of texts: DELTA_BYTE_ARRAY",
                hint="Write it again with plain or dictionary encoding.",
            )
        values += _natural(described[1])
        unpacked += _natural(header[2])
        if announced.values + values > MAX_CELLS or unpacked > MAX_UNPACKED_BYTES:
            break  # over the limit already
    announced.values += max(values, _natural(column[5]))
    announced.unpacked += max(unpacked, _natural(column[6]))


def _start(column: dict[int, Any]) -> int:
    """The start of a column chunk's pages: at its dictionary, if it has one."""
    pages = _natural(column[9])
    start = _natural(column.get(11, pages))
    if start > pages:  # a reader that begins with the dictionary would see other pages
        raise _Malformed
    return start


def _pages(reader: _Compact, start: int, size: int) -> Iterator[dict[int, Any]]:
    """The page headers of a column chunk."""
    at, end = start, start + size
    if end > len(reader.data):
        raise _Malformed
    while at < end:
        reader.at = at
        header = reader.struct()
        at = reader.at + _natural(header[3])
        yield header


def _described(header: dict[int, Any]) -> tuple[dict[int, Any], int]:
    """The description of a page's values, and their encoding.

    A header with two descriptions is refused: another reader might use the other one.
    """
    field = _DESCRIBED[header[1]]
    if [number for number in _ENCODING if number in header] != [field]:
        raise _Malformed
    return header[field], header[field][_ENCODING[field]]


def _natural(number: int) -> int:
    if not isinstance(number, int) or number < 0:
        raise _Malformed
    return number


def parquet_rows(data: bytes, where: str) -> PlacedRows:
    """The rows of a Parquet file."""
    polars = load_polars(where, "Parquet")
    check_parquet(data, where=where)
    return frame_rows(read_frame(polars.read_parquet, data, where, "Parquet"), where)
