"""Steps 4 to 6, 8 and 9: sealed files, outputs, scorecards, pages, and runs again."""

from itertools import pairwise
from pathlib import Path

import msgspec

from assay.comparison.result import NetVerdict
from assay.digests import digest, short
from assay.errors import AssayError, DigestMismatch, IntegrityError, NotHere, StorageError
from assay.files import inside, read_as, read_inside
from assay.gauntlet.caveats import is_probed
from assay.gauntlet.result import Judgement
from assay.ledger.entry import Entry
from assay.runs.result import Run
from assay.study.dual_results import check_entered
from assay.study.ratify.frozen import digest_there
from assay.study.records import SubmissionRecord
from assay.study.scorecards.rejudge import card_difference, record_difference
from assay.study.scorecards.store import (
    grade_of,
    judge,
    load_result,
    load_version,
    read_grade,
    read_judgement,
)
from assay.study.submissions.rerun import rerun
from assay.study.submissions.run import stated_start
from assay.study.submissions.seal_lock import is_running
from assay.study.submissions.sealed import SealedPrereg, load_sealed
from assay.study.submissions.spec import TIMESTAMP
from assay.study.timestamps import attestations, stated_attestation
from assay.study.verify.context import StepFinding, Verifying
from assay.study.verify.graded_once import check_graded, check_sealed
from assay.study.verify.sealed_facts import lacks_limits, sealed_facts
from assay.wording import counted


def check_closures(at: Verifying) -> StepFinding:
    """Step 4."""
    opening = at.records.opening
    files = {} if opening is None else dict(opening.files)
    files |= {bars.path: bars.digest for bars in at.records.bars}
    for pinned in at.records.authorities:
        files |= pinned.files
    for name, expected in files.items():
        read_as(at.study.root, name, expected)
    for bars in at.records.bars:
        load_version(at.study, bars)
    for name in at.records.submissions:
        sealed = load_sealed(at.study, name, distributions=False, records=at.records)
        at.sealed[name] = msgspec.structs.replace(sealed, contents={})  # they may be large
    frozen = _check_frozen(at)
    frozen += "".join(f"; {found}" for found in check_sealed(at.study.root, at.records))
    named = sum(len(sealed.seal.files) for sealed in at.sealed.values())
    return StepFinding(
        f"{named} files named by {counted(len(at.sealed), 'seal')}, all as sealed{frozen}"
    )


def _check_frozen(at: Verifying) -> str:
    """Check that ratified artifacts are in place and their comparisons unchanged."""
    standing: dict[str, str] = {}
    for entry in at.records.ratified:
        for name, expected in entry.files.items():
            read_as(at.study.root, name, expected)
            _check_grounds(at.study.root, name, entry)
        standing[entry.said["path"]] = entry.said["artifact"]
    for name, expected in standing.items():
        path = inside(at.study.root, name)
        present = digest_there(path)
        if present != expected:
            raise DigestMismatch(
                f"{name} is not the ratified artifact: its digest is {short(present)}, expected"
                f" {short(expected)}",
                hint="The ratified version is kept in .ratified beside it.",
            )
    return f"; {counted(len(standing), 'artifact')} as ratified" if standing else ""


def _check_grounds(root: Path, name: str, entry: Entry) -> None:
    """Check that the comparison of an entry allows its ratification."""
    from assay.comparison.store import read_comparison  # only where something was ratified

    comparison, _ = read_comparison(inside(root, name))
    if comparison.verdict is not NetVerdict.RATIFY or comparison.blocked:
        raise IntegrityError(
            f"{name}: entry {entry.n} relies on it, but it does not allow a ratification"
        )
    if comparison.artifact != entry.said["artifact"]:
        raise IntegrityError(
            f"{name}: entry {entry.n} relies on it, but it measured another artifact"
        )


def check_outputs(at: Verifying) -> StepFinding:
    """Step 5."""
    finished = [record for record in at.records.submissions.values() if record.run is not None]
    broken: list[AssayError] = []
    at.attested = attestations(at.study, at.chain)  # the ledger may have grown since step 2
    for record in finished:
        try:
            at.runs[record.id] = _checked_run(at, record)
        except (NotHere, StorageError):
            raise
        except AssayError as error:
            broken.append(error)
    if broken:
        first, *others = broken
        more = "".join(f"; {error.message}" for error in others)
        raise IntegrityError(f"{first.message}{more}", hint=first.hint)
    lines = sum(len(run.records) for run in at.runs.values())
    summary = f"{counted(lines, 'output')} of {counted(len(at.runs), 'run')}"
    killed = [record.id for record in finished if _was_killed(record)]
    made = "entered" if killed else "made"
    found = [f"{summary}, all as {made}" if at.runs else "none yet"]
    entered, repeated = check_entered(at.study, at.records)
    if entered:
        found.append(f"{counted(entered, 'dual-condition result')} as entered")
    found += check_graded(at.study.root, at.records)
    notes = _notes_on_outputs(at, killed, repeated)
    return StepFinding("; ".join([*found, *notes]), noted=bool(notes))


