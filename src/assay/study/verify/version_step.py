"""Step 7: every version of the bars follows the one before; every result is judged under all."""

from itertools import pairwise

from assay.benchmark.benchmark import TASKS
from assay.errors import AssayError, IntegrityError, NotHere, ProtocolError, SpecError
from assay.gauntlet.result import Verdict
from assay.gauntlet.revision_check import check_revision, check_superseding, named_control
from assay.study.records import BarsRecord, SubmissionRecord
from assay.study.scorecards.controls import load_control
from assay.study.scorecards.store import load_version, read_judgement
from assay.study.submissions.bars_in_force import asks_second
from assay.study.submissions.seal_lock import is_running
from assay.study.verify.context import StepFinding, Verifying
from assay.wording import counted

_MOST_NOTED = 5


def check_versions(at: Verifying) -> StepFinding:
    """Step 7."""
    revisions = 0
    notes: list[str] = []
    for task in TASKS:
        versions = at.records.versions(task)
        if versions:
            _check_first(at, versions[0])
        for old, new in pairwise(versions):
            notes += _check_revision(at, old, new)
            revisions += 1
    _check_all_judged(at)
    notes += _softened(at)
    found = f"{counted(len(at.runs), 'result')} under every version of the bars"
    if revisions:
        found += f"; {counted(revisions, 'revision')}, each control judged again"
    return StepFinding("; ".join([found, *notes]), noted=bool(notes))


def _check_first(at: Verifying, bars: BarsRecord) -> None:
    """A task's first bars must be those that the study was opened with."""
    if bars.entry != at.records.opening or at.study.config.bars.get(bars.task) != bars.version:
        raise IntegrityError(
            f"{bars.path} (entry {bars.entry.n}) does not supersede any bars, and the study was"
            " not opened with it"
        )


def _check_revision(at: Verifying, old: BarsRecord, new: BarsRecord) -> list[str]:
    """What a reader must know about a revision; if it does not follow the old bars, a breach."""
    before, after = load_version(at.study, old), load_version(at.study, new)
    try:
        check_superseding(before, after)
        method = named_control(before, after).method
        second = asks_second(before)
        control = load_control(at.study, at.records, new, method, second=second)
        benchmark = at.study.benchmark(second=control.run.second is not None)
        check_revision(before, after, control.run, benchmark)
    except NotHere:
        raise
    except (ProtocolError, SpecError) as error:
        raise _breach(new, error) from None
    notes = [f"{new.version} drops {', '.join(after.drops)}"] if after.drops else []
    if control.again:
        notes.append(f"the control of {new.version}, {method}, is not stored and was run again")
    return notes


def _softened(at: Verifying) -> list[str]:
    """Results that failed under an older version, but not under the bars in force.

    More bars make it harder to show a miss (Holm's correction), so a revision that keeps all bars
    can still undo a FAIL.
    """
    notes = []
    for record in at.records.submissions.values():
        if record.run is None:
            continue
        versions = at.records.versions(at.runs[record.id].task)
        verdicts = [_verdict(at, record, bars.version) for bars in versions]
        failed = [
            bars.version
            for bars, verdict in zip(versions, verdicts, strict=True)
            if verdict == Verdict.FAIL
        ]
        if failed and verdicts[-1] != Verdict.FAIL:
            now = verdicts[-1] or "without a verdict"
            notes.append(f"{record.id} failed under {', '.join(failed)} and now is {now}")
    more = len(notes) - _MOST_NOTED
    return notes[:_MOST_NOTED] + ([f"and {more} more results"] if more > 0 else [])


def _verdict(at: Verifying, record: SubmissionRecord, version: str) -> Verdict | None:
    card = read_judgement(at.study, record.scores[version]).scorecard
    return None if card is None else card.verdict


def _breach(bars: BarsRecord, error: AssayError) -> IntegrityError:
    return IntegrityError(
        f"{bars.path} (entry {bars.entry.n}): {error.message}",
        hint="A revision needs a control that shows the need for it: assay bars revise",
    )


def _check_all_judged(at: Verifying) -> None:
    for record in at.records.submissions.values():
        if record.run is None:
            continue
        for bars in at.records.versions(at.runs[record.id].task):
            if bars.version in record.scores:
                continue
            missing = f"{record.id} is not judged under {bars.task} bars {bars.version}"
            if is_running(at.study, record.id):
                raise NotHere(
                    f"{missing} yet: another process holds its seal",
                    hint="Verify again when that process has ended.",
                )
            raise IntegrityError(
                f"{missing} (entry {bars.entry.n})",
                hint="Judge everything again: assay score `all=True`",
            )
