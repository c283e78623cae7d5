"""What a folder holds, as a value: every file by path, size and digest of its exact bytes."""

from collections.abc import Iterable
from dataclasses import dataclass

from assay.digests import digest


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """One file of a folder, by its path from there; a path that ends in / is an empty folder."""

    path: str
    size: int
    digest: str


def manifest_digest(entries: tuple[FileEntry, ...]) -> str:
    """One digest over a manifest."""
    return listing_digest("state", (f"{entry.digest}  {entry.path}" for entry in entries))


def listing_digest(kind: str, lines: Iterable[str]) -> str:
    """One digest over a list, under its kind; a NUL ends each line, since no name can hold one."""
    whole = "".join(f"{line}\0" for line in (kind, *lines))
    return digest(whole.encode("utf-8", "surrogateescape"))
