"""Store scorecards beside their run; a later one never replaces an earlier one.

A run folder keeps them under `scorecards/`, named by bars and their digest. Judging the same run by
the same bars again changes nothing; if another version of Assay gives other figures, the new
scorecard gets a number after its name and the old one stays.
"""

from pathlib import Path
from typing import Any

import msgspec

from assay.bounds import MAX_FILE_BYTES
from assay.clock import now
from assay.digests import decode_utf8, parse_json, pretty_json, short
from assay.errors import SpecError, storage
from assay.files import read_bounded, write_new
from assay.folders import walk
from assay.gauntlet.result import Scorecard

FORMAT = "assay-scorecard/1"
FOLDER = "scorecards"
_DEEPEST = 3


class KeptScorecard(msgspec.Struct, frozen=True, kw_only=True):
    """A stored scorecard, and its time."""

    judged: str
    scorecard: Scorecard


def keep_scorecard(run: Path, card: Scorecard) -> None:
    """Store a scorecard beside its run, unless an equal one is stored."""
    name = f"{card.task}-{card.bars_version}@{short(str(card.digests['bars']))}"
    number = 1
    while True:
        path = run / FOLDER / (f"{name}.json" if number == 1 else f"{name}~{number}.json")
        with storage(path):
            exists = path.exists()
        if not exists:
            break
        if _read(path).scorecard == card:
            return
        number += 1
    head = {"format": FORMAT, "judged": now(), "scorecard": msgspec.to_builtins(card)}
    write_new(path, pretty_json(head))


def kept_scorecards(run: Path) -> list[KeptScorecard]:
    """The scorecards of a run, in the order in which they were made."""
    with storage(run):
        paths = sorted((run / FOLDER).glob("*.json"))
    return sorted(map(_read, paths), key=lambda kept: kept.judged)


def find_runs(root: Path) -> list[Path]:
    """Every run folder in a folder, including itself, sorted by name."""
    runs: list[Path] = []
    with storage(root):
        if not root.is_dir():
            raise SpecError(
                f"no folder {str(root)!r}", hint="Keep runs with: assay try METHOD `save=runs/NAME`"
            )
        for place, folders, _ in walk(root):
            is_run = (place / "run.json").is_file()
            if is_run:
                runs.append(place)
            if is_run or len(place.relative_to(root).parts) == _DEEPEST:
                folders.clear()
    return sorted(runs)


def _read(path: Path) -> KeptScorecard:
    data = read_bounded(path, MAX_FILE_BYTES)
    head: Any = parse_json(decode_utf8(data, where=str(path)), where=str(path))
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        raise SpecError(f"{path}: expected a scorecard of format {FORMAT!r}")
    try:
        return msgspec.convert(head, KeptScorecard)
    except msgspec.ValidationError as error:
        raise SpecError(f"{path}: {error}") from None
