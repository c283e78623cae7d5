"""Write files completely or not at all, read them within limits, keep paths inside a folder."""

import os
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from assay.bounds import MAX_FILE_BYTES, MAX_TOML_BYTES
from assay.digests import digest, short
from assay.errors import DigestMismatch, IntegrityError, SpecError, StorageError, storage
from assay.wording import did_you_mean

_LONGEST_RECORD_PATH = 1000
_LONGEST_NAME = 200
_PART = 1 << 20
_MOST_NAMES = 1000


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step: a reader sees the old bytes or the new."""
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
    """Whether a file was left by an interrupted `write_whole`; readers ignore it."""
    return name.startswith(".")


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not exist yet."""
    check_new(path)
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)


def check_new(path: Path) -> None:
    """Refuse a path that already exists."""
    with storage(path):
        if path.exists():
            raise SpecError(
                f"{path} already exists", hint="Nothing is overwritten. Choose another name."
            )


def sync(path: Path) -> None:
    """Make a file's bytes, or the names in a folder, durable."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _umask() -> int:
    """The umask, which can only be read by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def is_there(path: str | Path) -> bool:
    """Whether a path can be a path, and something is there."""
    try:
        return Path(path).exists()
    except (OSError, ValueError):  # too long, or with a NUL
        return False


def named_path(given: str | Path, what: str) -> Path:
    """A path that something is to be read from; refuses the text of a file in its place."""
    text = str(given)
    if "\n" in text and not is_there(text):
        begins = text[:40].partition("\n")[0]
        raise SpecError(
            f"{what}: a text of {len(text):,} characters, expected a path; it begins with"
            f" {begins!r}",
            hint="To read the text itself, give it as an open file: io.StringIO(text)",
        )
    return Path(given)


def how_to_find(path: Path, known: Iterable[str] = ()) -> str | None:
    """A hint on a path where nothing is: a similar name, or where paths start from."""
    near = did_you_mean(str(path), [*known, *names_beside(path)])
    if near is not None or path.is_absolute():
        return near
    try:
        return f"Paths start from the working directory, {Path.cwd()}."
    except OSError:  # it was deleted
        return "The working directory, which paths start from, is gone."


def read_bounded(path: Path, most: int) -> bytes:
    """The bytes of an untrusted file, which must be a regular file of at most `most` bytes."""
    with storage(path):
        if path.exists() and not path.is_file():
            kind = "a folder, not a file" if path.is_dir() else "not a regular file"
            raise SpecError(f"{path}: {kind}")
        with path.open("rb") as file:
            size = os.fstat(file.fileno()).st_size
            if size > most:  # too large: not read at all
                data = b""
            else:  # most are read at once; those that have grown, and those without a size, go on
                data = b"".join([file.read(size), *read_parts(file, most + 1 - size)])
    if max(size, len(data)) > most:
        raise SpecError(f"{path}: more than {most:,} bytes")
    return data


@dataclass(frozen=True, kw_only=True)
class SpecText:
    """The TOML of a spec, its name in messages, and the folder that its paths start from."""

    data: bytes
    where: str
    home: Path


def read_spec(spec: str | Path | Mapping[str, Any], *, verb: str) -> SpecText:
    """A verb's spec file, or a dictionary of its keys, whose paths start from here.

    If there is no such file, the error says how to write one.
    """
    if isinstance(spec, Mapping):
        from assay.toml import toml_bytes  # the guardian imports this module without packages

        return SpecText(data=toml_bytes(spec, where="spec"), where="spec", home=Path())
    path = Path(spec)
    with storage(path):
        there = path.exists()
    if not there:
        raise StorageError(
            f"{path}: No such file or directory",
            hint=f"`assay {verb} --init` writes one to fill in.",
        )
    return SpecText(data=read_bounded(path, MAX_TOML_BYTES), where=str(path), home=path.parent)


def read_parts(file: BinaryIO, most: int) -> Iterator[bytes]:
    """Read a file in parts: one read of everything would reserve `most` bytes for any file."""
    while most and (part := file.read(min(most, _PART))):
        most -= len(part)
        yield part


def inside(root: Path, name: str) -> Path:
    """The path of a file named in a record; a name that leads out of the folder is refused."""
    if not is_record_path(name):
        raise IntegrityError(f"{name!r:.200} is not a path inside a study")
    with storage(root):
        link = _first_link(root, name)
    if link is not None:
        raise IntegrityError(
            f"{name}: {link} is a symbolic link", hint="Replace it with a regular file."
        )
    return root / name


def check_no_links(root: Path, inner: str) -> None:
    """Refuse a path with a symbolic link in it, which may lead out of the folder."""
    link = _first_link(root, inner)
    if link is not None:
        raise SpecError(f"{inner}: {link} is a symbolic link, which may point outside the folder")


def _first_link(root: Path, inner: str) -> str | None:
    """The first part of a path that is a symbolic link."""
    path = root
    for part in inner.split("/"):
        path = path / part
        if path.is_symlink():
            return part
    return None


def read_inside(root: Path, name: str) -> bytes:
    """The bytes of a regular file within a folder."""
    path = inside(root, name)
    with storage(path):
        if not path.is_file():
            problem = "is not a regular file" if path.exists() else "is missing"
            raise IntegrityError(f"{name} {problem}")
    try:
        return read_bounded(path, MAX_FILE_BYTES)
    except SpecError as error:
        raise IntegrityError(error.message) from None


def read_as(root: Path, name: str, expected: str) -> bytes:
    """The bytes of a file, which must still have its recorded digest."""
    data = read_inside(root, name)
    if digest(data) != expected:
        raise DigestMismatch(
            f"{name} has changed: expected digest {short(expected)}, got {short(digest(data))}",
            hint=f"Find the commit that holds the recorded version (git log {name})"
            f" and restore it: git checkout COMMIT -- {name}",
        )
    return data


def stamp(path: Path) -> tuple[int, ...] | None:
    """Inode, size and times of a file, which change when it is written; None if it is missing."""
    with suppress(OSError):
        known = path.lstat()
        return known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns
    return None


def path_names(paths: Iterable[str], *, most: int) -> tuple[str, ...]:
    """Paths for a record: as text, shortened, and at most `most` of them."""
    names = sorted(
        os.fsencode(path).decode("utf-8", "backslashreplace")[-_LONGEST_NAME:] for path in paths
    )
    shown = [name if name.isprintable() else ascii(name)[1:-1] for name in names[:most]]
    more = len(names) - most
    return (*shown, f"and {more:,} more") if more > 0 else tuple(shown)


def names_beside(path: Path) -> list[str]:
    """The first names in the folder that a missing file was looked for in."""
    try:
        return [str(found) for found in islice(path.parent.iterdir(), _MOST_NAMES)]
    except (OSError, ValueError):
        return []


def is_rest(name: str) -> bool:
    """Whether an element of such a list is its "and N more"."""
    return name.startswith("and ") and name.endswith(" more")


def stays_inside(name: str) -> bool:
    """Whether a relative path in a user's spec stays inside its folder."""
    parts = name.split("/")
    return all(part not in ("", ".", "..") for part in parts) and not set(name) & set("\\\0")


def is_record_path(name: str) -> bool:
    """Whether a path in a record stays inside its folder, is printable and not too long."""
    return stays_inside(name) and name.isprintable() and len(name) <= _LONGEST_RECORD_PATH
