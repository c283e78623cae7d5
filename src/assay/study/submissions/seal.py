"""Seal a submission.

A seal is a manifest over exact bytes: every file of the submission's folder, the bars in force, the
benchmark, the installed distributions that the method imports, and the settings of the engine.
"""

from collections.abc import Mapping

from assay.benchmark.benchmark import Benchmark
from assay.digests import digest, pretty_json
from assay.errors import AlreadySealed, IntegrityError, SpecError, storage
from assay.files import read_as, write_whole
from assay.ledger.entry import Entry
from assay.method.closure import closure_of
from assay.method.registry import bundled
from assay.runs.collect import check_answerable
from assay.study.entries import enter, read_records, records_of
from assay.study.locate import FILE
from assay.study.predictions.spec import parse_prediction
from assay.study.records import StudyRecords
from assay.study.study import StudyFolder, check_id
from assay.study.submissions.asked_models import model_packages
from assay.study.submissions.bars_in_force import asks_second, bars_in_force, predictable
from assay.study.submissions.distributions import (
    distributions_of,
    modules_of,
    our_requirements,
    unowned,
)
from assay.study.submissions.probe import ask_made_up
from assay.study.submissions.sealed import foreign, settings
from assay.study.submissions.sealed_files import SEAL, folder_contents, laid_out, sealed_worker
from assay.study.submissions.spec import (
    SEAL_FORMAT,
    Distribution,
    Prereg,
    Seal,
    SealedFile,
    parse_prereg,
)


def seal(study: StudyFolder, submission: str, *, probe: bool = True) -> tuple[Seal, Entry]:
    """Seal a drafted submission: from then on it cannot change, and it can run once.

    With `probe` the method is first asked a made-up question; see `probe.py`.
    """
    check_id(submission)
    records = records_of(study)
    _check_unsealed(records, submission)
    folder = study.path(f"preregs/{submission}")
    with storage(folder):
        drafted = folder.is_dir()
    if not drafted:
        raise SpecError(
            f"there is no draft {submission}",
            hint=f"Make one: assay draft {submission} `method=FILE:FUNCTION`",
        )
    contents = folder_contents(folder)
    made = _seal_of(study, submission, records, contents, probe=probe)
    data = pretty_json(made)
    with study.ledger as ledger:
        now_there = read_records(ledger.entries)
        _check_unsealed(now_there, submission)
        if now_there.versions(made.task)[-1].version != made.bars_version:
            raise SpecError("the bars were revised in the meantime", hint="Seal again.")
        write_whole(folder / SEAL, data)
        path = f"preregs/{submission}/{SEAL}"
        entry = enter(ledger, "seal", submission, files={path: digest(data)})
    return made, entry


def _check_unsealed(records: StudyRecords, submission: str) -> None:
    if submission in records.submissions:
        entry = records.submissions[submission].seal
        raise AlreadySealed(
            f"{submission} is already sealed (entry {entry.n})",
            hint="A changed method is another submission: draft it under another name.",
        )


def _seal_of(
    study: StudyFolder,
    submission: str,
    records: StudyRecords,
    contents: Mapping[str, bytes],
    *,
    probe: bool,
) -> Seal:
    where = f"preregs/{submission}"
    for name in ("prereg.toml", "prediction.toml"):
        if name not in contents:
            raise SpecError(f"{where} has no {name}", hint="`assay draft` makes both files.")
    prereg = parse_prereg(contents["prereg.toml"], where=f"{where}/prereg.toml")
    bars = bars_in_force(study, records, prereg.task)
    bars_path = records.versions(prereg.task)[-1].path
    benchmark = study.benchmark(second=asks_second(bars))
    parse_prediction(
        contents["prediction.toml"],
        predictable(study, benchmark, bars, records),
        where=f"{where}/prediction.toml",
    )
    distributions = _examined(prereg, contents, benchmark, where, probe=probe)
    named = {f"{where}/{name}": data for name, data in contents.items()}
    named[FILE] = read_as(study.root, FILE, _opening(records).files[FILE])
    named[bars_path] = read_as(study.root, bars_path, bars.digest)
    return Seal(
        format=SEAL_FORMAT,
        study=study.config.origin,
        submission=submission,
        task=prereg.task,
        method=prereg.method,
        benchmark=study.sealed_corpus(benchmark),
        second=None if benchmark.second is None else study.sealed_corpus(benchmark.second),
        bars_version=bars.version,
        files={
            name: SealedFile(size=len(data), digest=digest(data))
            for name, data in sorted(named.items())
        },
        distributions=distributions,
        settings=settings(prereg.method, study.path(where)),
        method_class=prereg.method_class,
    )


def _opening(records: StudyRecords) -> Entry:
    if records.opening is None:
        raise IntegrityError("the ledger is empty: the study was never opened")
    return records.opening


def _examined(
    prereg: Prereg,
    contents: Mapping[str, bytes],
    benchmark: Benchmark,
    where: str,
    *,
    probe: bool,
) -> dict[str, Distribution]:
    """Load the method from a copy of its files; its imports must be in the copy or installed."""
    with laid_out(contents) as folder:
        with sealed_worker(prereg.method, folder, prereg=prereg, seed=0) as worker:
            check_answerable(worker, benchmark, prereg.task, batch=prereg.batch)
            # A replayed recording has no reply to a made-up question.
            probed = probe and worker.recording is None
            modules = ask_made_up(worker, prereg, benchmark) if probed else worker.modules()
        strangers = foreign(modules, folder)
        if strangers:
            raise SpecError(
                f"{prereg.method} imports {strangers[0]}, which is not in {where}",
                hint="A submission must be complete: copy the file into its folder.",
            )
        installed = {*modules.installed, *closure_of(worker.method, folder=folder).installed}
    strays = unowned(installed)
    if strays:
        raise SpecError(
            f"{prereg.method} imports {strays[0]}, which belongs to no installed distribution",
            hint=f"A submission must be complete: copy it into {where}.",
        )
    if bundled(prereg.method) is not None:
        installed |= our_requirements() | modules_of(model_packages(prereg.method))
    return distributions_of(installed)
