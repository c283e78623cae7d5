"""A change of a text: shown as a patch, or written."""

import difflib
from pathlib import Path

from assay.files import write_whole


def patch_of(path: Path, old: str, new: str) -> str:
    """A change as a patch, for `git apply` and for people."""
    lines = difflib.unified_diff(
        old.splitlines(keepends=True),
        new.splitlines(keepends=True),
        f"a/{path}",
        f"b/{path}",
    )
    return "".join(line if line.endswith("\n") else f"{line}\n" for line in lines)


def write_text(path: Path, text: str) -> None:
    """Write a text as a whole; a symbolic link stays one."""
    write_whole(path.resolve(), text.encode())
