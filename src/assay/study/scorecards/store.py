"""Store judgements in the study: one for each submission and version of the bars."""

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, TypeVar

import msgspec

from assay._version import __version__
from assay.benchmark.benchmark import Benchmark
from assay.differences import undeclared
from assay.digests import decode_utf8, digest, parse_json, pretty_json
from assay.errors import AssayError, IntegrityError, SpecError, StorageError, storage
from assay.files import read_as, write_whole
from assay.gauntlet.judge import score
from assay.gauntlet.load import read_bars
from assay.gauntlet.result import Judgement
from assay.gauntlet.spec import BarSet
from assay.ledger.entry import Entry
from assay.runs.result import Run
from assay.runs.store import HEAD, OUTPUTS, parse_run
from assay.study.entries import enter, read_records, records_of
from assay.study.predictions.grade import Grade, grade
from assay.study.predictions.spec import Prediction
from assay.study.records import BarsRecord, StudyRecords, SubmissionRecord, Unreadable
from assay.study.study import StudyFolder
from assay.study.submissions.bars_in_force import read_seal

Stored = TypeVar("Stored", Judgement, Grade)

FORMAT = "assay-judgement/1"
GRADE_FORMAT = "assay-grade/1"


def load_result(study: StudyFolder, record: SubmissionRecord) -> Run:
    """The stored run of a submission, which must match the ledger."""
    if record.run is None:
        raise SpecError(f"{record.id} has no result")
    folder = f"runs/{record.id}"
    run = parse_run(
        study.path(folder),
        *(
            read_as(study.root, name, record.run.files[name])
            for name in (f"{folder}/{HEAD}", f"{folder}/{OUTPUTS}")
        ),
    )
    path = f"preregs/{record.id}/seal.json"
    if run.provenance is None or run.provenance.seal != record.seal.files[path]:
        raise IntegrityError(f"runs/{record.id} is not a run of the seal of {record.id}")
    return run


def load_version(study: StudyFolder, record: BarsRecord) -> BarSet:
    """A version of the bars, which must match the ledger."""
    bars = read_bars(read_as(study.root, record.path, record.digest), where=record.path)
    if (bars.task, bars.version) != (record.task, record.version):
        raise IntegrityError(f"{record.path} holds {bars.name}")
    return bars


def judge(study: StudyFolder, run: Run, bars: BarSet) -> Judgement:
    """A run under one version of the bars: a scorecard, or why there is none.

    Unreadable data are not a property of the run and never become a judgement.
    """
    return _judgement(run, study.benchmark(second=run.second is not None), bars)


def _judgement(run: Run, benchmark: Benchmark, bars: BarSet) -> Judgement:
    try:
        card = score(run, benchmark, bars)
    except (IntegrityError, StorageError):
        raise
    except AssayError as error:
        reason = f"{type(error).__name__}: {error.message}"
        return Judgement(bars=bars.version, scorecard=None, error=reason)
    return Judgement(bars=bars.version, scorecard=card, error=None)


class Judged(NamedTuple):
    """The judgements made, by submission, and the unreadable submissions."""

    made: list[tuple[str, Judgement]]
    unreadable: tuple[Unreadable, ...]


def judge_missing(study: StudyFolder, known: Mapping[str, Run] | None = None) -> Judged:
    """Judge every result under every version of its task's bars, unless that is done.

    `known` are runs that were just made; they are judged from memory. A result that is unreadable,
    or that no run can have made, is named, and the others are judged.
    """
    made: list[tuple[str, Judgement]] = []
    unreadable: list[Unreadable] = []
    records = records_of(study)
    for record in records.submissions.values():
        run = None if known is None else known.get(record.id)
        try:
            missing = _missing_versions(study, records, record, run)
            if not missing:
                continue
            run = run or load_result(study, record)
        except AssayError as error:
            unreadable.append(Unreadable(submission=record.id, why=error.message))
            continue
        for version in missing:
            # Bars and data are the study's: where they are missing or damaged, no result is at
            # fault, and nothing can be judged.
            bars = load_version(study, version)
            benchmark = study.benchmark(second=run.second is not None)
            try:
                judgement = _judgement(run, benchmark, bars)
            except IntegrityError as error:
                unreadable.append(Unreadable(submission=record.id, why=error.message))
                break
            keep_judgement(study, record.id, judgement)
            made.append((record.id, judgement))
    return Judged(made, tuple(unreadable))


