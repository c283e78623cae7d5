"""Find the commit that holds the recorded version of a file that has changed."""

import re

from assay.digests import digest, short
from assay.errors import AssayError, DigestMismatch
from assay.study.git import Repository

_CHANGED = re.compile(r"(?P<name>.+) has changed: expected digest (?P<digest>[0-9a-f]+), got .*")


def recorded_version(repository: Repository | None, error: AssayError) -> str | None:
    """How to restore a file from the first commit with its recorded bytes; None if there is none.

    HEAD is of no use: it may hold the very edit.
    """
    changed = _CHANGED.fullmatch(error.message) if isinstance(error, DigestMismatch) else None
    if repository is None or changed is None:
        return None
    name = changed["name"]
    try:
        for change in reversed(repository.history(name)):
            if change.blob is None or change.path != repository.path(name):
                continue
            if short(digest(repository.blob(change.blob.name))) == changed["digest"]:
                return (
                    f"It was recorded in commit {change.commit[:12]}. Restore it:"
                    f" git checkout {change.commit[:12]} -- {name}"
                )
    except AssayError:
        return None
    return None