def _notes_on_outputs(at: Verifying, killed: list[str], repeated: list[str]) -> list[str]:
    """What a reader must know about runs that match their entries."""
    notes = []
    if killed:
        notes.append(
            "killed before the ledger recorded their outputs, so earlier outputs are unverified:"
            f" {', '.join(killed)} (`rerun=` compares)"
        )
    if repeated:
        notes.append(f"repeated; only the latest is stored: {', '.join(repeated)}")
    unlimited = [name for name, run in at.runs.items() if lacks_limits(run, at.sealed[name])]
    if unlimited:
        notes.append(f"run without today's resource limits: {', '.join(unlimited)}")
    unprobed = [name for name, run in at.runs.items() if not is_probed(run)]
    if unprobed:
        notes.append(
            "one seed, not fully probed: "
            + ", ".join(unprobed)
            + " (an author can choose a seed by sealing again)"
        )
    return notes


def _checked_run(at: Verifying, record: SubmissionRecord) -> Run:
    run, sealed = load_result(at.study, record), at.sealed[record.id]
    where = f"runs/{record.id}"
    assert run.provenance is not None and record.started is not None  # noqa: S101 - read so
    witness, outside = stated_start(record.started)
    for what, got, expected in (
        *sealed_facts(run, sealed),
        ("seed", run.seed, sealed.seed(outside)),
        ("outside value", run.provenance.outside, outside),
        ("outside value of the start", outside, _outside(at, record, sealed, outside)),
        ("witness", run.provenance.witness, witness),
        ("number of resumptions", run.provenance.resumed, len(record.resumed)),
        ("attested time", run.provenance.attested, stated_attestation(at.attested, record)),
        ("completeness", run.complete, True),
    ):
        if got != expected:
            raise IntegrityError(f"{where}: {what} {got!r:.80}, expected {expected!r:.80}")
    _check_kept(at, record)
    _check_seeds(run, sealed, outside, where)
    items = [key for key, _ in sealed.benchmark.keyed_items()]
    every = sorted((key, seed) for key in items for seed in range(run.seeds))
    if sorted((record.item, record.seed) for record in run.records) != every:
        raise IntegrityError(f"{where}: expected one output for each item and seed")
    return run


def _outside(
    at: Verifying, record: SubmissionRecord, sealed: SealedPrereg, stated: str | None
) -> str | None:
    """The outside value of a run: stated by its start, or the token of its timestamp."""
    if sealed.prereg.seed_from != TIMESTAMP:
        return stated
    attested = stated_attestation(at.attested, record)
    return None if attested is None else attested.token


def _check_seeds(run: Run, sealed: SealedPrereg, outside: str | None, where: str) -> None:
    """A run under one seed must be probed, or have an outside seed; others must have all seeds."""
    repeats, probe = sealed.repeats(outside)
    asked = min(probe, len(list(sealed.benchmark.keyed_items())))
    probed = run.seeds == 1 and run.probed == asked and run.folds is None
    if run.seeds != 1 + len(repeats) and not (repeats and probed):
        raise IntegrityError(
            f"{where}: {counted(run.seeds, 'seed')} and {run.probed} items repeated, expected"
            f" {1 + len(repeats)} seeds, or {asked} items repeated with equal outputs"
        )


def _was_killed(record: SubmissionRecord) -> bool:
    """Whether a run was resumed without an entry of its earlier outputs."""
    stops = {entry.n for entry in record.stopped}
    begun = [entry.n for entry in (record.started, *record.resumed) if entry is not None]
    spans = pairwise(begun)
    return any(not any(start < stop < end for stop in stops) for start, end in spans)


def _check_kept(at: Verifying, record: SubmissionRecord) -> None:
    """The outputs must begin with those of every stop."""
    lines = read_inside(at.study.root, f"runs/{record.id}/outputs.jsonl").splitlines(keepends=True)
    for entry in (*record.stopped, *record.resumed):
        count = entry.stated_number("kept")
        begun = None if count is None else digest(b"".join(lines[:count]))
        if begun is None or begun != entry.said.get("outputs"):
            raise IntegrityError(
                f"runs/{record.id}/outputs.jsonl does not begin with the outputs of entry {entry.n}"
            )


