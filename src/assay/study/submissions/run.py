"""The one run of a sealed submission.

Exactly once: one process at a time holds the seal, and the ledger holds what has happened. The
entry `run-started` is on the disk before the method sees an item. A run that is cut off stays
public as "started, no result"; it can be resumed, and its outputs are kept. Unless it was killed,
the ledger also holds the digest of the outputs that it had written, and resuming from any others is
refused.
"""

from collections.abc import Callable
from contextlib import AbstractContextManager, closing
from functools import partial

import msgspec

from assay.digests import digest
from assay.errors import AlreadyRun, DigestMismatch, SpecError, storage
from assay.files import read_inside
from assay.gauntlet.result import Judgement
from assay.journal import whole_lines
from assay.lock import locked
from assay.runs.collect import Listener, Sealed, collect
from assay.runs.result import Provenance, Record, Run
from assay.runs.store import RunFolder
from assay.study.entries import SubmissionRecord, enter, read_records, records_of
from assay.study.git import repository_of
from assay.study.predictions.grade import Grade
from assay.study.scorecards.store import (
    grade_of,
    judge_missing,
    keep_grade,
    read_grade,
    read_judgement,
)
from assay.study.study import Study
from assay.study.submissions.sealed import SealedPrereg, load_sealed
from assay.study.submissions.sealed_files import laid_out, limits_of, sealed_worker
from assay.study.submissions.witness import witness_of
from assay.study.timestamps import attestation_of

_UNWITNESSED = "none"


class Finished(msgspec.Struct, frozen=True, kw_only=True):
    """A finished run: a judgement for each version of the bars, and the grade of its prediction."""

    submission: str
    original: str
    judgements: tuple[Judgement, ...]
    grade: Grade
    resumed: int

    @property
    def favourable(self) -> bool:
        """Whether it passes under the bars that were sealed with it."""
        cards = (made.scorecard for made in self.judgements if made.bars == self.original)
        return any(card is not None and card.verdict.favourable for card in cards)


def run_sealed(
    study: Study, submission: str, *, unwitnessed: bool = False, listener: Listener | None = None
) -> Finished:
    """Run a sealed submission once, or resume its run; then judge and grade it."""
    sealed = load_sealed(study, submission)
    with _only_one(study, submission):
        record = records_of(study).submission(submission)
        if record.run is None:
            _make(study, sealed, record, unwitnessed=unwitnessed, listener=listener or Listener())
        elif record.grade is not None:
            raise AlreadyRun(
                f"{submission} has been run: entry {record.run.n} holds its result",
                hint="See it: assay board. To run it again and compare:"
                f" assay verify `rerun={submission}`",
            )
        return conclude(study, sealed)


def _only_one(study: Study, submission: str) -> AbstractContextManager[int]:
    """Hold the seal while running; a process that ends, however it ends, lets go of it."""
    busy = AlreadyRun(
        f"{submission} is being run by another process now", hint="Wait for its result."
    )
    return locked(study.path(f"preregs/{submission}/seal.json"), busy=busy, create=False)


def is_running(study: Study, submission: str) -> bool:
    """Whether some process holds the seal just now."""
    try:
        with _only_one(study, submission):
            return False
    except AlreadyRun:
        return True


def _make(
    study: Study,
    sealed: SealedPrereg,
    record: SubmissionRecord,
    *,
    unwitnessed: bool,
    listener: Listener,
) -> None:
    """Ask the method about the remaining items, and enter the outputs into the ledger."""
    path = study.path(f"runs/{sealed.id}")
    made: tuple[Record, ...] = ()
    if record.started is None:
        witness = witness_of(study, sealed, unwitnessed=unwitnessed)
        with storage(path):
            if path.exists() and any(path.iterdir()):
                raise SpecError(
                    f"{path} holds something, and {sealed.id} was never started",
                    hint="Take it away: results come from runs.",
                )
        folder = RunFolder(path)
    else:
        stated = record.started.said.get("witness", _UNWITNESSED)
        witness = None if stated == _UNWITNESSED else stated
        _check_kept(study, record)
        folder, made = RunFolder.again(path)
    provenance = Provenance(
        seal=sealed.digest,
        witness=witness,
        resumed=len(record.resumed) + (record.started is not None),
        attested=attestation_of(study, record),
    )
    with closing(folder):
        try:
            start = partial(_start, study, sealed, provenance, made)
            run = ask(sealed, listener, folder, provenance=provenance, made=made, on_start=start)
            folder.finish(run)
        except BaseException:
            _stop(study, sealed, folder)
            raise
    _enter_result(study, sealed)


