"""The one run of a sealed submission.

Exactly once: one process at a time holds the seal, and the ledger holds what has happened. The
entry `run-started` is on the disk before the method sees an item. A run that is cut off stays
public as "started, no result"; what it made is kept, and the same run can be taken up again where
it stopped, never begun anew.
"""

import fcntl
import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec

from assay.digests import digest
from assay.errors import AlreadyRun, MethodError, SpecError, storage
from assay.evidence.record import Provenance, Record, Run
from assay.evidence.run import Sealed, collect
from assay.judges.grade import Grade
from assay.judges.judgement import Judgement
from assay.study.files import now, read_as, read_inside
from assay.study.folder import Study
from assay.study.git import repository_of
from assay.study.judgements import (
    grade_of,
    judge_missing,
    keep_grade,
    read_grade,
    read_judgement,
)
from assay.study.layout import laid_out, limits_of, sealed_worker
from assay.study.records import Records, SubmissionRecord, read_records
from assay.study.runs import RunFolder, load_run
from assay.study.sealed import SealedPrereg, load_sealed
from assay.study.witness import witness_of

_UNWITNESSED = "none"


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """What one run came to: under each version of the bars, and beside its prediction."""

    submission: str
    original: str
    judgements: tuple[Judgement, ...]
    grade: Grade
    resumed: int


class Listener:
    """Who is told how a run goes on; tells nobody."""

    def total(self, items: int, made: int) -> None:
        """So many items there are, and so many have been asked before."""

    def started(self) -> None:
        """The ledger says that the run begins, and the method has seen nothing yet."""

    def record(self, record: Record) -> None:
        """One more record."""

    def printed(self, data: bytes) -> None:
        """The method printed something."""


def run_sealed(
    study: Study, submission: str, *, unwitnessed: bool = False, listener: Listener | None = None
) -> Finished:
    """Run a sealed submission once, or take up where its run was cut off; then judge and grade."""
    sealed = load_sealed(study, submission)
    with _only_one(study, submission):
        one = _records(study).submissions[submission]
        if one.run is None:
            _make(study, sealed, one, unwitnessed=unwitnessed, listener=listener or Listener())
        elif one.grade is not None:
            raise AlreadyRun(
                f"{submission} has been run: entry {one.run.n} holds its result",
                hint=f"See it: assay board. To compare another run: assay audit-run {submission}",
            )
        return conclude(study, sealed)


def conclude(study: Study, sealed: SealedPrereg) -> Finished:
    """Judge a result under every version of the bars and grade its prediction, once."""
    judge_missing(study)
    records = _records(study)
    one = records.submissions[sealed.id]
    if one.grade is None:
        keep_grade(study, sealed.id, grade_of(study, records, one, sealed.prediction, sealed.bars))
        records = _records(study)
        one = records.submissions[sealed.id]
    assert one.grade is not None  # noqa: S101 - kept two lines above
    return Finished(
        submission=sealed.id,
        original=sealed.bars.version,
        judgements=tuple(read_judgement(study, entry) for entry in one.scores.values()),
        grade=read_grade(study, one.grade),
        resumed=len(one.resumed),
    )


@contextmanager
def _only_one(study: Study, submission: str) -> Iterator[None]:
    """Hold the seal while running; the system lets go of it when the process ends, however."""
    path = study.path(f"preregs/{submission}/seal.json")
    with storage(path):
        handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise AlreadyRun(
                f"{submission} is being run by another process now", hint="Wait for its result."
            ) from None
        yield
    finally:
        os.close(handle)


def _make(
    study: Study,
    sealed: SealedPrereg,
    one: SubmissionRecord,
    *,
    unwitnessed: bool,
    listener: Listener,
) -> None:
    """Ask the method what has not been asked, and put the outputs into the ledger."""
    path = study.path(f"runs/{sealed.id}")
    made: tuple[Record, ...] = ()
    if one.started is None:
        witness = witness_of(study, sealed, unwitnessed=unwitnessed)
        with storage(path):
            if path.exists() and any(path.iterdir()):
                raise SpecError(
                    f"{path} holds something, and {sealed.id} was never started",
                    hint="Take it away: results come from runs.",
                )
        folder = RunFolder(path)
    else:
        said = one.started.said.get("witness", _UNWITNESSED)
        witness = None if said == _UNWITNESSED else said
        if _is_closed(path):
            _enter(study, sealed)
            return
        _check_kept(study, one)
        folder, made = RunFolder.again(path)
    provenance = Provenance(
        seal=sealed.digest,
        witness=witness,
        resumed=len(one.resumed) + (one.started is not None),
    )
    with closing(folder):
        try:
            run = _ask(study, sealed, folder, provenance, made, listener)
        except (MethodError, KeyboardInterrupt):
            _stop(study, sealed)
            raise
        folder.finish(run)
    _enter(study, sealed)


