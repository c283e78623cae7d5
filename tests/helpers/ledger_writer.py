"""A process that appends: python ledger_writer.py LEDGER NAME COUNT, when a line comes in.

Prints number and subject of each entry that was acknowledged.
"""

import sys
from pathlib import Path

from assay.ledger.file import LedgerFile
from helpers.ledgers import append

if __name__ == "__main__":
    path, name, count = sys.argv[1:]
    ledger = LedgerFile(Path(path))
    acknowledged = []
    sys.stdin.readline()
    for turn in range(int(count)):
        entry = append(ledger, f"{name}-{turn}")
        acknowledged.append(f"{entry.n} {entry.subject}\n")
        if turn % 100 == 50:
            ledger.close()  # opened and read anew
    sys.stdout.writelines(acknowledged)
