"""Walk folders in a fixed order, digest, copy and delete them.

An artifact is the file or folder under trial; a state is the files that a system keeps between
runs. Both hold regular files and folders only. A system's own folder may hold links, which are
copied as links.
"""

import os
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Literal

from assay.digests import FileEntry, digest, listing_digest, manifest_digest
from assay.errors import SpecError, storage
from assay.files import stamp, sync

MOST_ARTIFACT_FILES = 10_000
MOST_ARTIFACT_BYTES = 1 << 30
MOST_STATE_FILES = 100_000
_CHUNK = 1 << 20
_NOT_COPIED = frozenset({".git", "__pycache__"})

Kind = Literal["file", "folder", "link", "special"]
Skipped = Callable[[Path], bool]


@dataclass(frozen=True, kw_only=True)
class Member:
    """A file or folder below another, by relative path; `special` is a pipe, socket or device."""

    path: Path
    name: str
    kind: Kind
    size: int


def walk(
    root: Path, *, skipped: Skipped | None = None, follow_links: bool = False
) -> Iterator[tuple[Path, list[str], list[str]]]:
    """`os.walk` from the top down, names sorted; an unreadable folder raises OSError.

    The caller may remove folders from the first list to skip them.
    """
    for place, folders, files in os.walk(root, onerror=_raise, followlinks=follow_links):
        here = Path(place)
        for names in (folders, files):
            names[:] = sorted(name for name in names if not (skipped and skipped(here / name)))
        yield here, folders, files


def _raise(error: OSError) -> None:
    raise error


def members(root: Path, *, skipped: Skipped | None = None) -> Iterator[Member]:
    """Everything below a folder: the sorted names of a folder, then the members of its folders."""
    for place, folders, files in walk(root, skipped=skipped):
        inner = "" if place == root else f"{place.relative_to(root).as_posix()}/"
        for name in sorted((*folders, *files)):
            path = place / name
            known = path.lstat()
            kind = _kind_of(known.st_mode)
            yield Member(path=path, name=f"{inner}{name}", kind=kind, size=known.st_size)


def _kind_of(mode: int) -> Kind:
    kinds: dict[int, Kind] = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "link"}
    return kinds.get(stat.S_IFMT(mode), "special")


def regular_members(
    root: Path,
    *,
    most_files: int,
    most_bytes: int | None = None,
    skipped: Skipped | None = None,
    hint: str | None = None,
) -> Iterator[Member]:
    """The regular files and folders below a folder; links, special files and excess are refused."""
    count = size = 0
    for member in members(root, skipped=skipped):
        if member.kind == "file":
            count, size = count + 1, size + member.size
        elif member.kind != "folder":
            kind = ", but a symbolic link" if member.kind == "link" else ""
            raise SpecError(f"{member.path}: neither a regular file nor a folder{kind}", hint=hint)
        if count > most_files or (most_bytes is not None and size > most_bytes):
            bound = f"{most_files:,} files" if count > most_files else f"{most_bytes:,} bytes"
            raise SpecError(
                f"{root}: more than {bound}", hint="Leave out files that are not needed."
            )
        yield member


def artifact_files(path: Path) -> dict[str, Path]:
    """An artifact's files by their path inside it; a single file has the empty path."""
    with storage(path):
        if path.is_symlink() or not path.exists():
            problem = "is a symbolic link" if path.is_symlink() else "does not exist"
            raise SpecError(f"the artifact {path} {problem}")
        if path.is_file():
            return {"": path}
        if not path.is_dir():
            raise SpecError(f"the artifact {path} is not a regular file or folder")
        files = {
            member.name: member.path
            for member in regular_members(path, most_files=MOST_ARTIFACT_FILES)
            if member.kind == "file"
        }
    if not files:
        raise SpecError(f"the artifact {path} is empty")
    return files


