"""Progress on standard error, on a terminal, for anything that takes over a second."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE = 1.0


@contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[], None]]:
    """A callable to call once per item done; draws nothing unless there is someone to see it."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    started, done = time.monotonic(), 0
    drawn = None

    def advance() -> None:
        nonlocal done, drawn
        done += 1
        if drawn is None and time.monotonic() - started > PATIENCE:
            from rich.console import Console
            from rich.progress import Progress

            drawn = Progress(console=Console(stderr=True), transient=True)
            drawn.start()
            drawn.add_task(what, total=total, completed=done)
        elif drawn is not None:
            drawn.advance(drawn.task_ids[0])

    try:
        yield advance
    finally:
        if drawn is not None:
            drawn.stop()
