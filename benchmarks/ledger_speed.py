"""The ledger against what the machine itself can do.

python benchmarks/ledger_speed.py
"""

import hashlib
import os
import statistics
import tempfile
from pathlib import Path

from timing import by_turns, clock, cost

from assay.digests import digest
from assay.ledger.chain import Chain, read_chain
from assay.ledger.entry import NOTHING, Entry, encode_line
from assay.ledger.file import LedgerFile, create_ledger

TIME = "2026-01-01T00:00:00.000+00:00"
ENTRIES = 100_000
BLOCK, BLOCKS = 50, 60


def ledgers() -> None:
    """Appending durably, and verifying a long ledger."""
    verification()  # first: what the appends leave to the disk would disturb it
    appends()


def appends() -> None:
    """Blocks of durable appends by turns with blocks of write + fdatasync of as many bytes."""
    files = {"scorecards/00001@v3.json": NOTHING}
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as folder:
        path = Path(folder) / "ledger.jsonl"
        create_ledger(path)
        ledger = LedgerFile(path)
        plain = os.open(Path(folder) / "plain", os.O_CREAT | os.O_WRONLY | os.O_APPEND)

        def ours() -> None:
            for _ in range(BLOCK):
                with ledger:
                    ledger.append(time=TIME, kind="score", subject="00001", files=files)

        ours()
        line = b"x" * (path.stat().st_size // BLOCK)

        def theirs() -> None:
            for _ in range(BLOCK):
                os.write(plain, line)
                os.fdatasync(plain)

        times = [(clock(ours), clock(theirs)) for _ in range(BLOCKS)]
        ledger.close()
        os.close(plain)
    mine, peer = (statistics.median(column) / BLOCK for column in zip(*times, strict=True))
    rate = peer / mine
    said = "holds" if rate >= 0.8 else "MISSED"
    print(f"durable append: {mine * 1e6:.0f} us, {rate:.2f} of the rate of write + fdatasync"
          f" ({peer * 1e6:.0f} us); at least 0.8: {said}", flush=True)  # fmt: skip


def verification() -> None:
    """Chain and tree of many entries against one pass of SHA-256 calls over the stored lines."""
    lines, last = [], NOTHING
    for n in range(ENTRIES):
        files = {f"scorecards/{n:05d}@v3.json": last}
        entry = Entry(n=n, previous=last, time=TIME, kind="score", subject=f"{n:05d}", files=files)
        lines.append(encode_line(entry))
        last = digest(lines[-1])
    data = b"\n".join(lines) + b"\n"

    def one_pass() -> None:
        for line in lines:
            hashlib.sha256(line).digest()

    def links() -> None:
        chain = Chain()
        chain.extend(data)
        chain.tree().root()

    def entries() -> None:
        read_chain(data, where="it").tree().root()

    ours, peer = by_turns(9, links, one_pass)
    strict, again = by_turns(3, entries, one_pass)
    name = "a pass of SHA-256 over the lines"
    cost(f"chain and tree of {ENTRIES:,} entries", ours, peer, name, 6.0)
    print(f"and every entry read strictly and kept: {strict * 1e3:.0f} ms, {strict / again:.1f}x")


if __name__ == "__main__":
    ledgers()
