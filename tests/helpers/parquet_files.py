"""Parquet files written by hand, so that their metadata can say anything.

A struct is a dictionary by field number. Whole numbers are written as Thrift's i64, which readers
take for any width.
"""

import struct
from itertools import pairwise


def varint(number):
    written = b""
    while number >= 0x80:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])


def zigzag(number):
    return varint((number << 1) ^ (number >> 63))


def kind_of(value):
    match value:
        case bool():
            return 1 if value else 2
        case int():
            return 6
        case bytes() | str():
            return 8
        case list():
            return 9
        case dict():
            return 12
    raise TypeError(value)


def encoded(value):
    """A value of the compact protocol."""
    match value:
        case bool():
            return b""
        case int():
            return zigzag(value)
        case str():
            return encoded(value.encode())
        case bytes():
            return varint(len(value)) + value
        case list():
            inner = kind_of(value[0]) if value else 6
            return bytes([0xF0 | inner]) + varint(len(value)) + b"".join(map(encoded, value))
        case dict():
            fields = [
                bytes([kind_of(one)]) + zigzag(number) + encoded(one)
                for number, one in value.items()
            ]
            return b"".join(fields) + b"\0"
    raise TypeError(value)


def closed(body, footer):
    """A file with this beginning and this footer."""
    return body + footer + struct.pack("<I", len(footer)) + b"PAR1"


TEXT = {1: 6, 3: 0, 4: "question", 6: 0}


def a_file(pages, *, values, leaf=TEXT, body=b"PAR1", column=None):
    """One column with these pages, each a header and its bytes; `column` changes its metadata."""
    start = len(body)
    body += b"".join(encoded(header) + data for header, data in pages)
    size = len(body) - start
    metadata = {1: leaf[1], 2: [0], 3: ["question"], 4: 0, 5: values, 6: size, 7: size, 9: start}
    described = {k: v for k, v in {**metadata, **(column or {})}.items() if v is not None}
    group = {1: [{2: start, 3: described}], 2: size, 3: values}
    root = {4: "root", 5: 1}
    return closed(body, encoded({1: 1, 2: [root, leaf], 3: values, 4: [group]}))


def page(data, values, *, encoding=0, **more):
    """A data page of the first version."""
    described = {1: values, 2: encoding, 3: 3, 4: 3}
    header = {1: 0, 2: len(data), 3: len(data), 5: described}
    return {**header, **{int(key[1:]): one for key, one in more.items()}}, data


def plain(texts):
    return b"".join(struct.pack("<I", len(text)) + text for text in texts)


def deltas(values):
    """Whole numbers in the encoding DELTA_BINARY_PACKED, with 32 bits each."""
    written = varint(128) + varint(4) + varint(len(values)) + zigzag(values[0])
    steps = [after - before for before, after in pairwise(values)]
    for start in range(0, len(steps), 128):
        block = steps[start : start + 128]
        least = min(block)
        rest = [step - least for step in block] + [0] * (128 - len(block))
        minis = [rest[at : at + 32] if at < len(block) else [] for at in range(0, 128, 32)]
        written += zigzag(least) + bytes(32 if any(mini) else 0 for mini in minis)
        written += b"".join(struct.pack("<32I", *mini) for mini in minis if any(mini))
    return written


def shared(length, count):
    """Texts of so many letters that are stored once (DELTA_BYTE_ARRAY)."""
    prefixes, suffixes = [0] + [length] * (count - 1), [length] + [0] * (count - 1)
    return deltas(prefixes) + deltas(suffixes) + b"a" * length
