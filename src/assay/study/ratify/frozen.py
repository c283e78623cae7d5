"""A folder of ratified artifacts: what is in place, every version that was, and what was noted.

    NAME               the artifact, as it was measured
    ratified.jsonl     what was ratified and taken back, one line each (a study's ledger instead,
                       where the folder is in a study)
    .ratified/DIGEST   every version that was ever there

A step is written down and made durable before the artifact is put in place, and putting it in place
is one rename. A step that was interrupted in between is finished when the folder is next opened.
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
    study: StudyFolder | None

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
            f"{folder} is a place of the study's own records", hint="Name another: `into=`."
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
    """Keep out who changes the folder while it is looked at, without making anything in it."""
    with storage(lock):
        is_there = lock.exists() or lock.is_symlink()
    with locked(lock, busy=None, create=False, shared=True) if is_there else nullcontext():
        yield


def _check_not_in_artifact(at: Frozen) -> None:
    """Refuse a folder at or below a ratified artifact, which would become another one by it."""
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
                f"{at.folder} lies in the ratified artifact {place}", hint="Name another: `into=`."
            )


def in_place(at: Frozen) -> list[str]:
    """What was ratified and is not taken back, by its path: of the whole study, where in one."""
    if at.study is None:
        last = {step.name: step.artifact for step in history(at)}
    else:
        entries = records_of(at.study).ratified
        last = {entry.said["path"]: entry.said["artifact"] for entry in entries}
    return [path for path, artifact in last.items() if artifact != NONE]


def history(at: Frozen) -> list[Step]:
    """Everything that was noted of this folder, oldest first."""
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
    """Whether an artifact of that name can be put in place, and told of."""
    return is_record_path(name) and "/" not in name and not name.startswith(".") and name != HISTORY


def _check_steps(steps: Sequence[Step], where: str) -> None:
    """Refuse a history that leads out of its folder, or in which a step does not follow."""
    standing: dict[str, list[Step]] = {}
    in_place: dict[str, str] = {}
    for number, step in enumerate(steps, 1):
        plain = all(text == NONE or is_digest(text) for text in (step.artifact, step.previous))
        if not can_hold(step.name) or not plain:
            raise IntegrityError(f"{where}: step {number} does not say what was put where")
        stack = standing.setdefault(step.name, [])
        follows = in_place.get(step.name, step.previous) == step.previous
        if step.kind == "ratify":
            follows = follows and step.artifact != NONE
            stack.append(step)
        else:
            follows = follows and bool(stack) and stack.pop().previous == step.artifact
        if not follows:
            raise IntegrityError(f"{where}: step {number} does not follow what was there before")
        in_place[step.name] = step.artifact


def note(at: Frozen, step: Step, comparison: bytes | None) -> None:
    """Write the step down, durably, and before it that something is about to be put in place."""
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
    """A name of ours for a file of anybody's; its own name stands in the entry's path."""
    plain = re.sub(r"[^a-z0-9._-]", "-", name.lower()).strip(".-_")[:64] or "artifact"
    return plain if is_name(plain) else "artifact"


def keep(at: Frozen, source: Path, version: str) -> None:
    """Keep a version in the store, whole or not at all; what is not that version any more goes."""
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
    """Whether the store has a version, as it was."""
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
                    f"{at.kept(step.artifact)} is not what was kept there",
                    hint="Put it back: what was noted cannot be finished without it.",
                )
            copy_artifact(at.kept(step.artifact), aside)
            sync_all(aside)
            _exchange(aside, place)
        sync(at.folder)
        remove(aside)
        remove(at.folder / STORE / UNFINISHED)


def _finish(at: Frozen) -> None:
    """Finish a step that was noted, cut off, and not yet put in place.

    Only such a step: a file that a user removed or put back is reported, not changed.
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
    """The digest of what is in place, or `none`; what no artifact can be is a breach."""
    with storage(place):
        present = place.exists() or place.is_symlink()
    try:
        return artifact_digest(place) if present else NONE
    except SpecError as error:
        raise DigestMismatch(error.message) from None


def _exchange(new: Path, place: Path) -> None:
    """Put something in the place of something else, so that there is always one of them."""
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
