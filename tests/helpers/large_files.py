"""Files that claim to be larger than anything that is read."""

from pathlib import Path


def endless(path: Path) -> Path:
    """A file of four terabytes, none of which is on the disk."""
    with path.open("ab") as file:
        file.truncate(1 << 42)
    return path
