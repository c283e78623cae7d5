"""A folder of ratified artifacts: what is in place, every version that was, and what was noted.

    NAME               the artifact, as it was measured
    ratified.jsonl     what was ratified and taken back, one line each (a study's ledger instead,
                       where the folder is in a study)
    .ratified/DIGEST   every version that was ever there

A step is written down and made durable before the artifact is put in place, and putting it in place
is one rename. Whatever cuts it off in between, the next one who opens the folder finishes it.
"""

import ctypes
import errno
import fcntl
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from assay.digests import digest, is_name, json_lines, short
from assay.errors import IntegrityError, storage
from assay.evidence.arms import copy_artifact
from assay.plan.artifact import artifact_digest
from assay.study.entering import enter
from assay.study.files import sync, write_whole
from assay.study.folder import Study, open_study
from assay.study.place import study_root
from assay.study.records import records_of

HISTORY, STORE, NONE = "ratified.jsonl", ".ratified", "none"
_EXCHANGE = 2
_HERE = -100


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """An artifact put in place, or taken back: what is there after it, and what was before."""

    kind: Literal["ratify", "revert"]
    name: str
    artifact: str
    previous: str
    comparison: str | None
    time: str


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """A folder of ratified artifacts, and the study it is in."""

    folder: Path
    study: Study | None

    def place(self, name: str) -> Path:
        """Where an artifact is put."""
        return self.folder / name

    def kept(self, version: str) -> Path:
        """Where a version is kept."""
        return self.folder / STORE / version.removeprefix("sha256:")

    def inner(self, name: str) -> str:
        """Its path as the study sees it."""
        assert self.study is not None  # noqa: S101 - only asked there
        root = self.study.root.resolve()
        return (self.folder.resolve() / name).relative_to(root).as_posix()


@contextmanager
def frozen_folder(folder: Path) -> Iterator[Frozen]:
    """A folder for ratified artifacts, to oneself; what was cut off is finished first."""
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STORE).mkdir(exist_ok=True)
        with (folder / STORE / "lock").open("ab") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            root = study_root(folder)
            at = Frozen(folder=folder, study=None if root is None else open_study(root))
            _finish(at)
            yield at


def history(at: Frozen) -> list[Step]:
    """Everything that was noted of this folder, oldest first."""
    if at.study is not None:
        prefix = at.inner(".").removesuffix(".").removesuffix("/")
        entries = records_of(at.study).ratified
        steps = []
        for entry in entries:
            folder, _, name = entry.said["path"].rpartition("/")
            if folder == prefix:
                steps.append(
                    Step(
                        kind="ratify" if entry.kind == "ratify" else "revert",
                        name=name,
                        artifact=entry.said["artifact"],
                        previous=entry.said["previous"],
                        comparison=next(iter(entry.files.values()), None),
                        time=entry.time,
                    )
                )
        return steps
    path = at.folder / HISTORY
    with storage(path):
        data = path.read_bytes() if path.exists() else b""
    whole = data[: data.rfind(b"\n") + 1]
    try:
        return [msgspec.convert(row, Step) for _, row in json_lines(whole, where=str(path))]
    except msgspec.ValidationError as error:
        raise IntegrityError(f"{path}: {error}") from None


def note(at: Frozen, step: Step, comparison: bytes | None) -> None:
    """Write the step down, durably."""
    if at.study is None:
        path = at.folder / HISTORY
        with storage(path):
            data = path.read_bytes() if path.exists() else b""
        whole = data[: data.rfind(b"\n") + 1]
        write_whole(path, whole + msgspec.json.encode(step) + b"\n")
        return
    files = {}
    if comparison is not None:
        inner = f"comparisons/{short(digest(comparison))}.json"
        place = at.study.path(inner)
        with storage(place):
            place.parent.mkdir(exist_ok=True)
        write_whole(place, comparison)
        files = {inner: digest(comparison)}
    said = {"path": at.inner(step.name), "artifact": step.artifact, "previous": step.previous}
    with at.study.ledger as ledger:
        enter(ledger, step.kind, _subject(step.name), files=files, said=said)


def _subject(name: str) -> str:
    """A name of ours for a file of anybody's; its own name stands in the entry's path."""
    plain = re.sub(r"[^a-z0-9._-]", "-", name.lower()).strip(".-_")[:64] or "artifact"
    return plain if is_name(plain) else "artifact"


def keep(at: Frozen, source: Path, version: str) -> None:
    """Keep a version in the store, whole or not at all."""
    target = at.kept(version)
    with storage(target):
        if target.exists():
            return
        aside = target.with_name(f"{target.name}.aside")
        _remove(aside)
        copy_artifact(source, aside)
        if artifact_digest(aside) != version:
            raise IntegrityError(f"{source} changed while it was being copied")
        _sync(aside)
        aside.rename(target)


def put(at: Frozen, step: Step) -> None:
    """Make the version that a step names the one in place, in one rename."""
    place = at.place(step.name)
    aside = at.folder / STORE / "aside"
    with storage(place):
        _remove(aside)
        if step.artifact == NONE:
            if place.exists():
                place.rename(aside)
        else:
            copy_artifact(at.kept(step.artifact), aside)
            if artifact_digest(aside) != step.artifact:
                raise IntegrityError(f"{at.kept(step.artifact)} is not what was kept there")
            _sync(aside)
            _exchange(aside, place)
        sync(at.folder)
        _remove(aside)


def _finish(at: Frozen) -> None:
    """Finish what was noted and not yet put in place."""
    for name in dict.fromkeys(step.name for step in history(at)):
        last = [step for step in history(at) if step.name == name][-1]
        if last.artifact != last.previous and digest_there(at.place(name)) == last.previous:
            put(at, last)


def digest_there(place: Path) -> str:
    """The digest of what is in place, or `none`."""
    with storage(place):
        there = place.exists() or place.is_symlink()
    return artifact_digest(place) if there else NONE


def _exchange(new: Path, place: Path) -> None:
    """Put something in the place of something else, so that there is always one of them."""
    if not place.exists() or (new.is_file() and place.is_file()):
        new.replace(place)
        return
    library = ctypes.CDLL(None, use_errno=True)
    if hasattr(library, "renameat2"):
        done = library.renameat2(_HERE, os.fsencode(new), _HERE, os.fsencode(place), _EXCHANGE)
        if done == 0:
            return
        code = ctypes.get_errno()
        if code not in (errno.EINVAL, errno.ENOSYS):
            raise OSError(code, os.strerror(code), str(place))
    before = new.with_name("before")
    _remove(before)
    place.rename(before)  # for a moment there is neither; what was noted is finished by anyone
    new.rename(place)
    _remove(before)


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        with suppress(FileNotFoundError):
            path.unlink()


def _sync(path: Path) -> None:
    """Make a file, or all files of a folder, durable."""
    for one in (path, *(path.rglob("*") if path.is_dir() else ())):
        sync(one)
