"""The one run of a sealed submission.

A submission runs exactly once: one process at a time holds the seal, and the ledger records every
step. The entry `run-started` is on disk before the method sees an item. An interrupted run stays
public as "started, no result"; it can be resumed, and its outputs are kept. Unless it was killed,
the ledger also holds the digest of the outputs so far, and resuming from any others is refused.
"""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

from assay.errors import (
    AlreadyRun,
    DigestMismatch,
    IntegrityError,
    NotWitnessed,
    SpecError,
    storage,
)
from assay.gauntlet.result import Judgement, Scorecard
from assay.ledger.attestation import Attestation
from assay.ledger.entry import Entry
from assay.result import Result
from assay.runs.collect import Listener, Sealed, collect
from assay.runs.result import Provenance, Record, Run
from assay.runs.store import OUTPUTS, RunFolder
from assay.study.commits.witness import witness_of
from assay.study.entries import enter, read_records, records_of
from assay.study.git import repository_of
from assay.study.predictions.grade import Grade
from assay.study.records import SubmissionRecord, Unreadable
from assay.study.scorecards.store import (
    grade_of,
    judge_missing,
    keep_grade,
    read_grade,
    read_judgement,
)
from assay.study.study import StudyFolder
from assay.study.submissions.observed_run import observed_run
from assay.study.submissions.seal_lock import only_one
from assay.study.submissions.sealed import SealedPrereg, load_sealed
from assay.study.submissions.sealed_files import laid_out, sealed_worker
from assay.study.submissions.spec import TIMESTAMP, limits_of
from assay.study.submissions.withdraw import check_standing
from assay.study.timestamps import attestation_of

_UNWITNESSED = "none"


