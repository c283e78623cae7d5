"""Run a sealed submission again, and compare with its stored result."""

import math
from typing import Any

from msgspec.structs import replace

from assay.errors import DigestMismatch, NotHere
from assay.files import is_rest
from assay.result import Result
from assay.runs.answers import score_of
from assay.runs.collect import Listener
from assay.runs.result import Provenance, Run
from assay.study.entries import records_of
from assay.study.scorecards.store import load_result
from assay.study.study import StudyFolder
from assay.study.submissions.run import ask
from assay.study.submissions.sealed import load_sealed
from assay.wording import counted, some


class Rerun(Result, frozen=True, kw_only=True):
    """The outputs of another run compared with the stored ones; never a result itself.

    An output is of an item under a seed. `items` counts those of both runs together, `changed`
    those that came out differently, `unmatched` those on one side only; `largest` is the largest
    difference between two scores. `seeding` says how the seeds of the two runs differ.

    `unnamed_code` and `unnamed_files` are what this run reached and neither the seal nor the record
    names. They are compared by the last part of their names: folders differ from machine to
    machine. `observed` says whether they could be compared: the kernel reported all that both runs
    opened, and the record's lists are not full.
    """

    submission: str
    items: int
    changed: int
    unmatched: int
    largest: float | None
    item: str | None
    same_installed: bool
    seeding: str | None = None
    unnamed_code: tuple[str, ...] = ()
    unnamed_files: tuple[str, ...] = ()
    observed: bool = False

    @property
    def differ(self) -> int:
        """How many outputs differ, or are on one side only."""
        return self.changed + self.unmatched

    @property
    def same(self) -> bool:
        """Whether outputs and seeds are the same."""
        return not self.differ and self.seeding is None

    def to_rows(self) -> list[dict[str, Any]]:
        """One row."""
        row = self.to_dict()
        names = ("unnamed_code", "unnamed_files")
        return [row | {name: ", ".join(row[name]) for name in names}]

    def lines(self) -> list[str]:
        """Whether the outputs are the same, and what else the new run reached."""
        said = f"{self.submission}: all {counted(self.items, 'output')} are the same"
        if self.differ:
            said = f"{self.submission}: {self.differ} of {counted(self.items, 'output')} differ"
            if self.largest is not None:
                said += f", by {self.largest:g} at most (item {self.item!s:.60})"
        unnamed = (*self.unnamed_code, *self.unnamed_files)
        return [
            said,
            *([] if self.seeding is None else [self.seeding]),
            *([f"reached but not in the record: {some(unnamed)}"] if unnamed else []),
        ]


def rerun(study: StudyFolder, submission: str, *, listener: Listener | None = None) -> Rerun:
    """Run a sealed submission again and compare it with its result; nothing is stored."""
    sealed = load_sealed(study, submission, distributions=False)
    record = records_of(study).submission(submission)
    if record.run is None:
        raise NotHere(
            f"{submission} has no result to compare with",
            hint=f"Run it first: assay run {submission}",
        )
    stored = load_result(study, record)
    outside = None if stored.provenance is None else stored.provenance.outside
    watched = Provenance(seal=sealed.digest, witness=None, outside=outside)
    again = ask(sealed, listener or Listener(), provenance=watched, outside=outside)
    compared = _compared(submission, stored, again, same=_same_installed(study, submission))
    return _with_unnamed(compared, stored.provenance, again.provenance)


def _with_unnamed(compared: Rerun, stored: Provenance | None, again: Provenance | None) -> Rerun:
    """A comparison, with what the new run reached and the record does not name."""
    if stored is None or again is None or not (stored.observed and again.observed):
        return compared
    told = {_last_part(name) for name in (*stored.unsealed_code, *stored.unsealed_files)}
    if any(is_rest(name) for name in (*stored.unsealed_code, *stored.unsealed_files)):
        return compared
    code, files = (
        tuple(name for name in names if _last_part(name) not in told and not is_rest(name))
        for names in (again.unsealed_code, again.unsealed_files)
    )
    return replace(compared, unnamed_code=code, unnamed_files=files, observed=True)


def _last_part(name: str) -> str:
    return name.rstrip("/").rpartition("/")[2]


def _same_installed(study: StudyFolder, submission: str) -> bool:
    try:
        load_sealed(study, submission)
    except DigestMismatch:
        return False
    return True


def _compared(submission: str, stored: Run, again: Run, *, same: bool) -> Rerun:
    before, after = (
        {(record.item, record.seed): record.output for record in run.records}
        for run in (stored, again)
    )
    changed = unmatched = 0
    largest, worst = 0.0, None
    keys = list(dict.fromkeys((*before, *after)))
    for key in keys:
        output, other = before.get(key), after.get(key)
        if key not in before or key not in after:
            unmatched += 1
            continue
        if output is None or other is None:
            unmatched += (output is None) is not (other is None)
            continue
        changed += output != other
        if stored.task != "detection":
            continue
        difference = math.fabs(score_of(output) - score_of(other))
        if difference > largest:
            largest, worst = difference, key[0]
    return Rerun(
        submission=submission,
        items=len(keys),
        changed=changed,
        unmatched=unmatched,
        largest=largest if stored.task == "detection" else None,
        item=worst,
        same_installed=same,
        seeding=None if _seeding(stored) == _seeding(again) else _seeds_apart(stored, again),
    )


def _seeding(run: Run) -> tuple[int, int, int | None, int | None]:
    """Seeds, probe, folds and batches; with several seeds a resumed run is not probed again."""
    return run.seeds, run.probed if run.seeds == 1 else 0, run.folds, run.batch


def _seeds_apart(stored: Run, again: Run) -> str:
    before, now = (
        f"under {counted(run.seeds, 'seed')}"
        + (f" with {counted(run.probed, 'item')} probed" if run.seeds == 1 else "")
        + ("" if run.folds is None else f" in {counted(run.folds, 'fold')}")
        + ("" if run.batch is None else f" in batches of {run.batch}")
        for run in (stored, again)
    )
    return f"stored {before}, now {now}"
