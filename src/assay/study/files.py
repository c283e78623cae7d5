"""Files written whole or not at all, and the time."""

import os
import tempfile
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

from assay.errors import SpecError, storage


def now() -> str:
    """The time, to the millisecond, as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def write_whole(path: Path, data: bytes) -> None:
    """Replace a file in one step; whoever reads it finds the old bytes or the new."""
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
        except OSError:
            with suppress(OSError):
                aside.unlink()
            raise


def _umask() -> int:
    """What new files may not be; asking is only possible by setting it."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def write_new(path: Path, data: bytes) -> None:
    """Write a file that must not be there yet."""
    with storage(path):
        if path.exists():
            raise SpecError(
                f"{path} is there already", hint="Nothing is overwritten: name another."
            )
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
