"""Revise the bars of a study: enter the new version, and judge every result under it."""

from assay.benchmark.benchmark import Task
from assay.digests import digest
from assay.errors import SpecError
from assay.files import write_whole
from assay.gauntlet.proposal import Proposal, propose, version_after
from assay.gauntlet.result import Judgement
from assay.gauntlet.revision import Revision
from assay.gauntlet.spec import BarSet
from assay.runs.result import Run
from assay.study.entries import enter, read_records, records_of
from assay.study.scorecards.controls import keep_control
from assay.study.scorecards.store import judge_missing, load_result, load_version
from assay.study.study import StudyFolder
from assay.study.submissions.bars_in_force import asks_second, bars_in_force


def revise_study(
    study: StudyFolder,
    proposal: Proposal,
    *,
    task: Task | None = None,
    base: str | None = None,
    version: str | None = None,
    after: str | None = None,
) -> Revision:
    """Revise the bars in force, enter the new version, and judge every result under it.

    The proposal's cheat may be a submission, whose stored run is then judged. `base` is the version
    that the caller expects to be in force.
    """
    bars = bars_of_study(study, task)
    if base is not None and base != bars.version:
        raise SpecError(
            f"{bars.version} is in force, but the revision is of {base}",
            hint="Leave out the version: a study revises the bars in force.",
        )
    stored = None if proposal.cheat is None else stored_run(study, proposal.cheat)
    revision = propose(
        bars,
        proposal,
        study.benchmark(second=asks_second(bars)),
        version=version or version_after(bars),
        stored=stored,
    )
    adopt(study, revision, after=after, control=proposal.cheat if stored is not None else None)
    return revision


def bars_of_study(study: StudyFolder, task: Task | None) -> BarSet:
    """The bars in force, of the only task or of the one named."""
    records = records_of(study)
    tasks = list(dict.fromkeys(bars.task for bars in records.bars))
    if task is None and len(tasks) > 1:
        raise SpecError(
            f"the study has bars for {' and '.join(tasks)}", hint="Say which: `task=TASK`."
        )
    return bars_in_force(study, records, task or tasks[0])


def study_bars(study: StudyFolder, version: str, task: Task | None) -> BarSet | None:
    """A version of the study's bars, if it has one of that name."""
    records = records_of(study)
    for record in records.bars:
        if record.version == version and task in (None, record.task):
            return load_version(study, record)
    return None


def stored_run(study: StudyFolder, submission: str) -> Run | None:
    """The result of a submission, if it has one."""
    record = records_of(study).submissions.get(submission)
    return None if record is None or record.run is None else load_result(study, record)


def adopt(
    study: StudyFolder, made: Revision, *, after: str | None, control: str | None
) -> list[tuple[str, Judgement]]:
    """Enter a revision and judge every result under it.

    `after` is the submission that led to it; `control` is the submission that is the cheat. The run
    of any other cheat is stored. If this is interrupted, `verify` says what is missing and how to
    repair it: before the version is entered, revise again; after that, judge all results again.
    """
    bars = made.bars
    path = f"bars/{bars.name}.toml"
    data = made.text.encode()
    if digest(data) != bars.digest:
        raise SpecError("the revision's text differs from the bars that judged it")
    with study.ledger as ledger:
        records = read_records(ledger.entries)
        after = after or control
        if after is not None and after not in records.submissions:
            raise SpecError(f"there is no submission {after}")
        if records.versions(bars.task)[-1].version != bars.supersedes:
            raise SpecError(
                f"{bars.name} supersedes {bars.supersedes}, but"
                f" {records.versions(bars.task)[-1].version} is in force",
                hint="Revise the bars in force.",
            )
        if any(record.version == bars.version for record in records.versions(bars.task)):
            raise SpecError(f"{bars.name} already exists", hint="Name another: `version=NAME`.")
        write_whole(study.path(path), data)  # what lies there in no entry was cut off
        files = {path: digest(data)}
        if control is None:
            files |= keep_control(study, bars.name, made.control)
        said = {"cheat": made.before.method[:200], "after": after, "control": control}
        facts = {name: text for name, text in said.items() if text is not None}
        enter(ledger, "bars", bars.name, files=files, said=facts)
    return judge_missing(study).made
