"""Files that inputs are laid out in: one for each path, written over and over."""

import os
from collections.abc import Sequence
from pathlib import Path

BETWEEN = b"\n=====\n"
"""What stands between the files of an input that is several."""


class ScratchFile:
    """A file that is kept open, so that writing it anew costs two system calls."""

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        self.path = path
        self._handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)

    def put(self, data: bytes) -> Path:
        """Write all of it anew."""
        os.pwrite(self._handle, data, 0)
        os.ftruncate(self._handle, len(data))
        return self.path

    def __del__(self) -> None:
        os.close(self._handle)


class ScratchFiles:
    """Several files from one input; where it has too few parts, the last files are empty."""

    def __init__(self, folder: Path, *names: str) -> None:
        self.folder = folder
        self.files = [ScratchFile(folder / name) for name in names]

    def put(self, data: bytes) -> Path:
        """Write the parts of an input to the files, in order."""
        parts = data.split(BETWEEN, len(self.files) - 1)
        for number, file in enumerate(self.files):
            file.put(parts[number] if number < len(parts) else b"")
        return self.folder


def joined(*parts: bytes) -> bytes:
    """Several files as one input."""
    return BETWEEN.join(parts)


def lines(rows: Sequence[object]) -> bytes:
    """Rows of JSON, a line each."""
    import json

    return b"".join(json.dumps(row, ensure_ascii=False).encode() + b"\n" for row in rows)
