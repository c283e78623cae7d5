"""Append-only files of lines; an interrupted write damages at most the last line.

A line counts once its newline is written. Bytes after the last newline are torn: readers ignore
them, and a writer cuts them off before it appends.
"""

import os
from contextlib import suppress
from io import FileIO
from pathlib import Path

from assay.bounds import MAX_FILE_BYTES
from assay.files import read_bounded, sync


def end_of_lines(data: bytes) -> int:
    """Where the last whole line ends."""
    return data.rfind(b"\n") + 1


def whole_lines(data: bytes) -> bytes:
    """The bytes without a torn last line."""
    return data[: end_of_lines(data)]


def read_lines(path: Path) -> bytes:
    """The complete lines of a journal; empty if there is no file."""
    return whole_lines(read_bounded(path, MAX_FILE_BYTES)) if path.exists() else b""


def cut_torn(path: Path) -> bytes:
    """Cut a torn last line off a journal and return the complete lines before it."""
    data = read_bounded(path, MAX_FILE_BYTES) if path.exists() else b""
    whole = whole_lines(data)
    if whole != data:
        os.truncate(path, len(whole))
    return whole


def append(path: Path, line: bytes) -> None:
    """Append one line and make it durable; a failed write is undone."""
    is_new = not path.exists()
    with path.open("ab", buffering=0) as file:
        end = file.tell()
        try:
            write_all(file, line + b"\n")
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(end)
            raise
    if is_new:
        sync(path.parent)


def write_all(file: FileIO, data: bytes) -> None:
    """Write all bytes, even if the system takes them in parts."""
    rest = memoryview(data)
    while rest:
        rest = rest[file.write(rest) or 0 :]
