"""Keeping others from filling the same folder."""

import fcntl
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from assay.errors import ProtocolError, storage


@contextmanager
def alone(out: Path) -> Iterator[None]:
    """Keep others from filling the same folder."""
    with ExitStack() as stack:
        with storage(out):
            lock = stack.enter_context((out / ".lock").open("ab"))
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise ProtocolError(f"{out}: runs are being made there just now") from None
        yield
