"""The lock of a seal: one process at a time runs, resumes or withdraws a submission."""

from contextlib import AbstractContextManager

from assay.errors import AlreadyRun
from assay.lock import locked
from assay.study.study import Study


def only_one(study: Study, submission: str) -> AbstractContextManager[int]:
    """Hold the seal; a process that ends, however it ends, lets go of it."""
    busy = AlreadyRun(
        f"{submission} is being run by another process now", hint="Wait for its result."
    )
    return locked(study.path(f"preregs/{submission}/seal.json"), busy=busy, create=False)


def is_running(study: Study, submission: str) -> bool:
    """Whether some process holds the seal just now."""
    try:
        with only_one(study, submission):
            return False
    except AlreadyRun:
        return True
