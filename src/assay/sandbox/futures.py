"""Wait for work in other threads so that an interrupt is heard.

Python handles a signal between two steps of the main thread. One that comes just before the thread
begins to wait for a lock, or that the system gives to another thread, is handled when the lock is
free: for a run that hangs, never. So the wait ends now and then.
"""

from collections.abc import Iterable
from concurrent.futures import FIRST_COMPLETED, Future, wait
from typing import TypeVar

T = TypeVar("T")
_LOOK_SECONDS = 0.25


def first_done(futures: Iterable[Future[T]]) -> set[Future[T]]:
    """Those that are done, as soon as one is."""
    waiting = set(futures)
    while not (done := wait(waiting, _LOOK_SECONDS, FIRST_COMPLETED).done):
        pass
    return done
