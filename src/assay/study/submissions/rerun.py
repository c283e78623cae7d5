"""Run a sealed submission again, and compare with its stored result."""

import math

import msgspec

from assay.errors import DigestMismatch, NotHere
from assay.runs.answers import score_of
from assay.runs.collect import Listener
from assay.runs.result import Run
from assay.study.entries import records_of
from assay.study.scorecards.store import load_result
from assay.study.study import Study
from assay.study.submissions.run import ask
from assay.study.submissions.sealed import load_sealed


class Rerun(msgspec.Struct, frozen=True, kw_only=True):
    """The outputs of another run beside the stored ones; never a result itself.

    `largest` is the largest difference between two scores of one item, `changed` how many items
    came out differently, `unmatched` how many have an output on one side only.
    """

    submission: str
    items: int
    changed: int
    unmatched: int
    largest: float | None
    item: str | None
    same_installed: bool

    @property
    def differ(self) -> int:
        """How many items have another output, or an output on one side only."""
        return self.changed + self.unmatched


def rerun(study: Study, submission: str, *, listener: Listener | None = None) -> Rerun:
    """Run a sealed submission again and compare with its result; nothing is stored."""
    sealed = load_sealed(study, submission, distributions=False)
    record = records_of(study).submission(submission)
    if record.run is None:
        raise NotHere(
            f"{submission} has no result to compare with",
            hint=f"Run it first: assay run {submission}",
        )
    stored = load_result(study, record)
    outside = None if stored.provenance is None else stored.provenance.outside
    again = ask(sealed, listener or Listener(), outside=outside)
    return _compared(submission, stored, again, same=_same_installed(study, submission))


def _same_installed(study: Study, submission: str) -> bool:
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
    for (item, seed), output in before.items():
        other = after.get((item, seed))
        if output is None or other is None:
            unmatched += (output is None) is not (other is None)
            continue
        changed += output != other
        if stored.task != "detection":
            continue
        difference = math.fabs(score_of(output) - score_of(other))
        if difference > largest:
            largest, worst = difference, item
    return Rerun(
        submission=submission,
        items=len(before),
        changed=changed,
        unmatched=unmatched,
        largest=largest if stored.task == "detection" else None,
        item=worst,
        same_installed=same,
    )