def artifact_digest(path: Path) -> str:
    """One digest over names and bytes of all its files; a file's never equals a folder's."""
    files = artifact_files(path)
    with storage(path):
        if sum(file.stat().st_size for file in files.values()) > MOST_ARTIFACT_BYTES:
            raise SpecError(f"the artifact {path} has more than {MOST_ARTIFACT_BYTES:,} bytes")
        if set(files) == {""}:
            return digest(files[""].read_bytes())
        lines = [f"{digest(file.read_bytes())}  {name}" for name, file in sorted(files.items())]
    return listing_digest("folder", lines)


def tree_digest(folder: Path, without: Path) -> str:
    """One digest over a system's folder as `copy_system` copies it, links as links."""
    lines = []
    with storage(folder):
        if not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
        for member in members(folder, skipped=_not_copied(without)):
            if member.kind == "link":
                lines.append(f"link {member.name}\0{member.path.readlink()}")
            elif member.kind == "file":
                lines.append(f"{digest(member.path.read_bytes())}  {member.name}")
            elif member.kind == "special":
                raise SpecError(
                    f"{member.path} cannot be copied: not a regular file, folder or link"
                )
    return listing_digest("folder", lines)


def _not_copied(artifact: Path) -> Skipped:
    """Skip version control, caches and the artifact itself."""
    original = artifact.resolve()
    return lambda path: path.name in _NOT_COPIED or path.resolve() == original


def manifest(root: Path) -> tuple[FileEntry, ...]:
    """Every regular file of a state, sorted by path; anything else is refused.

    An empty folder is an entry too, its path followed by a slash: a system may look for it.
    """
    hint = "Replace each link by a copy of its target."
    entries = []
    for member in regular_members(root, most_files=MOST_STATE_FILES, hint=hint):
        if not member.name.isprintable():
            raise SpecError(f"{root}: a name in the state is not printable: {member.name!a:.200}")
        if member.kind == "file":
            size, content = file_digest(member.path)
            entries.append(FileEntry(path=member.name, size=size, digest=content))
        elif not any(member.path.iterdir()):
            entries.append(FileEntry(path=f"{member.name}/", size=0, digest=digest(b"")))
    return tuple(sorted(entries, key=lambda entry: entry.path))


def state_digest(root: Path) -> str:
    """One digest over a whole state."""
    return manifest_digest(manifest(root))


def file_digest(path: Path) -> tuple[int, str]:
    """The size of a file, and the digest of its bytes."""
    total, size = sha256(), 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            total.update(chunk)
            size += len(chunk)
    return size, f"sha256:{total.hexdigest()}"


def copy_artifact(source: Path, target: Path) -> None:
    """Copy a file or a folder, replacing the target."""
    remove(target)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def copy_system(folder: Path, target: Path, *, without: Path) -> None:
    """Copy a system's folder, links as links, without the artifact, version control and caches."""
    skipped = _not_copied(without)

    def ignored(place: str, names: list[str]) -> set[str]:
        return {name for name in names if skipped(Path(place, name))}

    shutil.copytree(folder, target, symlinks=True, ignore=ignored)


def sync_all(path: Path) -> None:
    """Make a file, or a folder and all it holds, durable."""
    for member in members(path) if path.is_dir() else ():
        sync(member.path)
    sync(path)


def clear_way(path: Path) -> tuple[int, ...] | None:
    """Delete a link, pipe or folder that keeps a scorer from writing its file.

    A regular file stays: its stamp, which is returned, shows later whether the scorer wrote it.
    """
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            return stamp(path)
        remove(path)
    return None


def remove(path: Path) -> None:
    """Delete a file, a link or a folder, if it exists, even without permissions.

    A link is deleted; its target stays.
    """
    try:
        mode = path.lstat().st_mode
    except FileNotFoundError:
        return
    if not stat.S_ISDIR(mode):
        path.unlink()
        return
    try:
        shutil.rmtree(path)
    except OSError:
        _grant_access(path)
        shutil.rmtree(path)


def _grant_access(path: Path) -> None:
    """Take every permission on a folder and the folders below it."""
    path.chmod(0o700)
    for place, folders, _ in os.walk(path):
        for inner in (Path(place, name) for name in folders):
            with suppress(OSError):
                if not inner.is_symlink():
                    inner.chmod(0o700)
