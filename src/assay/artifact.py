"""An artifact: a file or a folder that is being tried out, by its exact bytes."""

import os
from collections.abc import Sequence
from pathlib import Path

from assay.digests import digest
from assay.errors import SpecError, storage

MOST_FILES = 10_000
MOST_BYTES = 1 << 30
LEFT_OUT = frozenset({".git", "__pycache__"})
"""Folders that no copy of a system needs."""


def artifact_files(path: Path) -> dict[str, Path]:
    """Its regular files by their path inside it; a single file goes by the empty path."""
    with storage(path):
        if path.is_symlink() or not path.exists():
            said = "is a symbolic link" if path.is_symlink() else "is not there"
            raise SpecError(f"the artifact {path} {said}")
        if path.is_file():
            return {"": path}
        if not path.is_dir():
            raise SpecError(f"the artifact {path} is no regular file or folder")
        found: dict[str, Path] = {}
        for place, folders, files in os.walk(path, onerror=_raise):
            folders.sort()
            for name in sorted((*files, *folders)):
                one = Path(place) / name
                if one.is_symlink() or not (one.is_file() or one.is_dir()):
                    raise SpecError(f"the artifact holds {one}, which is no regular file or folder")
                if one.is_file():
                    found[one.relative_to(path).as_posix()] = one
            if len(found) > MOST_FILES:
                raise SpecError(f"the artifact {path} has more than {MOST_FILES:,} files")
    if not found:
        raise SpecError(f"the artifact {path} is empty")
    return found


def artifact_digest(path: Path) -> str:
    """One digest over the names and bytes of all its files; no file has that of a folder."""
    files = artifact_files(path)
    with storage(path):
        if sum(file.stat().st_size for file in files.values()) > MOST_BYTES:
            raise SpecError(f"the artifact {path} has more than {MOST_BYTES:,} bytes")
        if set(files) == {""}:
            return digest(files[""].read_bytes())
        lines = [f"{digest(file.read_bytes())}  {name}" for name, file in sorted(files.items())]
    return _digest_of(lines)


def _digest_of(lines: Sequence[str]) -> str:
    """A digest over a list; a NUL ends each line, since no name can hold one."""
    whole = "".join(f"{line}\0" for line in ("folder", *lines))
    return digest(whole.encode("utf-8", "surrogateescape"))


def _raise(error: OSError) -> None:
    raise error


def tree_digest(folder: Path, without: Path) -> str:
    """One digest over a system's folder as it is copied: without the artifact, links as links."""
    lines = []
    left_out = without.resolve()
    with storage(folder):
        if not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
        for place, folders, files in os.walk(folder, onerror=_raise):
            folders[:] = sorted(
                name
                for name in folders
                if name not in LEFT_OUT and Path(place, name).resolve() != left_out
            )
            for name in sorted((*files, *folders)):
                one = Path(place, name)
                inner = one.relative_to(folder).as_posix()
                if name in LEFT_OUT or one.resolve() == left_out:
                    continue
                if one.is_symlink():
                    lines.append(f"link {inner}\0{one.readlink()}")
                elif one.is_file():
                    lines.append(f"{digest(one.read_bytes())}  {inner}")
                elif not one.is_file() and not one.is_dir():
                    raise SpecError(
                        f"{one} is no regular file, folder or link: it cannot be copied"
                    )
    return _digest_of(lines)
