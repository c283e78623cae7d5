"""Locate a study without importing it."""

from pathlib import Path

from assay.errors import storage

FILE, LEDGER = "study.toml", "ledger.jsonl"


def study_root(start: Path, *, ledger: bool = True) -> Path | None:
    """The study folder at or above a path. `ledger=False` also accepts one that lost its ledger."""
    with storage(start):
        here = start.resolve()
        for folder in (here, *here.parents):
            if (folder / FILE).is_file():
                return folder if (folder / LEDGER).exists() or not ledger else None
    return None
