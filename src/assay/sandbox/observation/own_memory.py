"""Protect this process's memory while observed jobs run.

The warden reports what a job did, and this process judges it. A job of the same user could
otherwise write to the memory of either process and falsify the report.
"""

from threading import Lock

from assay.sandbox.syscalls import hide_from_users

_lock = Lock()
_wardens = 0


def hide_memory() -> None:
    """Bar other processes of the same user from this one's memory, until `show_memory`."""
    _count(1)


def show_memory() -> None:
    """Undo one `hide_memory`; the last one makes the memory accessible again."""
    _count(-1)


def _count(step: int) -> None:
    global _wardens
    with _lock:
        _wardens += step
        hide_from_users(on=_wardens > 0)
