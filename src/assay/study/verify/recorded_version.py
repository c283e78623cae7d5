"""Find the commits that hold the recorded versions of files that have changed."""

import re

from assay.digests import digest, short
from assay.errors import AssayError, BrokenChain, IntegrityError
from assay.ledger.chain import read_chain
from assay.study.git import Repository
from assay.study.locate import LEDGER
from assay.wording import counted

_CHANGED = re.compile(r"(?P<name>.+) has changed: expected digest (?P<digest>[0-9a-f]+), got .*")
_MOST_NAMED = 3


def recorded_version(repository: Repository | None, error: AssayError) -> str | None:
    """How to restore what a breach names from the commits that hold it; None if there is none.

    HEAD is of no use: it may hold the very edit.
    """
    if repository is None or not isinstance(error, IntegrityError):
        return None
    try:
        if isinstance(error, BrokenChain):
            return _whole_ledger(repository)
        changed = map(_CHANGED.fullmatch, error.message.split("; "))
        found = [_recorded(repository, one["name"], one["digest"]) for one in changed if one]
    except AssayError:
        return None
    known = [one for one in found[:_MOST_NAMED] if one is not None]
    if len(known) == 1:
        commit = known[0].partition(" ")[0]
        return f"It was recorded in commit {commit}. Restore it: git checkout {known[0]}"
    commands = " && ".join(f"git checkout {one}" for one in known)
    return f"They were recorded in earlier commits. Restore them: {commands}" if known else None


def _recorded(repository: Repository, name: str, expected: str) -> str | None:
    """The first commit with the recorded bytes of a file, and the file, as git takes them."""
    for change in reversed(repository.history(name)):
        if change.blob is None or change.path != repository.path(name):
            continue
        if short(digest(repository.blob(change.blob.name))) == expected:
            return f"{change.commit[:12]} -- {name}"
    return None


def _whole_ledger(repository: Repository) -> str | None:
    """The last commit whose ledger is whole; what was entered since is not in it."""
    for change in repository.history(LEDGER):
        if change.blob is None or change.path != repository.path(LEDGER):
            continue
        try:
            chain = read_chain(repository.blob(change.blob.name), where=LEDGER)
        except IntegrityError:
            continue
        commit = change.commit[:12]
        return (
            f"The ledger of commit {commit} is whole, with {counted(len(chain.lines), 'entry')}."
            f" See what differs (git diff {commit} -- {LEDGER}), then restore it:"
            f" git checkout {commit} -- {LEDGER}"
        )
    return None
