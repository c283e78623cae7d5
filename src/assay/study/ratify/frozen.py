"""A folder of ratified artifacts: those in place, all earlier versions, and a record of the steps.

    NAME               the artifact, as it was measured
    ratified.jsonl     what was ratified and taken back, one line each (a study's ledger instead,
                       where the folder is in a study)
    .ratified/DIGEST   every version that was ever there

A step is recorded durably before the artifact is put in place by one rename. A step that was
interrupted in between is finished when the folder is next opened.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Literal

import msgspec

from assay.digests import digest, is_digest, is_name, json_lines, short
from assay.errors import DigestMismatch, IntegrityError, SpecError, storage
from assay.files import is_record_path, read_bounded, sync, write_whole
from assay.folders import artifact_digest, copy_artifact, remove, sync_all
from assay.journal import append, cut_torn, read_lines
from assay.lock import locked
from assay.sandbox.syscalls import exchange
from assay.study.entries import enter, records_of
from assay.study.entry_readers import NOTHING
from assay.study.locate import study_root
from assay.study.study import PAGES, RECORDS, StudyFolder, open_study

HISTORY, STORE, NONE = "ratified.jsonl", ".ratified", NOTHING
UNFINISHED = "unfinished"
_LONGEST_MARK = 1 << 12


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """An artifact put in place, or reverted: the version after the step, and the one before."""

    kind: Literal["ratify", "revert"]
    name: str
    artifact: str
    previous: str
    comparison: str | None
    time: str


@dataclass(frozen=True, kw_only=True)
class Frozen:
    """A folder of ratified artifacts, and the study around it."""

    folder: Path
    study: StudyFolder | None

    def place(self, name: str) -> Path:
        """Where an artifact is put."""
        return self.folder / name

    def kept(self, version: str) -> Path:
        """Where a version is kept."""
        return self.folder / STORE / version.removeprefix("sha256:")

    def inner(self, name: str) -> str:
        """Its path relative to the study."""
        assert self.study is not None  # noqa: S101 - only asked there
        root = self.study.root.resolve()
        return (self.folder.resolve() / name).relative_to(root).as_posix()


@contextmanager
def frozen_folder(folder: Path, *, new: bool = True, finish: bool = True) -> Iterator[Frozen]:
    """Lock a folder of ratified artifacts; an interrupted step is finished first.

    `new=False` refuses a folder that does not exist; `finish=False` makes and changes nothing.
    """
    with storage(folder):
        if not new and not folder.is_dir():
            raise SpecError(f"there is no folder {str(folder)!r}")
    root = study_root(folder, ledger=False)  # one that lost its ledger is still one
    at = Frozen(folder=folder, study=None if root is None else open_study(root))
    if root is not None and at.inner("").split("/")[0] in RECORDS | PAGES:
        raise SpecError(
            f"{folder} is reserved for the study's own records", hint="Name another: `into=`."
        )
    _check_not_in_artifact(at)
    if not finish:
        with _looking(folder / STORE / "lock"):
            yield at
        return
    with storage(folder):
        folder.mkdir(parents=True, exist_ok=True)
        if (folder / STORE).is_symlink():
            raise IntegrityError(f"{folder / STORE} is a symbolic link")
        (folder / STORE).mkdir(exist_ok=True)
        sync(folder)
    with locked(folder / STORE / "lock", busy=None):
        if finish:
            _finish(at)
        yield at


@contextmanager
def _looking(lock: Path) -> Iterator[None]:
    """Lock the folder against changes while it is read, without creating anything in it."""
    with storage(lock):
        is_there = lock.exists() or lock.is_symlink()
    with locked(lock, busy=None, create=False, shared=True) if is_there else nullcontext():
        yield


def _check_not_in_artifact(at: Frozen) -> None:
    """Refuse a folder at or below a ratified artifact: it would change the artifact."""
    with storage(at.folder):
        here = at.folder.resolve()
        outer = [place for place in here.parents if (place / HISTORY).is_file()]
    places = [] if at.study is None else [at.study.root.resolve() / name for name in in_place(at)]
    for folder in outer:
        with suppress(IntegrityError):  # which is for those to hear who use that folder
            places += [folder / name for name in in_place(Frozen(folder=folder, study=None))]
    for place in places:
        if here.is_relative_to(place):
            raise SpecError(
                f"{at.folder} is inside the ratified artifact {place}",
                hint="Name another: `into=`.",
            )


def in_place(at: Frozen) -> list[str]:
    """The ratifications that stand, by path; in a study, those of the whole study."""
    if at.study is None:
        last = {step.name: step.artifact for step in history(at)}
    else:
        entries = records_of(at.study).ratified
        last = {entry.said["path"]: entry.said["artifact"] for entry in entries}
    return [path for path, artifact in last.items() if artifact != NONE]


def history(at: Frozen) -> list[Step]:
    """All recorded steps of this folder, oldest first."""
    if at.study is not None:
        entries = records_of(at.study).ratified
        here = PurePosixPath(at.inner(""))
        return [
            Step(
                kind="ratify" if entry.kind == "ratify" else "revert",
                name=place.name,
                artifact=entry.said["artifact"],
                previous=entry.said["previous"],
                comparison=next(iter(entry.files.values()), None),
                time=entry.time,
            )
            for entry in entries
            if (place := PurePosixPath(entry.said["path"])).parent == here
        ]
    path = at.folder / HISTORY
    with storage(path):
        whole = read_lines(path)
    try:
        steps = [msgspec.convert(row, Step) for _, row in json_lines(whole, where=str(path))]
    except (msgspec.ValidationError, SpecError) as error:
        raise IntegrityError(f"{path}: {error}") from None
    _check_steps(steps, str(path))
    return steps


def can_hold(name: str) -> bool:
    """Whether an artifact of that name can be put in place and recorded."""
    return is_record_path(name) and "/" not in name and not name.startswith(".") and name != HISTORY


def _check_steps(steps: Sequence[Step], where: str) -> None:
    """Refuse a history with a path outside its folder, or with a step that does not follow."""
    standing: dict[str, list[Step]] = {}
    in_place: dict[str, str] = {}
    for number, step in enumerate(steps, 1):
        plain = all(text == NONE or is_digest(text) for text in (step.artifact, step.previous))
        if not can_hold(step.name) or not plain:
            raise IntegrityError(
                f"{where}: step {number} does not say which artifact was put in which place"
            )
        stack = standing.setdefault(step.name, [])
        follows = in_place.get(step.name, step.previous) == step.previous
        if step.kind == "ratify":
            follows = follows and step.artifact != NONE
            stack.append(step)
        else:
            follows = follows and bool(stack) and stack.pop().previous == step.artifact
        if not follows:
            raise IntegrityError(f"{where}: step {number} does not follow the step before")
        in_place[step.name] = step.artifact


def note(at: Frozen, step: Step, comparison: bytes | None) -> None:
    """Record the step durably, after a mark that an artifact is about to be put in place."""
    write_whole(at.folder / STORE / UNFINISHED, step.name.encode())
    if at.study is None:
        path = at.folder / HISTORY
        with storage(path):
            cut_torn(path)
            append(path, msgspec.json.encode(step))
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
    """A safe file name for any artifact's name; the entry's path holds the original."""
    plain = re.sub(r"[^a-z0-9._-]", "-", name.lower()).strip(".-_")[:64] or "artifact"
    return plain if is_name(plain) else "artifact"


def keep(at: Frozen, source: Path, version: str) -> None:
    """Keep a version in the store, completely or not at all; a damaged copy is replaced."""
    target = at.kept(version)
    with storage(target):
        if is_kept(at, version):
            return
        remove(target)
        aside = target.with_name(f"{target.name}.aside")
        remove(aside)
        copy_artifact(source, aside)
        if artifact_digest(aside) != version:
            raise IntegrityError(f"{source} changed while it was being copied")
        sync_all(aside)
        aside.rename(target)
        sync(target.parent)


def is_kept(at: Frozen, version: str) -> bool:
    """Whether the store has an unchanged copy of a version."""
    try:
        return digest_there(at.kept(version)) == version
    except DigestMismatch:
        return False


def put(at: Frozen, step: Step) -> None:
    """Make the version that a step names the one in place, in one rename."""
    place = at.place(step.name)
    aside = at.folder / STORE / "aside"
    with storage(place):
        remove(aside)
        if step.artifact == NONE:
            if place.exists():
                place.rename(aside)
        else:
            if not is_kept(at, step.artifact):
                raise IntegrityError(
                    f"{at.kept(step.artifact)} is missing or was changed",
                    hint="Restore it: the recorded step cannot be finished without it.",
                )
            copy_artifact(at.kept(step.artifact), aside)
            sync_all(aside)
            _exchange(aside, place)
        sync(at.folder)
        remove(aside)
        remove(at.folder / STORE / UNFINISHED)


def _finish(at: Frozen) -> None:
    """Finish a step that was recorded but interrupted before its artifact was in place.

    Only such a step: a file that a user removed or restored is reported, not changed.
    """
    mark = at.folder / STORE / UNFINISHED
    with storage(mark):
        name = _name_in(mark) if mark.is_file() else None
    step = {step.name: step for step in history(at)}.get(name or "")
    if step is not None and step.artifact != step.previous:
        with suppress(DigestMismatch):  # an edit; the next command on this artifact reports it
            # Where a swap takes two renames, there is nothing between them.
            if digest_there(at.place(step.name)) in (step.previous, NONE):
                put(at, step)
    with storage(mark):
        remove(mark)


def _name_in(mark: Path) -> str:
    return read_bounded(mark, _LONGEST_MARK).decode("utf-8", "replace")


def digest_there(place: Path) -> str:
    """The digest of the file or folder in place, or `none`; anything else is a breach."""
    with storage(place):
        present = place.exists() or place.is_symlink()
    try:
        return artifact_digest(place) if present else NONE
    except SpecError as error:
        raise DigestMismatch(error.message) from None


def _exchange(new: Path, place: Path) -> None:
    """Replace a file or folder with another, so that one of them is always in place."""
    if not place.exists() or (new.is_file() and place.is_file()):
        new.replace(place)
        return
    if exchange(new, place):
        return
    before = new.with_name("before")
    remove(before)
    place.rename(before)  # for a moment there is neither; the next command finishes the step
    new.rename(place)
    remove(before)
