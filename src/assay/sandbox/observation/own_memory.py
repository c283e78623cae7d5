"""Hide this process's memory while jobs run that are observed.

What a job did is told by its warden, and judged here. A job of the same user could change either
process's memory, and so what is told.
"""

from threading import Lock

from assay.sandbox.syscalls import hide_from_users

_lock = Lock()
_wardens = 0


def hide_memory() -> None:
    """Keep other processes of the same user from this one, until as many calls show it again."""
    _count(1)


def show_memory() -> None:
    """Take one `hide_memory` back."""
    _count(-1)


def _count(step: int) -> None:
    global _wardens
    with _lock:
        _wardens += step
        hide_from_users(on=_wardens > 0)
