"""Where a study is; asking costs nothing, so that verbs which need none stay quick."""

from pathlib import Path

from assay.errors import storage

FILE, LEDGER = "study.toml", "ledger.jsonl"


def study_root(start: Path, *, ledger: bool = True) -> Path | None:
    """The folder of the study that a path is, or lies in; without `ledger`, one that lost it."""
    with storage(start):
        here = start.resolve()
        for folder in (here, *here.parents):
            if (folder / FILE).is_file():
                return folder if (folder / LEDGER).exists() or not ledger else None
    return None