class Finished(Result, frozen=True, kw_only=True):
    """A finished run: a judgement for each version of the bars, and the grade of its prediction.

    `unreadable` are other results of the study that should have been judged but are unreadable.
    """

    submission: str
    original: str
    judgements: tuple[Judgement, ...]
    grade: Grade
    resumed: int
    unreadable: tuple[Unreadable, ...] = ()

    @property
    def scorecard(self) -> Scorecard | None:
        """Its scorecard under the bars that were sealed with it; None if it failed."""
        cards = (made.scorecard for made in self.judgements if made.bars == self.original)
        return next((card for card in cards if card is not None), None)

    @property
    def favourable(self) -> bool:
        """Whether it passes under the bars that were sealed with it."""
        return self.scorecard is not None and self.scorecard.verdict.favourable

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each version of the bars."""
        return [
            {
                "bars": made.bars,
                "original": made.bars == self.original,
                "verdict": None if made.scorecard is None else made.scorecard.verdict.value,
                "met": None if made.scorecard is None else made.scorecard.point.passed,
                "of": None if made.scorecard is None else made.scorecard.point.total,
                "why": made.error,
            }
            for made in self.judgements
        ]

    def lines(self) -> list[str]:
        """The scorecard under the sealed bars, and the grade of the prediction."""
        if self.scorecard is not None:
            first, *rest = self.scorecard.lines()
        else:
            errors = [made.error for made in self.judgements if made.bars == self.original]
            first, rest = f"no verdict. {errors[0] if errors else ''}", []
        return [f"{self.submission}: {first}", self.grade.summary, *rest]


def run_sealed(
    study: StudyFolder,
    submission: str,
    *,
    unwitnessed: bool = False,
    outside: str | None = None,
    listener: Listener | None = None,
) -> Finished:
    """Run a sealed submission once, or resume its run; then judge and grade it.

    `outside` is the value that its seed comes from, if the seal asks for one.
    """
    sealed = load_sealed(study, submission)
    run = None
    with only_one(study, submission):
        record = records_of(study).submission(submission)
        check_standing(record)
        if record.run is None:
            listener = listener or Listener()
            if record.started is None:
                witness = witness_of(study, sealed, unwitnessed=unwitnessed)
            else:
                witness, outside = stated_start(record.started)
            attested = attestation_of(study, record)
            if sealed.prereg.seed_from == TIMESTAMP and record.started is None:
                outside = _token(sealed.id, attested, outside)
            provenance = Provenance(
                seal=sealed.digest,
                witness=witness,
                outside=outside,
                resumed=len(record.resumed) + (record.started is not None),
                attested=attested,
            )
            run = _make(study, sealed, record, provenance, listener)
        elif record.grade is not None:
            raise AlreadyRun(
                f"{submission} has been run: entry {record.run.n} holds its result",
                hint="See it: assay board. To run it again and compare:"
                f" assay verify `rerun={submission}`",
            )
        return conclude(study, sealed, run)


def _make(
    study: StudyFolder,
    sealed: SealedPrereg,
    record: SubmissionRecord,
    provenance: Provenance,
    listener: Listener,
) -> Run:
    """Ask the method about the remaining items, and enter the outputs into the ledger."""
    path = study.path(f"runs/{sealed.id}")
    made: tuple[Record, ...] = ()
    if record.started is None:
        with storage(path):
            if path.exists() and any(path.iterdir()):
                raise SpecError(
                    f"{path} is not empty, but {sealed.id} was never started",
                    hint="Remove it: only a run may write there.",
                )
        folder = RunFolder(path)
    else:
        folder, made = RunFolder.resume(path)
        _check_kept(record, folder)
    with closing(folder):
        try:
            start = partial(_start, study, sealed, provenance, folder)
            run = ask(
                sealed,
                listener,
                folder,
                provenance=provenance,
                outside=provenance.outside,
                made=made,
                on_start=start,
            )
            folder.finish(run)
        except BaseException:
            _stop(study, sealed, folder)
            raise
    files = {f"runs/{sealed.id}/{name}": made for name, made in folder.files.items()}
    with study.ledger as ledger:
        enter(ledger, "run", sealed.id, files=files)
    return run


def _token(submission: str, attested: Attestation | None, given: str | None) -> str:
    """The outside value of a seal whose seed comes from its timestamp."""
    if attested is None:
        raise NotWitnessed(
            f"the seed of {submission} comes from a timestamp, but no timestamp covers its seal",
            hint="Have a checkpoint timestamped: assay ledger request",
        )
    if given not in (None, attested.token):
        raise SpecError(
            f"{submission}: got {given!r:.80} as outside value, expected {attested.token}, the"
            " digest of its timestamp's signature"
        )
    return attested.token


def stated_start(started: Entry) -> tuple[str | None, str | None]:
    """The witness and the outside value that the start of a run records."""
    witness = started.said.get("witness", _UNWITNESSED)
    return None if witness == _UNWITNESSED else witness, started.said.get("outside")


def ask(
    sealed: SealedPrereg,
    listener: Listener,
    folder: RunFolder | None = None,
    *,
    provenance: Provenance | None = None,
    outside: str | None = None,
    made: tuple[Record, ...] = (),
    on_start: Callable[[], None] | None = None,
) -> Run:
    """Ask a copy of the sealed method about every remaining item."""
    seed = sealed.seed(outside)
    with laid_out(sealed.contents) as place:
        with sealed_worker(
            sealed.prereg.method,
            place,
            prereg=sealed.prereg,
            seed=seed,
            on_print=listener.printed,
            watched=provenance is not None,
            contents=sealed.contents,
        ) as worker:
            run = collect(
                worker,
                sealed.benchmark,
                folder,
                task=sealed.prereg.task,
                seed=seed,
                repeats=sealed.repeats(outside),
                limits=limits_of(sealed.prereg),
                keep_going=True,
                batch=sealed.prereg.batch,
                sealed=Sealed(
                    provenance, made=made, unknown=lambda modules: sealed.unknown(modules, place)
                ),
                listener=listener,
                on_start=on_start,
            )
        # All of its processes have ended: this is what they opened.
        return observed_run(run, worker.outcomes, sealed.seal, place, whole=not made)


def _start(
    study: StudyFolder, sealed: SealedPrereg, provenance: Provenance, folder: RunFolder
) -> None:
    """Enter in the ledger that the run starts or resumes, before the method sees an item."""
    with study.ledger as ledger:
        record = read_records(ledger.entries).submission(sealed.id)
        if record.run is not None:
            raise AlreadyRun(f"another process has run {sealed.id}: entry {record.run.n}")
        check_standing(record)
        if record.started is None:
            if attestation_of(study, record) != provenance.attested:
                raise SpecError(
                    f"a timestamp that covers {sealed.id} was entered in the meantime",
                    hint=f"Run it again: assay run {sealed.id}",
                )
            repository = repository_of(study.root)
            facts = {"witness": provenance.witness or _UNWITNESSED}
            if provenance.outside is not None:
                facts["outside"] = provenance.outside
            if provenance.attested is not None:
                facts["attested"] = str(provenance.attested.entry)
            if repository is not None:  # so that a witness stays one when the study is moved
                facts["place"] = repository.prefix
            enter(ledger, "run-started", sealed.id, said=facts)
            return
        facts = {"kept": str(folder.lines), "outputs": folder.digest}
        enter(ledger, "run-resumed", sealed.id, said=facts)


def _stop(study: StudyFolder, sealed: SealedPrereg, folder: RunFolder) -> None:
    """Enter in the ledger the digest of the outputs when the run was stopped, to fix them."""
    with study.ledger as ledger:
        record = read_records(ledger.entries).submission(sealed.id)
        if record.started is not None and record.run is None and folder.begun:
            facts = {"kept": str(folder.lines), "outputs": folder.digest}
            enter(ledger, "run-stopped", sealed.id, said=facts)


def _check_kept(record: SubmissionRecord, folder: RunFolder) -> None:
    """Refuse to resume from outputs that differ from those when the run was stopped."""
    begun = [entry for entry in (record.started, *record.resumed) if entry is not None]
    if not record.stopped or record.stopped[-1].n < begun[-1].n:
        return
    if folder.digest != record.stopped[-1].said.get("outputs"):
        raise DigestMismatch(
            f"runs/{record.id}/{OUTPUTS} differs from the outputs when the run was stopped (entry"
            f" {record.stopped[-1].n})",
            hint="Another program changed it, so the run cannot be resumed.",
        )


def conclude(study: StudyFolder, sealed: SealedPrereg, run: Run | None = None) -> Finished:
    """Judge a result under every version of the bars and grade its prediction, once.

    A run that was just made is judged from memory.
    """
    judged = judge_missing(study, {} if run is None else {sealed.id: run})
    own = next((each for each in judged.unreadable if each.submission == sealed.id), None)
    if own is not None:
        raise IntegrityError(own.why)
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
        unreadable=judged.unreadable,
    )
