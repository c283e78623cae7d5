"""A system whose path to its state is fixed, where no private view can be had: run in its place.

The copy and production change places for the length of a run. Beside the state stand, meanwhile,

    .STATE.assay/journal.json    where production is, known by its inode and its digest
    .STATE.assay/state           the copy before the run, production during it
    .STATE.assay/copy            a mark: `state` is only a copy, and may be thrown away
    .STATE.assay/lock            held by the evaluation at work, and by its warden
    .STATE.assay/moving          held by the one of the two that moves anything

The journal is durable before the first name changes. The next evaluation puts production back first
(`put_back`), which may be done any number of times. What is not what the journal says it is, is
left where it is, and said.
"""

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, suppress
from pathlib import Path

from assay.errors import IntegrityError, ProtocolError, storage
from assay.files import sync
from assay.folders import remove, state_digest
from assay.lock import acquire, locked
from assay.sandbox.syscalls import exchange

_JOURNAL, _STATE, _BETWEEN = "journal.json", "state", "between"
_MARK, _LOCK, _MOVING = "copy", "lock", "moving"


def beside(root: Path) -> Path:
    """The folder beside a state in which all this is kept."""
    return root.parent / f".{root.name}.assay"


@contextmanager
def held(root: Path) -> Iterator[int]:
    """Keep others from the same state; gives the lock, for the warden to hold as well."""
    with ExitStack() as stack:
        place = beside(root)
        with storage(place):
            handle = None
            with suppress(FileExistsError, FileNotFoundError):  # it comes and goes with its users
                place.mkdir(exist_ok=True)
                handle = acquire(place / _LOCK)
        if handle is None:
            raise ProtocolError(
                f"{root}: another process is using this state",
                hint="If that process was killed, wait a moment: the state is being restored.",
            )
        stack.callback(os.close, handle)
        put_back(root)
        try:
            yield handle
        finally:
            put_back(root)
            with storage(place):
                for name in (_MOVING, _LOCK):  # the lock last: it keeps the next one out
                    (place / name).unlink(missing_ok=True)
            with suppress(OSError):  # the next evaluation may be in there already
                place.rmdir()


def take_place(root: Path, copy: Path, digest: str) -> None:
    """Put a copy in the place of production, whose digest is known; `put_back` undoes it."""
    place = beside(root)
    with storage(root), _moving(place):
        _write(place / _MARK, b"")
        shutil.copytree(copy, place / _STATE)
        written = {"inode": root.stat().st_ino, "digest": digest}
        _write(place / _JOURNAL, json.dumps(written).encode())
        (place / _MARK).unlink()
        _sync(place)
        _swap(root, place)


def put_back(root: Path) -> None:
    """Put production in its place, wherever a run that was cut off has left it."""
    place = beside(root)
    with storage(root), _moving(place):
        written = _journal(place / _JOURNAL)
        if written is None:
            _clear(root, place)
            return
        inode, wanted = written
        places = [path for path in (root, place / _STATE, place / _BETWEEN) if _id(path) == inode]
        if not places:
            raise IntegrityError(
                f"{root}: production is missing, and not in {place}, where the journal puts it",
                hint=_HINT,
            )
        if places[0] != root:
            if state_digest(places[0]) != wanted:
                raise IntegrityError(
                    f"{places[0]} differs from {root} as it was before the run", hint=_HINT
                )
            _return(places[0], root, place)
        _write(place / _MARK, b"")
        (place / _JOURNAL).unlink()
        _sync(place)
        _clear(root, place)


def _moving(place: Path) -> AbstractContextManager[object]:
    """Wait for the other of evaluation and warden, if it moves anything just now.

    A warden that fails puts production back while its evaluation lives, and may be at it too.
    """
    return locked(place / _MOVING, busy=None) if place.is_dir() else nullcontext()


def _journal(path: Path) -> tuple[int, str] | None:
    """The number and the digest of production; None where there is no journal.

    The number of the disk is no part of it: the next start of the system may give it another.
    """
    try:
        written = json.loads(path.read_bytes())
        return int(written["inode"]), str(written["digest"])
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError):
        raise IntegrityError(f"{path} cannot be read", hint=_HINT) from None


def _return(production: Path, root: Path, place: Path) -> None:
    """Production is found elsewhere: put it in its place, and what is there aside."""
    if _id(root) is not None:
        if production.name == _STATE and exchange(production, root):
            _sync(root.parent, place)
            return
        aside = place / (_BETWEEN if production.name == _STATE else _STATE)
        remove(aside)
        root.rename(aside)
        _sync(root.parent, place)
    production.rename(root)
    _sync(root.parent, place)


_HINT = "Nothing was moved. Compare both folders, restore the right one, delete the other."


def _swap(root: Path, place: Path) -> None:
    """Let two folders change places: in one step where that can be."""
    if not exchange(place / _STATE, root):
        root.rename(place / _BETWEEN)
        _sync(root.parent, place)
        (place / _STATE).rename(root)
    _sync(root.parent, place)


def _clear(root: Path, place: Path) -> None:
    """Throw a copy away; what is not marked as one is production."""
    left = [path for path in (place / _STATE, place / _BETWEEN) if _id(path) is not None]
    if left and _id(place / _MARK) is None:
        raise IntegrityError(
            f"{left[0]} exists without a journal, so it may or may not be the original of {root}",
            hint=_HINT,
        )
    for path in left:
        remove(path)
    if left:
        _sync(place)  # a copy that came back without its mark would be production
    for name in (f".{_JOURNAL}", f".{_MARK}", _MARK):
        (place / name).unlink(missing_ok=True)


def _id(path: Path) -> int | None:
    """By what number a disk knows a file; None where there is none."""
    try:
        return path.lstat().st_ino
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes) -> None:
    """Write a file whole, and make it and its name durable."""
    aside = path.with_name(f".{path.name}")
    with aside.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    aside.replace(path)
    _sync(path.parent, path.parent.parent)


def _sync(*folders: Path) -> None:
    for folder in folders:
        sync(folder)
