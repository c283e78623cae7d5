"""Judging the results of a study again."""

from pathlib import Path

from assay.errors import DigestMismatch, IntegrityError, SpecError, storage
from assay.gauntlet.judge import score
from assay.gauntlet.load import load_bars
from assay.gauntlet.rejudge import Rejudged
from assay.gauntlet.result import Scorecard
from assay.gauntlet.spec import BarSet
from assay.gauntlet.store import KeptScorecard
from assay.runs.result import Run
from assay.study.entries import BarsRecord, StudyRecords, records_of
from assay.study.scorecards.store import judge_missing, load_result, load_version, read_judgement
from assay.study.study import Study


def judge_in_study(study: Study, folder: Path, bars: str | None) -> Scorecard:
    """A result of a study, under a version of its bars (the newest unless told) or a stranger's."""
    records = records_of(study)
    record = records.submissions.get(folder.resolve().name)
    if record is None or folder.resolve() != study.path(f"runs/{record.id}"):
        raise SpecError(f"{folder} is no run of the study", hint="Its runs are under runs/.")
    run = load_result(study, record)
    versions = {version.version: version for version in _versions(records, run)}
    if bars is None or bars in versions:
        chosen = load_version(study, versions[bars or list(versions)[-1]])
    else:
        chosen = load_bars(bars, task=run.task)
        _check_own(study, Path(bars), records, chosen)
    return score(run, study.benchmark(second=run.second is not None), chosen)


def _versions(records: StudyRecords, run: Run) -> list[BarsRecord]:
    """The versions under which a run is judged; one at least, or it is no run of the study."""
    versions = records.versions(run.task)
    if not versions:
        raise IntegrityError(f"a run for {run.task}, and the study has no bars for that")
    return versions


def _check_own(study: Study, file: Path, records: StudyRecords, bars: BarSet) -> None:
    """Refuse a bars file of the study that is not what the ledger says it is."""
    with storage(file):
        own = file.resolve().is_relative_to(study.root / "bars")
    if own and bars.digest not in {version.digest for version in records.bars}:
        raise DigestMismatch(
            f"{file} has changed: its digest is {bars.digest}, which the ledger does not know",
            hint="Bars are never edited: put it back, and make the next version: assay bars revise",
        )


def judge_study(study: Study) -> list[Rejudged]:
    """Every result of a study under every version; what was missing is made and entered."""
    judge_missing(study)
    records = records_of(study)
    rejudged = []
    for record in records.submissions.values():
        if record.run is None:
            continue
        run = load_result(study, record)
        *older, newest = _versions(records, run)
        kept = [
            (entry, read_judgement(study, entry))
            for entry in (record.scores[version.version] for version in older)
        ]
        if newest.version not in record.scores:
            continue  # it came while this was read; it is being judged where it came from
        now = read_judgement(study, record.scores[newest.version])
        rejudged.append(
            Rejudged(
                run=f"runs/{record.id}",
                method=run.method,
                earlier=tuple(
                    KeptScorecard(judged=entry.time, scorecard=judgement.scorecard)
                    for entry, judgement in kept
                    if judgement.scorecard is not None
                ),
                scorecard=now.scorecard,
                error=now.error,
            )
        )
    return rejudged
