"""Steps 1 to 3: the ledger, the ledgers that it must continue, and the order of its entries."""

import re
from collections.abc import Iterator
from pathlib import Path

from assay.digests import digest
from assay.errors import BrokenChain, IntegrityError, NotHere, storage
from assay.files import is_aside, read_inside
from assay.journal import whole_lines
from assay.ledger.checkpoint import Checkpoint, check_extends, parse_checkpoint
from assay.ledger.file import reading
from assay.study.entries import read_records
from assay.study.git import Repository
from assay.study.git_modules import NamedCommit
from assay.study.git_revisions import NAMES
from assay.study.graded_once.kinds import KINDS
from assay.study.locate import FILE, LEDGER
from assay.study.records import SubmissionRecord
from assay.study.study import MAX_PLAN_BYTES
from assay.study.submissions.run import stated_start
from assay.study.timestamps import REQUEST, RESPONSE
from assay.study.verify.context import StepFinding, Verifying
from assay.study.verify.history import origin_in
from assay.study.verify.one_place import check_one_place
from assay.study.verify.outside_time import check_outside_time
from assay.wording import counted

_STRAYS = ("scorecards", "grades", "bars", "authorities")
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def check_chain(at: Verifying) -> StepFinding:
    """Step 1."""
    revisions = list(_revisions(at))  # before the ledger, which may grow meanwhile
    at.chain = at.study.chain()
    summary = counted(len(at.chain.lines), "entry")
    notes = []
    continued = dict.fromkeys((each.revision for each in revisions), False)
    for each in revisions:
        for place, old in _ledgers_in(at, each):
            known = each.name if place == at.place else f"{each.name} ({place})"
            _check_continues(at, old, known)
            continued[each.revision] = True
    summary += "".join(
        f", continuing the ledger of {name}" for name, found in continued.items() if found
    )
    notes += [
        f"{name} holds no ledger of this study" for name, found in continued.items() if not found
    ]
    if at.chain.torn:
        notes.append(f"{counted(at.chain.torn, 'byte')} of an interrupted write follow")
    return StepFinding("; ".join([summary, *notes]), noted=bool(notes))


def _revisions(at: Verifying) -> Iterator[NamedCommit]:
    """The commits whose ledger must be the beginning of this one: HEAD, and the one named.

    For a revision of an outer repository, these are all commits that it names.
    """
    if at.repository is None:
        return
    if at.named:
        head = at.repository.head()
        own = [] if head is None else [NamedCommit("HEAD", at.repository, head)]
        every = {
            (each.revision, each.repository.top, each.commit): each for each in (*own, *at.named)
        }
        yield from every.values()
        return
    for name in dict.fromkeys(("HEAD", at.shown.since)):
        if name is None or set(name) == {"0"}:  # a push of a new branch names zeros
            continue
        commit = at.repository.commit(name)
        if commit is not None:
            yield NamedCommit(name, at.repository, commit)
        elif name != "HEAD":
            raise NotHere(
                f"no revision {name!r:.80} in this clone: it was not fetched, or history was"
                " rewritten",
                hint=NAMES,
            )


def _ledgers_in(at: Verifying, named: NamedCommit) -> Iterator[tuple[str, list[bytes]]]:
    """Every ledger of this study in a commit, by its place: its lines.

    These are the ledger at the study's present path, and every other that has its first line or a
    plan of its origin beside it: an author can move a study.
    """
    whole, commit = Repository(named.repository.top, "."), named.commit
    here = at.place if at.repository is not None and at.repository.top == whole.top else None
    for place in whole.folders(commit, LEDGER):
        data = whole.read(commit, LEDGER, place=place)
        lines = whole_lines(data or b"").split(b"\n")[:-1]
        is_ours = place == here or (lines and lines[:1] == at.chain.lines[:1])
        if is_ours or _has_our_plan(at, whole.read(commit, FILE, place=place)):
            yield place, lines


