"""Small ledgers, and what can be wrong with one."""

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from assay.digests import digest
from assay.errors import AssayError
from assay.ledger.chain import Chain
from assay.ledger.entry import NOTHING, Entry, encode_line
from assay.ledger.file import LedgerFile, create_ledger, read_ledger

TIME = "2026-02-03T04:05:06Z"


def ledger_lines(count: int, *, about: str = "study") -> list[bytes]:
    """The lines of a ledger, without their newlines."""
    lines: list[bytes] = []
    for n in range(count):
        entry = Entry(
            n=n,
            previous=digest(lines[-1]) if lines else NOTHING,
            time=TIME,
            kind="seal",
            subject=f"{about}-{n}",
            files={"seal.json": digest(b"%d" % n)},
            said={"why": "schön"},
        )
        lines.append(encode_line(entry))
    return lines


def joined(lines: Iterable[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


def new_ledger(path: Path, count: int = 0) -> Path:
    create_ledger(path)
    path.write_bytes(joined(ledger_lines(count)))
    return path


def append(ledger: LedgerFile, subject: str) -> Entry:
    with ledger:
        return ledger.append(time=TIME, kind="seal", subject=subject)


def faults(path: Path, acknowledged: Iterable[tuple[int, str]]) -> list[str]:
    """What is wrong with a ledger to which these entries, by number and subject, were appended."""
    try:
        chain = read_ledger(path)
    except AssayError as error:
        return [error.message]
    return list(_lost(chain, acknowledged))


def _lost(chain: Chain, acknowledged: Iterable[tuple[int, str]]) -> Iterator[str]:
    subjects = [entry.subject for entry in chain.entries]
    times = Counter(subjects)
    for n, subject in acknowledged:
        if subjects[n : n + 1] != [subject]:
            yield f"{subject} was acknowledged as entry {n} and is not there"
        if times[subject] > 1:
            yield f"{subject} stands there twice"
