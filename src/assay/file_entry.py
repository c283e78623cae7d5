"""One file of a folder by path, size and digest, and one digest over all of them."""

from dataclasses import dataclass

from assay.digests import digest


@dataclass(frozen=True, kw_only=True)
class FileEntry:
    """One file of a folder; `path` is relative to the folder."""

    path: str
    size: int
    digest: str


def manifest_digest(entries: tuple[FileEntry, ...]) -> str:
    """One digest over a manifest; a NUL ends each line, since no name can hold one."""
    lines = (f"{entry.digest}  {entry.path}\0" for entry in entries)
    return digest("".join(("state\0", *lines)).encode("utf-8", "surrogateescape"))