def ask(
    sealed: SealedPrereg,
    listener: Listener,
    folder: RunFolder | None = None,
    *,
    provenance: Provenance | None = None,
    made: tuple[Record, ...] = (),
    on_start: Callable[[], None] | None = None,
) -> Run:
    """Ask a copy of the sealed method about every item that was not asked before."""
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
            folder,
            task=sealed.prereg.task,
            seed=sealed.seed,
            limits=limits_of(sealed.prereg),
            keep_going=True,
            sealed=Sealed(
                provenance, made=made, unknown=lambda modules: sealed.unknown(modules, place)
            ),
            listener=listener,
            on_start=on_start,
        )


def _start(
    study: Study, sealed: SealedPrereg, provenance: Provenance, made: tuple[Record, ...]
) -> None:
    """Say in public that the run begins, or goes on, before the method sees an item."""
    with study.ledger as ledger:
        record = read_records(ledger.entries).submission(sealed.id)
        if record.run is not None:
            raise AlreadyRun(f"{sealed.id} has been run meanwhile: entry {record.run.n}")
        if record.started is None:
            repository = repository_of(study.root)
            facts = {"witness": provenance.witness or _UNWITNESSED}
            if provenance.attested is not None:
                facts["attested"] = str(provenance.attested.entry)
            if repository is not None:  # so that a witness stays one when the study is moved
                facts["place"] = repository.prefix
            enter(ledger, "run-started", sealed.id, said=facts)
            return
        kept = read_inside(study.root, f"runs/{sealed.id}/outputs.jsonl") if made else b""
        facts = {"kept": str(len(made)), "outputs": digest(kept)}
        enter(ledger, "run-resumed", sealed.id, said=facts)


def _stop(study: Study, sealed: SealedPrereg, folder: RunFolder) -> None:
    """Say in public what the run had written when it was stopped, so that it stays as it is."""
    with study.ledger as ledger:
        record = read_records(ledger.entries).submission(sealed.id)
        if record.started is not None and record.run is None and folder.begun:
            facts = {"kept": str(folder.lines), "outputs": folder.digest}
            enter(ledger, "run-stopped", sealed.id, said=facts)


def _check_kept(study: Study, record: SubmissionRecord) -> None:
    """Refuse to go on from outputs that are not those the run had made when it was stopped."""
    begun = [entry for entry in (record.started, *record.resumed) if entry is not None]
    if not record.stopped or record.stopped[-1].n < begun[-1].n:
        return
    name = f"runs/{record.id}/outputs.jsonl"
    data = read_inside(study.root, name)
    if digest(whole_lines(data)) != record.stopped[-1].said.get("outputs"):
        raise DigestMismatch(
            f"{name} is not what the run had made when it was stopped (entry"
            f" {record.stopped[-1].n})",
            hint="Something else wrote to it; a run does not go on from that.",
        )


def _enter_result(study: Study, sealed: SealedPrereg) -> None:
    """Put the outputs of a closed run into the ledger."""
    names = [f"runs/{sealed.id}/{name}" for name in ("run.json", "outputs.jsonl")]
    files = {name: digest(read_inside(study.root, name)) for name in names}
    with study.ledger as ledger:
        enter(ledger, "run", sealed.id, files=files)


def conclude(study: Study, sealed: SealedPrereg) -> Finished:
    """Judge a result under every version of the bars and grade its prediction, once."""
    judge_missing(study)
    records = records_of(study)
    record = records.submission(sealed.id)
    made = grade_of(study, records, record, sealed.prediction, sealed.bars)
    if record.grade is None:
        keep_grade(study, sealed.id, made)
    else:
        made = read_grade(study, record.grade)
    return Finished(
        submission=sealed.id,
        original=sealed.bars.version,
        judgements=tuple(read_judgement(study, entry) for entry in record.scores.values()),
        grade=made,
        resumed=len(record.resumed),
    )