def _missing_versions(
    study: StudyFolder, records: StudyRecords, record: SubmissionRecord, run: Run | None
) -> list[BarsRecord]:
    """The versions of the bars under which a result is not judged yet; none without a result."""
    if record.run is None:
        return []
    task = read_seal(study, record).task if run is None else run.task
    versions = records.versions(task)
    return [version for version in versions if version.version not in record.scores]


def keep_judgement(study: StudyFolder, submission: str, judgement: Judgement) -> None:
    """Store a judgement and enter it in the ledger, unless another process just did."""
    path = f"scorecards/{submission}@{judgement.bars}.json"
    data = judgement_bytes(submission, judgement)
    with study.ledger as ledger:
        record = read_records(ledger.entries).submission(submission)
        if judgement.bars in record.scores:
            return
        _write(study.path(path), data)
        facts = {"bars": judgement.bars}
        enter(ledger, "score", submission, files={path: digest(data)}, said=facts)


def judgement_bytes(submission: str, judgement: Judgement) -> bytes:
    """A judgement as it is stored."""
    head = {"format": FORMAT, "submission": submission, **msgspec.to_builtins(judgement)}
    return pretty_json(head)


def read_judgement(study: StudyFolder, entry: Entry) -> Judgement:
    """A stored judgement, by its entry."""
    return _stored(study, entry, FORMAT, Judgement)


def keep_grade(study: StudyFolder, submission: str, made: Grade) -> None:
    """Store a grade and enter it in the ledger, unless another process just did."""
    path = f"grades/{submission}.json"
    data = grade_bytes(made)
    with study.ledger as ledger:
        record = read_records(ledger.entries).submission(submission)
        if record.grade is None:
            _write(study.path(path), data)
            enter(ledger, "grade", submission, files={path: digest(data)})


def grade_bytes(made: Grade) -> bytes:
    """A grade as it is stored."""
    head = {"format": GRADE_FORMAT, "made_by": f"assay {__version__}", **msgspec.to_builtins(made)}
    return pretty_json(head)


def read_grade(study: StudyFolder, entry: Entry) -> Grade:
    """A stored grade, by its entry."""
    return _stored(study, entry, GRADE_FORMAT, Grade)


def grade_of(
    study: StudyFolder,
    records: StudyRecords,
    record: SubmissionRecord,
    prediction: Prediction,
    bars: BarSet,
) -> Grade:
    """The grade of a prediction, under the bars that were sealed with it."""
    version = bars.version
    if version not in record.scores:
        raise IntegrityError(
            f"{record.id} was not judged under {version}, the bars it was sealed with"
        )
    mine = read_judgement(study, record.scores[version])
    earlier: dict[str, Judgement] = {}
    for direction in prediction.directions:
        for term in (direction.left, direction.right):
            if term.submission is not None:
                other = records.submissions[term.submission]
                if version in other.scores:
                    earlier[term.submission] = read_judgement(study, other.scores[version])
    return grade(record.id, prediction, mine, bars, earlier)


def _stored(study: StudyFolder, entry: Entry, form: str, kind: type[Stored]) -> Stored:
    """A record of a submission from the file that an entry names."""
    ((path, expected),) = entry.files.items()
    data = read_as(study.root, path, expected)
    try:
        parsed = parse_json(decode_utf8(data, where=path), where=path)
        if not isinstance(parsed, dict) or parsed.get("format") != form:
            raise IntegrityError(f"{path}: expected format {form!r}")
        if parsed.get("submission") != entry.subject:
            raise IntegrityError(f"{path}: it is about {parsed.get('submission')!r:.80}")
        record = msgspec.convert(parsed, kind)
    except SpecError as error:
        raise IntegrityError(error.message) from None
    except msgspec.ValidationError as error:
        raise IntegrityError(f"{path}: {error}") from None
    head = {"format": form, "submission": entry.subject, "made_by": None}
    unknown = undeclared(parsed, {**head, **msgspec.to_builtins(record)})
    if unknown is not None:
        raise IntegrityError(f"{path} has {unknown!r:.80}, an unknown key")
    return record


def _write(path: Path, data: bytes) -> None:
    with storage(path):
        path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
