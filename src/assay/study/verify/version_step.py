"""Step 7: every version of the bars follows from the one before, and every result has them all."""

from itertools import pairwise

from assay.benchmark.benchmark import TASKS
from assay.errors import AssayError, IntegrityError, NotHere, ProtocolError, SpecError
from assay.gauntlet.revision_check import check_revision, check_superseding
from assay.study.entries import BarsRecord
from assay.study.scorecards.controls import load_control
from assay.study.scorecards.store import load_version
from assay.study.submissions.seal_lock import is_running
from assay.study.verify.context import StepFinding, Verifying
from assay.wording import counted


def check_versions(at: Verifying) -> StepFinding:
    """Step 7."""
    revisions = 0
    drops = []
    for task in TASKS:
        versions = at.records.versions(task)
        if versions:
            _check_first(at, versions[0])
        for old, new in pairwise(versions):
            dropped = _check_revision(at, old, new)
            revisions += 1
            drops += [f"{new.version} drops {', '.join(dropped)}"] if dropped else []
    _check_all_judged(at)
    found = f"{counted(len(at.runs), 'result')} under every version of the bars"
    if revisions:
        found += f"; {counted(revisions, 'revision')}, each control scored again"
    return StepFinding("; ".join([found, *drops]), noted=bool(drops))


def _check_first(at: Verifying, bars: BarsRecord) -> None:
    """A task's first bars are those that the study was opened with."""
    if bars.entry != at.records.opening or at.study.config.bars.get(bars.task) != bars.version:
        raise IntegrityError(
            f"{bars.path}, which entry {bars.entry.n} brought, supersedes no bars, and the study"
            f" was not opened with it"
        )


def _check_revision(at: Verifying, old: BarsRecord, new: BarsRecord) -> tuple[str, ...]:
    """What a revision drops; one that does not follow from the bars before it is a breach."""
    before, after = load_version(at.study, old), load_version(at.study, new)
    try:
        check_superseding(before, after)
        control = load_control(at.study, at.records, new)
        benchmark = at.study.benchmark(second=control.second is not None)
        check_revision(before, after, control, benchmark)
    except NotHere:
        raise
    except (ProtocolError, SpecError) as error:
        raise _breach(new, error) from None
    return after.drops


def _breach(bars: BarsRecord, error: AssayError) -> IntegrityError:
    return IntegrityError(
        f"{bars.path}, which entry {bars.entry.n} brought: {error.message}",
        hint="Bars are revised under pressure, and with the control that shows it:"
        " assay bars revise",
    )


def _check_all_judged(at: Verifying) -> None:
    for record in at.records.submissions.values():
        if record.run is None:
            continue
        for bars in at.records.versions(at.runs[record.id].task):
            if bars.version in record.scores:
                continue
            missing = f"{record.id} was not judged under {bars.task} bars {bars.version}"
            if is_running(at.study, record.id):
                raise NotHere(
                    f"{missing} yet: another process holds its seal",
                    hint="Verify again when that process has ended.",
                )
            raise IntegrityError(
                f"{missing}, which entry {bars.entry.n} brought",
                hint="Judge everything again: assay score `all=True`",
            )