def check_scorecards(at: Verifying) -> StepFinding:
    """Step 6."""
    count = 0
    doubts = []
    versions = {(bars.task, bars.version): bars for bars in at.records.bars}
    for record in at.records.submissions.values():
        for version, entry in record.scores.items():
            run = at.runs[record.id]
            if (run.task, version) not in versions:
                raise IntegrityError(f"{record.id} was judged under bars for another task")
            again = judge(at.study, run, load_version(at.study, versions[run.task, version]))
            doubts += _check_same(record.id, read_judgement(at.study, entry), again)
            count += 1
        _check_grade(at, record)
    summary = f"{counted(count, 'scorecard')}, recomputed from the outputs; grades too"
    if doubts:
        shown = "; ".join([*doubts[:3], *([f"and {len(doubts) - 3} more"] if doubts[3:] else [])])
        return StepFinding(f"{summary}; not fully verifiable: {shown}", noted=True)
    return StepFinding(summary if count else "none yet")


def _check_same(submission: str, stored: Judgement, again: Judgement) -> list[str]:
    """What cannot be verified in a scorecard; any other difference is a breach."""
    difference = card_difference(stored, again)
    if difference is None:
        return []
    name = f"scorecards/{submission}@{stored.bars}.json"
    if difference.unverifiable:
        return [f"{name}: {difference.text}"]
    raise DigestMismatch(f"{name} differs from what the outputs give: {difference.text}")


def _check_grade(at: Verifying, record: SubmissionRecord) -> None:
    if record.grade is None:
        if record.run is not None and is_running(at.study, record.id):
            raise NotHere(
                f"the prediction of {record.id} is not graded yet: another process holds its seal",
                hint="Verify again when that process has ended.",
            )
        if record.run is not None:
            raise IntegrityError(
                f"the prediction of {record.id} was never graded",
                hint=f"Finish its run: assay run {record.id}",
            )
        return
    sealed = at.sealed[record.id]
    again = grade_of(at.study, at.records, record, sealed.prediction, sealed.bars)
    difference = record_difference(read_grade(at.study, record.grade), again)
    if difference is not None:
        raise DigestMismatch(
            f"grades/{record.id}.json differs from what the result gives: {difference}"
        )


def check_views(at: Verifying) -> StepFinding:
    """Step 8."""
    present = [name for name in at.views if (at.study.root / name).exists()]
    stale = [
        name
        for name in present
        if read_inside(at.study.root, name) != at.views[name](at.study, at.records).encode()
    ]
    if stale:
        again = " && ".join(
            f"assay {name.removesuffix('.md').lower()} `write=True`" for name in stale
        )
        raise IntegrityError(
            f"{' and '.join(stale)} differ from what the records give"
            if len(stale) > 1
            else f"{stale[0]} differs from what the records give",
            hint=f"Pages are made from records, never by hand: {again}",
        )
    return StepFinding(f"{', '.join(present)}: match the records" if present else "none written")


def check_again(at: Verifying) -> StepFinding:
    """Step 9."""
    submissions = at.shown.rerun or tuple(at.runs)
    notes = []
    for name in submissions:
        if name not in at.runs:
            raise NotHere(f"{name} has no result to compare with")
        again = rerun(at.study, name, listener=at.shown.listener)
        at.reruns.append(again)
        if not again.same:
            most = again.largest
            by = f", by up to {most:.3g} on item {again.item}" if most else ""
            seeding = "" if again.seeding is None else f" ({again.seeding})"
            installed = (
                "" if again.same_installed else ", the installed code differs from the sealed one"
            )
            raise IntegrityError(
                f"{name}: {again.differ} of {again.items} outputs differ{by}{seeding}: it is not"
                f" deterministic{installed}, or its outputs were changed"
            )
        if again.unnamed_code and again.same_installed:
            raise IntegrityError(
                f"{name}: it ran code that neither its seal nor its record names:"
                f" {', '.join(again.unnamed_code)}"
            )
        unnamed = (*again.unnamed_code, *again.unnamed_files)
        if unnamed:
            notes.append(f"{name} reached, beyond its record: {', '.join(unnamed)}")
        if not again.observed:
            notes.append(f"the files that {name} opened were not compared")
    found = f"{counted(len(submissions), 'submission')} run again, all outputs equal"
    return StepFinding("; ".join((found, *notes)), noted=bool(notes))