def _has_our_plan(at: Verifying, plan: bytes | None) -> bool:
    if plan is None or len(plan) > MAX_PLAN_BYTES:
        return False
    return origin_in(plan) == at.study.config.origin


def _check_continues(at: Verifying, lines: list[bytes], name: str) -> None:
    chain = at.chain
    for number, line in enumerate(lines):
        if number >= len(chain.lines):
            raise BrokenChain(
                f"{LEDGER}: {len(chain.lines)} entries, but {name} has {len(lines)}: some were"
                " removed"
            )
        if chain.lines[number] != line:
            raise BrokenChain(f"{LEDGER}, line {number + 1} differs from {name}")


def check_checkpoints(at: Verifying) -> StepFinding:
    """Step 2."""
    kept = list(_kept_checkpoints(at))
    every = [*kept, *at.shown.checkpoints]
    check_extends(at.chain, every, origin=at.study.config.origin)
    outside = check_outside_time(at, every)
    unsigned = [
        checkpoint
        for checkpoint in every
        if not any(key.signed(checkpoint.text, checkpoint.signatures) for key in at.shown.keys)
    ]
    signed = [checkpoint.size for checkpoint in every if checkpoint not in unsigned]
    names = " or ".join(key.name for key in at.shown.keys)
    for checkpoint in at.shown.checkpoints if at.shown.keys else ():
        if checkpoint in unsigned:
            size = checkpoint.size
            raise IntegrityError(f"the checkpoint of {size} entries is not signed by {names}")
    if at.shown.keys and not signed:
        raise IntegrityError(f"no checkpoint is signed by {names}")
    if not every:
        none = "none kept and none given: a complete rewrite of the ledger would go unnoticed"
        return StepFinding("; ".join([none, *outside.notes]), noted=True)
    largest = max(checkpoint.size for checkpoint in every)
    by = f"; {len(signed)} signed by a given key" if signed else ""
    by += f", up to {counted(max(signed), 'entry')}" if signed else ""
    summary = f"{counted(len(every), 'checkpoint')}, up to {counted(largest, 'entry')}{by}"
    return StepFinding("; ".join([summary, *outside.notes]), noted=outside.noted)


def _kept_checkpoints(at: Verifying) -> Iterator[Checkpoint]:
    folder = at.study.root / "checkpoints"
    with storage(folder):
        names = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    for name in names:
        if is_aside(name) or name.endswith((REQUEST, RESPONSE)):
            continue
        data = read_inside(at.study.root, f"checkpoints/{name}")
        yield parse_checkpoint(data, where=f"checkpoints/{name}")


def check_order(at: Verifying) -> StepFinding:
    """Step 3."""
    with reading(at.study.root / LEDGER) as chain:
        if chain.lines[: len(at.chain.lines)] != at.chain.lines:
            raise BrokenChain(f"{LEDGER} was rewritten while it was read")
        at.chain = chain
        at.records = read_records(chain.entries)
        _check_strays(at)
    if at.records.opening is None:
        raise IntegrityError(f"{LEDGER} is empty: the study was never opened")
    if at.records.opening.subject != at.study.config.name:
        raise IntegrityError(f"{LEDGER} belongs to the study {at.records.opening.subject}")
    started = [record for record in at.records.submissions.values() if record.started is not None]
    unwitnessed = sum(not _check_witness(at, record) for record in started)
    notes = check_one_place(at)
    finished = sum(record.run is not None for record in at.records.submissions.values())
    summary = ", ".join(
        counted(number, what)
        for number, what in (
            (len(at.records.submissions), "seal"),
            (len(started), "run"),
            (finished, "result"),
        )
    )
    if started and at.repository is None:
        notes.append("not in a git repository, so no witness was checked")
    elif unwitnessed:
        notes.append(f"{counted(unwitnessed, 'run')} had no witness")
    withdrawn = [record.id for record in at.records.submissions.values() if record.withdrawn]
    if withdrawn:
        notes.append(f"{', '.join(withdrawn)} withdrawn before a start")
    open_ = [record.id for record in started if record.run is None]
    if open_:
        notes.append(f"{', '.join(open_)} started without a result")
    return StepFinding("; ".join([summary, *notes]), noted=bool(notes))


