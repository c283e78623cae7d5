"""Copies: what runs are made from, where they are made, and how nothing leads out of there."""

import shutil
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from assay.artifact import LEFT_OUT
from assay.errors import SpecError


@dataclass(frozen=True, kw_only=True)
class Kept:
    """What runs copy from, made once so that nobody's edits reach them, and what it must be."""

    artifact: Path
    artifact_digest: str
    system: Path | None
    system_digest: str | None


def copy_artifact(source: Path, target: Path) -> None:
    """Copy a file or a folder, in the place of whatever is there."""
    remove(target)
    if source.is_dir():
        shutil.copytree(source, target)
    else:
        shutil.copy(source, target)


def copy_system(folder: Path, target: Path, *, without: Path) -> None:
    """Copy a system's folder, links as links; not the artifact, version control and caches."""
    original = without.resolve()

    def ignored(place: str, names: Sequence[str]) -> set[str]:
        return {
            name for name in names if name in LEFT_OUT or Path(place, name).resolve() == original
        }

    shutil.copytree(folder, target, symlinks=True, ignore=ignored)


def check_no_links(root: Path, inner: str) -> None:
    """Refuse a path that a symbolic link may lead out of a copy."""
    path = root
    for part in inner.split("/"):
        path = path / part
        if path.is_symlink():
            raise SpecError(f"{inner}: {part} is a symbolic link, which may lead anywhere")


def clear_way(path: Path) -> tuple[int, ...] | None:
    """Let a scorer write where it must: no link leads it elsewhere, no pipe holds it up.

    Says what stays there, where the run itself wrote a file of that name.
    """
    with suppress(OSError):
        if path.is_file() and not path.is_symlink():
            return stamp(path)
        remove(path)
    return None


def stamp(path: Path) -> tuple[int, ...] | None:
    """What changes when a file is written; None where there is none."""
    with suppress(OSError):
        known = path.lstat()
        return known.st_ino, known.st_size, known.st_mtime_ns, known.st_ctime_ns
    return None


def remove(path: Path) -> None:
    """Remove whatever is there, links and not what they lead to."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
