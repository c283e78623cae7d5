"""Wait for other threads without blocking an interrupt.

Python handles a signal between two steps of the main thread. A signal just before the thread waits
for a lock, or one delivered to another thread, is handled only when the lock is free: if a run
hangs, never. So the wait is interrupted regularly.
"""

from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

T = TypeVar("T")
_LOOK_SECONDS = 0.25


def first_done(futures: Iterable[Future[T]]) -> set[Future[T]]:
    """Wait until at least one is done, and return those that are."""
    waiting = set(futures)
    while not (done := wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED).done):
        pass
    return done
