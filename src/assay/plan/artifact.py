"""An artifact: a file or a folder that is being tried out, by its exact bytes."""

import os
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
        found: dict[str, Path] = {}
        for place, folders, files in os.walk(path):
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
    """One digest over the names and bytes of all its files."""
    files = artifact_files(path)
    with storage(path):
        if sum(file.stat().st_size for file in files.values()) > MOST_BYTES:
            raise SpecError(f"the artifact {path} has more than {MOST_BYTES:,} bytes")
        if set(files) == {""}:
            return digest(files[""].read_bytes())
        lines = [f"{digest(file.read_bytes())}  {name}\n" for name, file in sorted(files.items())]
    return digest("".join(lines).encode("utf-8", "surrogateescape"))


def tree_digest(folder: Path, without: Path) -> str:
    """One digest over a system's folder as it is copied: without the artifact, links as links."""
    lines = []
    left_out = without.resolve()
    with storage(folder):
        if not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
        for place, folders, files in os.walk(folder):
            folders[:] = sorted(
                name
                for name in folders
                if name not in LEFT_OUT and Path(place, name).resolve() != left_out
            )
            for name in sorted((*files, *folders)):
                one = Path(place, name)
                inner = one.relative_to(folder).as_posix()
                if one.is_symlink():
                    lines.append(f"link {one.readlink()}  {inner}\n")
                elif one.is_file() and one.resolve() != left_out:
                    lines.append(f"{digest(one.read_bytes())}  {inner}\n")
                elif not one.is_file() and not one.is_dir():
                    raise SpecError(
                        f"{one} is no regular file, folder or link: it cannot be copied"
                    )
    return digest("".join(lines).encode("utf-8", "surrogateescape"))
