"""Appending to a study's ledger: only what the protocol allows there is ever written."""

from collections.abc import Mapping

from assay.clock import now
from assay.ledger.entry import Entry
from assay.ledger.file import LedgerFile
from assay.study.entries import read_records


def enter(
    ledger: LedgerFile,
    kind: str,
    subject: str,
    *,
    files: Mapping[str, str] | None = None,
    said: Mapping[str, str] | None = None,
) -> Entry:
    """Append an entry to a ledger under lock, after reading it as everyone will read it.

    A ledger that was put back to an older state meanwhile would otherwise get an entry that nothing
    leads up to, and be broken for good.
    """
    time = now()
    next_one = Entry(
        n=len(ledger.entries),
        previous="",
        time=time,
        kind=kind,
        subject=subject,
        files=files or {},
        said=said or {},
    )
    read_records([*ledger.entries, next_one])
    return ledger.append(time=time, kind=kind, subject=subject, files=files, said=said)
