"""Run a system with a fixed path to its state, where no private view is available.

The copy and production swap places during a run. Meanwhile there are beside the state:

        .STATE.assay/journal.json    the inode and the digest of production, to find it again
    .STATE.assay/state           the copy before the run, production during it
        .STATE.assay/copy            a mark: `state` is only a copy and may be deleted
        .STATE.assay/lock            held by the running evaluation and its warden
        .STATE.assay/moving          held by whichever of the two is moving folders

The journal is durable before the first rename. The next evaluation first restores production
(`put_back`), which may be repeated. A folder that does not match the journal is left in place and
reported.
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
    """The folder beside a state for journal, locks and copy."""
    return root.parent / f".{root.name}.assay"


@contextmanager
def held(root: Path) -> Iterator[int]:
    """Lock a state against other evaluations; yields the lock, which the warden holds too."""
    with ExitStack() as stack:
        place = beside(root)
        with storage(place):
            handle = None
            with suppress(FileExistsError, FileNotFoundError):  # its users create and delete it
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
                for name in (_MOVING, _LOCK):  # the lock last: it keeps the next evaluation out
                    (place / name).unlink(missing_ok=True)
            with suppress(OSError):  # the next evaluation may use it already
                place.rmdir()


def take_place(root: Path, copy: Path, digest: str) -> None:
    """Put a copy in the place of production, whose digest is given; `put_back` undoes it."""
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
    """Restore production to its place after an interrupted run."""
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
    """Wait while the other process, evaluation or warden, moves folders.

    A failing warden restores production while its evaluation still runs and may do the same.
    """
    return locked(place / _MOVING, busy=None) if place.is_dir() else nullcontext()


def _journal(path: Path) -> tuple[int, str] | None:
    """The inode and the digest of production; None without a journal.

    The device number is left out: it may change when the system restarts.
    """
    try:
        written = json.loads(path.read_bytes())
        return int(written["inode"]), str(written["digest"])
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError):
        raise IntegrityError(f"{path} cannot be read", hint=_HINT) from None


def _return(production: Path, root: Path, place: Path) -> None:
    """Move production back to its place, and whatever is there aside."""
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
    """Swap two folders, in one step if the system can."""
    if not exchange(place / _STATE, root):
        root.rename(place / _BETWEEN)
        _sync(root.parent, place)
        (place / _STATE).rename(root)
    _sync(root.parent, place)


def _clear(root: Path, place: Path) -> None:
    """Delete a copy; a folder without the mark of a copy is production and stays."""
    left = [path for path in (place / _STATE, place / _BETWEEN) if _id(path) is not None]
    if left and _id(place / _MARK) is None:
        raise IntegrityError(
            f"{left[0]} exists without a journal, so it may or may not be the original of {root}",
            hint=_HINT,
        )
    for path in left:
        remove(path)
    if left:
        _sync(place)  # after a crash, a copy without its mark would count as production
    for name in (f".{_JOURNAL}", f".{_MARK}", _MARK):
        (place / name).unlink(missing_ok=True)


def _id(path: Path) -> int | None:
    """The inode of a file; None if it is missing."""
    try:
        return path.lstat().st_ino
    except FileNotFoundError:
        return None


def _write(path: Path, data: bytes) -> None:
    """Write a file completely, and make it and its name durable."""
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
