"""Withdraw a sealed submission that was never started: in public, with a reason, for good."""

from assay.errors import AlreadyRun, SpecError, Withdrawn
from assay.ledger.entry import Entry
from assay.study.entries import enter, read_records
from assay.study.entry_readers import LONGEST_REASON
from assay.study.records import SubmissionRecord
from assay.study.study import StudyFolder
from assay.study.submissions.bars_in_force import read_seal
from assay.study.submissions.seal_lock import only_one
from assay.study.submissions.sealed import check_sealed, check_unchanged


def withdraw(study: StudyFolder, submission: str, *, because: str) -> Entry:
    """Enter that a submission will not be run, and why; refused once it has started.

    The seal stays, and so does the submission's row on the board.
    """
    reason = because.strip()
    if not reason or len(reason) > LONGEST_REASON:
        raise SpecError(
            f"a reason of {len(reason):,} characters, expected 1 to {LONGEST_REASON:,}",
            hint="Say why it is withdrawn: `because=TEXT`.",
        )
    sealed = read_seal(study, check_sealed(study, submission).submission(submission))
    check_unchanged(study, sealed)  # it stays on the record, as it was sealed
    with only_one(study, submission), study.ledger as ledger:
        record = read_records(ledger.entries).submission(submission)
        check_standing(record)
        if record.started is not None:
            raise AlreadyRun(
                f"{submission} was started by entry {record.started.n}, so it cannot be withdrawn",
                hint="It stays on the board, with or without a result.",
            )
        return enter(ledger, "withdraw", submission, said={"because": reason})


def check_standing(record: SubmissionRecord) -> None:
    """Refuse a submission that was withdrawn."""
    if record.withdrawn is not None:
        raise Withdrawn(
            f"{record.id} was withdrawn by entry {record.withdrawn.n}:"
            f" {record.withdrawn.said['because']:.300}",
            hint="Draft it again under another name.",
        )
