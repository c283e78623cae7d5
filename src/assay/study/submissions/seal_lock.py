"""The lock of a seal: one process at a time runs, resumes or withdraws a submission."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager

from assay.errors import AlreadyRun, storage
from assay.lock import acquire
from assay.study.study import StudyFolder

_TRIES = 100
_PAUSE_SECONDS = 0.01


@contextmanager
def only_one(study: StudyFolder, submission: str) -> Iterator[None]:
    """Hold the seal; it is released when the process ends, for whatever reason."""
    handle = _held(study, submission)
    try:
        yield
    finally:
        os.close(handle)


def _held(study: StudyFolder, submission: str) -> int:
    """The descriptor of the locked seal.

    A process that checks whether it is held has a shared lock for a moment; this waits for it.
    """
    for _ in range(_TRIES):
        handle = _lock(study, submission, shared=False)
        if handle is not None:
            return handle
        if is_running(study, submission):
            break
        time.sleep(_PAUSE_SECONDS)
    raise AlreadyRun(f"another process is running {submission}", hint="Wait for its result.")


def is_running(study: StudyFolder, submission: str) -> bool:
    """Whether a process holds the seal now; several processes may check at once."""
    handle = _lock(study, submission, shared=True)
    if handle is None:
        return True
    os.close(handle)
    return False


def _lock(study: StudyFolder, submission: str, *, shared: bool) -> int | None:
    path = study.path(f"preregs/{submission}/seal.json")
    with storage(path):
        return acquire(path, create=False, shared=shared)
