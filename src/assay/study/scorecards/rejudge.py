"""Judge the results of a study again, and find where a stored judgement or grade differs."""

from pathlib import Path

import msgspec

from assay.differences import differences
from assay.errors import DigestMismatch, IntegrityError, SpecError, storage
from assay.gauntlet.judge import score
from assay.gauntlet.load import load_bars
from assay.gauntlet.rejudge import Rejudged
from assay.gauntlet.result import Judgement, Scorecard
from assay.gauntlet.spec import BarSet
from assay.gauntlet.store import KeptScorecard
from assay.runs.result import Run
from assay.study.entries import BarsRecord, StudyRecords, records_of
from assay.study.scorecards.store import judge_missing, load_result, load_version, read_judgement
from assay.study.study import Study

_FIGURES = ("verdict", "point", "bars", "items", "unscored", "sealed", "digests")
_OF_THE_RUN = ("unwitnessed", "unsealed-code", "resumed", "unscored", "learner", "time-unproven")
"""Caveats that every version knows, and that only the run decides."""


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


def record_difference(stored: msgspec.Struct, again: msgspec.Struct) -> str | None:
    """The first difference between two records, in words; None where there is none."""
    return _difference(msgspec.to_builtins(stored), msgspec.to_builtins(again), "")


def card_difference(stored: Judgement, again: Judgement) -> str | None:
    """The first difference between two judgements.

    Another version of Assay may word a caveat otherwise or know one more; the figures must agree,
    and so must what is said of the run itself, or a stated version would be a licence to leave out.
    """
    if stored.scorecard is None and again.scorecard is None:
        kinds = [str(judgement.error).partition(":")[0] for judgement in (stored, again)]
        return None if kinds[0] == kinds[1] else f"error is {kinds[0]}, and comes to {kinds[1]}"
    if stored.scorecard is None or again.scorecard is None:
        return record_difference(stored, again)
    if _version(stored.scorecard) == _version(again.scorecard):
        return record_difference(stored, again)
    before, after = (msgspec.to_builtins(each.scorecard) for each in (stored, again))
    for name in _FIGURES:
        difference = _difference(before[name], after[name], name)
        if difference is not None:
            return f"{difference} (made by {_version(stored.scorecard)})"
    old, new = _of_the_run(stored.scorecard), _of_the_run(again.scorecard)
    return None if old == new else f"caveats are {old}, and come to {new}"


def _of_the_run(card: Scorecard) -> list[str]:
    return [caveat.code for caveat in card.caveats if caveat.code in _OF_THE_RUN]


def _version(card: Scorecard) -> str:
    return card.signature.rpartition(" · ")[2]


def _difference(stored: object, again: object, where: str) -> str | None:
    """The first difference in words; a missing key equals a null."""
    first = next(differences(stored, again, where, absent=None), None)
    if first is None:
        return None
    before, after = first.left, first.right
    if isinstance(before, (list, tuple)) and isinstance(after, (list, tuple)):
        return f"{first.path} has {len(before)} parts, and comes to {len(after)}"
    return f"{first.path} is {before!r:.80}, and comes to {after!r:.80}"
