"""Files written whole or not at all, and the time."""

import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from assay.digests import digest, short
from assay.errors import DigestMismatch, IntegrityError, SpecError, storage


def now() -> str:
    """The time, to the millisecond, as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step; whoever reads it finds the old bytes or the new."""
    with storage(path):
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:100]}.")
        aside = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            aside.chmod(0o666 & ~_umask())
            aside.replace(path)
            sync(path.parent)
        except BaseException:
            with suppress(OSError):
                aside.unlink()
            raise


def is_aside(name: str) -> bool:
    """Whether a file is one that was being written when something stopped it; nobody reads it."""
    return name.startswith(".")


def sync(path: Path) -> None:
    """Make durable what a file holds, or which names a folder has."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    """What new files may not be; asking is only possible by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of an untrusted file: a regular one, of at most so many bytes."""
    with storage(path):
        if path.exists() and not path.is_file():
            raise SpecError(f"{path}: no regular file")
        with path.open("rb") as file:
            data = file.read(most + 1)
    if len(data) > most:
        raise SpecError(f"{path}: more than {most:,} bytes")
    return data


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there yet."""
    with storage(path):
        if path.exists():
            raise SpecError(
                f"{path} is there already", hint="Nothing is overwritten: name another."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)


def is_inside(name: str) -> bool:
    """Whether a name in a record is a path that leads nowhere but down."""
    plain = all(part not in ("", ".", "..") and part.isprintable() for part in name.split("/"))
    return plain and "\\" not in name and len(name) <= 1000


def inside(root: Path, name: str) -> Path:
    """A path within a folder, from a name in a record; one that leads out of it is refused."""
    if not is_inside(name):
        raise IntegrityError(f"{name!r:.200} is no path inside a study")
    path = root
    for part in name.split("/"):
        path = path / part
        with storage(path):
            if path.is_symlink():
                raise IntegrityError(
                    f"{name}: {part} is a symbolic link", hint="A record is a regular file."
                )
    return path


def read_inside(root: Path, name: str) -> bytes:
    """The bytes of a regular file within a folder."""
    path = inside(root, name)
    with storage(path):
        if not path.is_file():
            said = "is no regular file" if path.exists() else "is gone"
            raise IntegrityError(f"{name} {said}")
        return path.read_bytes()


def read_as(root: Path, name: str, expected: str) -> bytes:
    """The bytes of a file that must still have the digest under which it was recorded."""
    data = read_inside(root, name)
    if digest(data) != expected:
        raise DigestMismatch(
            f"{name} has changed: its digest is {short(digest(data))}, and {short(expected)} was"
            " recorded",
            hint="If it was committed as it was, git can put it back: git checkout HEAD -- FILE",
        )
    return data