def _check_strays(at: Verifying) -> None:
    """Refuse a file that looks like a record but has no entry."""
    known = {part for name in at.records.files for part in (name, name.rpartition("/")[0])}
    root = at.study.root
    submissions = at.records.submissions.values()
    started = {record.id for record in submissions if record.started is not None}
    with storage(root):
        seals = list(root.glob("preregs/*/seal.json"))
        kept = [p for name in _STRAYS for p in root.glob(f"{name}/*")]
        kept += [
            path
            for name in ("controls", *KINDS)
            for depth in ("*", "*/*")
            for path in root.glob(f"{name}/{depth}")
        ]
        runs = [
            path
            for path in root.glob("runs/*")
            if path.name not in started and not path.name.startswith(".")
        ]
    for path in (*seals, *kept):
        name = path.relative_to(root).as_posix()
        if name not in known and not is_aside(path.name):
            raise IntegrityError(
                f"{name} has no ledger entry: it was added by hand, or an entry was lost",
                hint=_stray_hint(path),
            )
    for path in runs:
        raise IntegrityError(
            f"runs/{path.name} is a result without a seal: the ledger has no such run"
        )


def _check_witness(at: Verifying, record: SubmissionRecord) -> bool:
    """Whether a run had a witness; an invalid witness is a breach."""
    assert record.started is not None  # noqa: S101 - only such are asked about
    witness, _ = stated_start(record.started)
    if witness is None:
        return False
    kind, _, name = witness.partition(":")
    where = f"the witness of {record.id}, commit {name[:12]},"
    if kind != "git":
        raise IntegrityError(f"the witness of {record.id} is {witness!r:.80}, expected a commit")
    if _COMMIT.fullmatch(name) is None:  # a branch, a tag or HEAD~1 can be moved later
        raise IntegrityError(f"{where} is not the full name of a commit")
    if at.repository is None:
        return True
    commit = at.repository.commit(name)
    head = at.repository.head()
    if commit is None and at.repository.is_shallow():
        raise NotHere(
            f"{where} is not in this shallow clone",
            hint="Fetch the rest: git fetch --unshallow",
        )
    if commit != name:  # a branch can have a name that is a commit's in another repository
        raise IntegrityError(f"{where} is not in this repository: its history was rewritten")
    if head is None or not at.repository.is_ancestor(commit, head):
        raise IntegrityError(
            f"{where} is not an ancestor of the checked-out commit: its history was rewritten",
            hint="`git reflog` keeps an amended commit for a while; merge it.",
        )
    place = record.started.said.get("place")
    for name, expected in record.seal.files.items():
        data = at.repository.read(commit, name, place=place)
        if data is None or digest(data) != expected:
            raise IntegrityError(f"{where} does not hold the seal that was run")
    lines = (at.repository.read(commit, LEDGER, place=place) or b"").split(b"\n")[:-1]
    between = record.seal.n < len(lines) <= record.started.n
    if not between or at.chain.lines[: len(lines)] != lines:
        raise IntegrityError(f"{where} is not between the seal and the run")
    if at.repository.read(commit, f"runs/{record.id}/outputs.jsonl", place=place) is not None:
        raise IntegrityError(f"{where} already holds its outputs")
    return True


def _stray_hint(path: Path) -> str | None:
    folder = path.parent.name
    if path.name == "seal.json":
        return f"Seal it: assay seal {folder}"
    return {
        "scorecards": "If a command was interrupted: assay score `all=True`",
        "grades": f"If a command was interrupted: assay run {path.stem}",
        "bars": "If a command was interrupted, revise again: assay bars revise",
        "controls": "If a command was interrupted, revise again: assay bars revise",
        "authorities": "If a command was interrupted, pin it again: assay ledger pin",
    }.get(folder)
