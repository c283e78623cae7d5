"""Which files were opened, by anyone: Linux's inotify, through ctypes.

An open is not a use: a program that reads a file and does nothing with it has opened it. But what
was never opened was never loaded.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Self

from assay.errors import StorageError

_OPEN, _ACCESS, _OVERFLOW = 0x20, 0x1, 0x4000
_HEAD = struct.Struct("iIII")


def can_watch() -> bool:
    """Whether this system can tell."""
    return sys.platform == "linux"


class Watch:
    """Notes which of some files are opened while it is open."""

    def __init__(self, files: Iterable[Path]) -> None:
        self._library = ctypes.CDLL(None, use_errno=True)
        self._handle = self._library.inotify_init1(os.O_NONBLOCK | os.O_CLOEXEC)
        if self._handle < 0:
            raise StorageError(f"files cannot be watched: {os.strerror(ctypes.get_errno())}")
        self._files: dict[int, Path] = {}
        self._seen: set[Path] = set()
        try:
            for file in files:
                self._add(file)
        except BaseException:
            os.close(self._handle)
            raise

    def _add(self, file: Path) -> None:
        number = self._library.inotify_add_watch(self._handle, os.fsencode(file), _OPEN | _ACCESS)
        if number < 0:
            raise StorageError(f"{file} cannot be watched: {os.strerror(ctypes.get_errno())}")
        self._files[number] = file

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
                if mask & _OVERFLOW:  # so many opens that some were not kept: of any of them
                    self._seen |= set(self._files.values())
                elif number in self._files:
                    self._seen.add(self._files[number])
