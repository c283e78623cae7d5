"""Read and append to the ledger of a study, in the order that the protocol allows.

Reading enforces the protocol: bars first, a seal before its start or its withdrawal, a start before
its result, one of each, and judgements only of results. Appending first reads the ledger with the
new entry.
"""

from collections.abc import Mapping, Sequence

from assay.clock import now
from assay.digests import is_name
from assay.errors import IntegrityError
from assay.ledger.entry import Entry
from assay.ledger.file import LedgerFile
from assay.study.entry_readers import READERS
from assay.study.records import StudyRecords
from assay.study.study import StudyFolder


def records_of(study: StudyFolder) -> StudyRecords:
    """Read the ledger of a study."""
    return read_records(study.chain().entries)


def read_records(entries: Sequence[Entry]) -> StudyRecords:
    """Read entries in order; the first that the protocol forbids is a breach."""
    records = StudyRecords()
    for entry in entries:
        where = f"entry {entry.n} ({entry.kind} {entry.subject:.64})"
        if not is_name(entry.subject):
            raise IntegrityError(f"entry {entry.n}: {entry.subject!r:.80} is not a valid name")
        if (entry.n == 0) is not (entry.kind == "study"):
            raise IntegrityError(
                f"{where}: the first entry of a ledger, and no other, opens the study"
            )
        if entry.kind not in READERS:
            raise IntegrityError(f"{where}: unknown kind of entry {entry.kind!r:.60}")
        READERS[entry.kind](records, entry, where)
    return records


def enter(
    ledger: LedgerFile,
    kind: str,
    subject: str,
    *,
    files: Mapping[str, str] | None = None,
    said: Mapping[str, str] | None = None,
) -> Entry:
    """Append an entry under lock, if the protocol allows it there.

    The whole ledger is first read with the new entry. After a roll-back to an older state the entry
    might not follow, and the ledger would be broken for good.
    """
    time = now()
    next_entry = Entry(
        n=len(ledger.entries),
        previous="",
        time=time,
        kind=kind,
        subject=subject,
        files=files or {},
        said=said or {},
    )
    read_records([*ledger.entries, next_entry])
    return ledger.append(time=time, kind=kind, subject=subject, files=files, said=said)
