"""What a folder of state holds: every file by path, size and digest of its exact bytes."""

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from assay.digests import digest
from assay.errors import SpecError
from assay.file_entry import FileEntry, manifest_digest

MOST_FILES = 100_000
_CHUNK = 1 << 20


def manifest(root: Path) -> tuple[FileEntry, ...]:
    """Every regular file below a folder, in order of path; anything else is refused.

    An empty folder inside is an entry too, under its path and a slash: a system may look for it.
    """
    return tuple(sorted(_entries(root), key=lambda entry: entry.path))


def _entries(root: Path) -> Iterator[FileEntry]:
    count = 0
    for place, folders, files in os.walk(root, onerror=_raise):
        inner = Path(place).relative_to(root)
        for name in (*folders, *files):
            path = Path(place, name)
            mode = path.lstat().st_mode
            shown = (inner / name).as_posix()
            if not shown.isprintable():
                raise SpecError(f"{root}: a name in the state is not printable: {shown!a:.200}")
            if stat.S_ISDIR(mode):
                if not any(path.iterdir()):
                    yield FileEntry(path=f"{shown}/", size=0, digest=digest(b""))
                continue
            if not stat.S_ISREG(mode):
                raise SpecError(
                    f"{path}: neither a regular file nor a folder",
                    hint="The state must be whole in itself: replace links by what they lead to.",
                )
            count += 1
            if count > MOST_FILES:
                raise SpecError(f"{root}: more than {MOST_FILES:,} files of state")
            size, found = file_digest(path)
            yield FileEntry(path=shown, size=size, digest=found)


def state_digest(root: Path) -> str:
    """One digest over all that a folder of state holds."""
    return manifest_digest(manifest(root))


def file_digest(path: Path) -> tuple[int, str]:
    """The size of a file, and the digest of its bytes."""
    total, size = hashlib.sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            total.update(chunk)
            size += len(chunk)
    return size, f"sha256:{total.hexdigest()}"


def _raise(error: OSError) -> None:
    raise error