def _ask(
    study: Study,
    sealed: SealedPrereg,
    folder: RunFolder,
    provenance: Provenance,
    made: tuple[Record, ...],
    listener: Listener,
) -> Run:
    def start(run: Run) -> None:
        listener.total(sum(1 for _ in sealed.benchmark.keyed_items()), len(made))
        _start(study, sealed, provenance, made)
        listener.started()
        folder.begin(run)

    def add(record: Record) -> None:
        folder.add(record)
        listener.record(record)

    with (
        laid_out(sealed.contents) as place,
        sealed_worker(
            sealed.prereg.method,
            place,
            prereg=sealed.prereg,
            seed=sealed.seed,
            on_print=listener.printed,
        ) as worker,
    ):
        return collect(
            worker,
            sealed.benchmark,
            task=sealed.prereg.task,
            seed=sealed.seed,
            limits=limits_of(sealed.prereg),
            keep_going=True,
            sealed=Sealed(
                provenance, made=made, unknown=lambda modules: sealed.unknown(modules, place)
            ),
            on_start=start,
            on_record=add,
        )


def _start(
    study: Study, sealed: SealedPrereg, provenance: Provenance, made: tuple[Record, ...]
) -> None:
    """Say in public that the run begins, or goes on, before the method sees an item."""
    with study.ledger as ledger:
        one = read_records(ledger.entries).submissions[sealed.id]
        if one.run is not None:
            raise AlreadyRun(f"{sealed.id} has been run meanwhile: entry {one.run.n}")
        if one.started is None:
            ledger.append(
                time=now(),
                kind="run-started",
                subject=sealed.id,
                said={"witness": provenance.witness or _UNWITNESSED, **_place(study)},
            )
            return
        kept = read_inside(study.root, f"runs/{sealed.id}/outputs.jsonl") if made else b""
        said = {"kept": str(len(made)), "outputs": digest(kept)}
        ledger.append(time=now(), kind="run-resumed", subject=sealed.id, said=said)


def _place(study: Study) -> dict[str, str]:
    """Where the study is in its repository, so that a witness stays one when it is moved."""
    repository = repository_of(study.root)
    return {} if repository is None else {"place": repository.prefix}


def _stop(study: Study, sealed: SealedPrereg) -> None:
    """Say in public what had been made when a run was stopped, so that it stays as it is."""
    name = f"runs/{sealed.id}/outputs.jsonl"
    with study.ledger as ledger:
        one = read_records(ledger.entries).submissions[sealed.id]
        if one.started is None or not study.path(name).exists():
            return
        kept = read_inside(study.root, name)
        said = {"kept": str(kept.count(b"\n")), "outputs": digest(kept)}
        ledger.append(time=now(), kind="run-stopped", subject=sealed.id, said=said)


def _check_kept(study: Study, one: SubmissionRecord) -> None:
    """Refuse to go on from outputs that are not those the run had made when it was stopped."""
    begun = [entry for entry in (one.started, *one.resumed) if entry is not None]
    if one.stopped and one.stopped[-1].n > begun[-1].n:
        read_as(study.root, f"runs/{one.id}/outputs.jsonl", one.stopped[-1].said["outputs"])


def _enter(study: Study, sealed: SealedPrereg) -> None:
    """Put the outputs of a closed run into the ledger."""
    names = [f"runs/{sealed.id}/{name}" for name in ("run.json", "outputs.jsonl")]
    files = {name: digest(read_inside(study.root, name)) for name in names}
    with study.ledger as ledger:
        if read_records(ledger.entries).submissions[sealed.id].run is None:
            ledger.append(time=now(), kind="run", subject=sealed.id, files=files)


def _is_closed(path: Path) -> bool:
    """Whether a run had been closed when something stopped it from being entered."""
    try:
        return load_run(path).complete
    except SpecError:
        return False


def _records(study: Study) -> Records:
    return read_records(study.chain().entries)
