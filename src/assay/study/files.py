"""Files written whole or not at all, and the time."""

import os
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from assay.errors import SpecError, storage


def now() -> str:
    """The time, to the second, as text."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step; whoever reads it finds the old bytes or the new."""
    aside = path.with_name(f"{path.name}.new")
    with storage(path):
        try:
            with aside.open("wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            aside.replace(path)
        except OSError:
            with suppress(OSError):
                aside.unlink()
            raise


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there yet."""
    with storage(path):
        if path.exists():
            raise SpecError(
                f"{path} is there already", hint="Nothing is overwritten: name another."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
