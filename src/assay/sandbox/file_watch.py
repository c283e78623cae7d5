"""Record which files any process opens, with Linux's inotify.

An opened file need not have been used. But a file that was never opened was never loaded.
"""

import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from assay.errors import StorageError
from assay.sandbox.syscalls import FILE_OPENED, FILE_READ, add_watch, open_watch

_OVERFLOW = 0x4000
_HEAD = struct.Struct("iIII")


def can_watch() -> bool:
    """Whether this system reports opened files."""
    return sys.platform == "linux"


class Watch:
    """Records which of some files are opened while it is open."""

    def __init__(self, files: Iterable[Path]) -> None:
        try:
            self._handle = open_watch()
        except OSError as error:
            raise StorageError(f"files cannot be watched: {error.strerror}") from None
        self._files: dict[int, Path] = {}
        self._seen: set[Path] = set()
        try:
            for file in files:
                self._add(file)
        except BaseException:
            os.close(self._handle)
            raise

    def _add(self, file: Path) -> None:
        try:
            self._files[add_watch(self._handle, file, FILE_OPENED | FILE_READ)] = file
        except OSError as error:
            raise StorageError(f"{file} cannot be watched: {error.strerror}") from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        os.close(self._handle)

    def opened(self) -> set[Path]:
        """The files that were opened until now."""
        while True:
            try:
                data = os.read(self._handle, 1 << 16)
            except BlockingIOError:
                return set(self._seen)
            place = 0
            while place < len(data):
                number, mask, _, length = _HEAD.unpack_from(data, place)
                place += _HEAD.size + length
                if mask & _OVERFLOW:  # events were lost: any file may have been opened
                    self._seen |= set(self._files.values())
                elif number in self._files:
                    self._seen.add(self._files[number])
