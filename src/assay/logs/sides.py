"""One side of a comparison from paths: folders of scored runs, files of trials, stored runs."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from msgspec import structs

from assay.digests import digest
from assay.errors import IncomparableRuns, SpecError, storage
from assay.files import read_bounded
from assay.logs.eval_folder import SCORES, digest_of, read_run, run_folders
from assay.logs.stored_run import is_stored_run, read_stored_run
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns, read_rows

MOST_BYTES = 1 << 30


@dataclass(frozen=True, kw_only=True)
class Read:
    """What one path gave: its trials, what it is, its digest, and a digest for each run.

    `implied` are the trials that only their folders name.
    """

    kind: str
    digest: str
    trials: tuple[Trial, ...]
    each: tuple[str, ...]
    source: bool
    implied: frozenset[int] = frozenset()


def read_sides(
    baseline: Sequence[Path],
    candidate: Sequence[Path],
    *,
    columns: TrialColumns | None = None,
    all_scores: bool = False,
) -> tuple[list[Read], list[Read]]:
    """Both sides; a path that is given twice, on one side or on both, is refused."""
    columns = columns or TrialColumns()
    seen: dict[tuple[int, int], str] = {}
    sides: tuple[list[Read], list[Read]] = ([], [])
    for paths, side in zip((baseline, candidate), sides, strict=True):
        for path in paths:
            side.append(_read(path, columns, all_scores, seen))
    return _unnamed(sides[0]), _unnamed(sides[1])


def _unnamed(side: list[Read]) -> list[Read]:
    """A side whose folders' names tell its trials apart, or are taken for no names at all."""
    names = Counter((one.instance, one.trial) for read in side for one in read.trials)
    clash = any(
        names[read.trials[row].instance, read.trials[row].trial] > 1
        for read in side
        for row in read.implied
    )
    if not clash:
        return side
    return [
        dataclasses.replace(
            read,
            trials=tuple(
                structs.replace(one, trial=None) if row in read.implied else one
                for row, one in enumerate(read.trials)
            ),
        )
        for read in side
    ]


def have_repeats(*sides: Sequence[Read]) -> bool:
    """Whether runs have the same bytes, and no id that tells them apart."""
    known: set[str] = set()
    for read in (one for side in sides for one in side):
        for trial_digest, trial in zip(read.each, read.trials, strict=False):
            if trial.run is None and trial_digest in known:
                return True
            known.add(trial_digest)
    return False


def _read(
    path: Path, columns: TrialColumns, all_scores: bool, seen: dict[tuple[int, int], str]
) -> Read:
    with storage(path):
        if not path.exists():
            raise SpecError(f"there is no {str(path)!r}")
        is_folder = path.is_dir()
    if is_folder and is_stored_run(path):
        _once(path, seen)
        trials, data = read_stored_run(path)
        name = digest(data)
        return Read(
            kind="stored-run", digest=name, trials=tuple(trials), each=(name,), source=False
        )
    if is_folder:
        return _read_folder(path, columns, all_scores, seen)
    _once(path, seen)
    data = read_bounded(path, MOST_BYTES)
    if path.name == SCORES:
        raise SpecError(f"{path}: name its folder, not the file")
    trials = read_rows(path, data, columns)
    name = digest(data)
    return Read(kind="trials", digest=name, trials=tuple(trials), each=(name,), source=False)


def _read_folder(
    path: Path, columns: TrialColumns, all_scores: bool, seen: dict[tuple[int, int], str]
) -> Read:
    wanted = columns.dimensions
    trials: list[Trial] = []
    parts: list[bytes] = []
    implied = set()
    for name, folder in run_folders(path):
        _once(folder, seen)
        trial, data = read_run(folder, all_scores=all_scores or bool(wanted))
        if wanted:
            named = {one: trial.dimensions.get(one) for one in wanted}
            trial = structs.replace(trial, dimensions=named)
        if trial.trial is None:
            implied.add(len(trials))
            trial = structs.replace(trial, trial=name)
        trials.append(trial)
        parts.append(data)
    each = tuple(map(digest, parts))
    return Read(
        kind="eval-folder",
        digest=digest_of(parts),
        trials=tuple(trials),
        each=each,
        source=not wanted,
        implied=frozenset(implied),
    )


def _once(path: Path, seen: dict[tuple[int, int], str]) -> None:
    """Note a place, however it is spelt; the same one again is the same run."""
    with storage(path):
        known = path.stat()
    place = (known.st_dev, known.st_ino)
    if place in seen:
        raise IncomparableRuns(
            f"the same run is given twice: {path} is {seen[place]}"
            if str(path) != seen[place]
            else f"the same run is given twice: {path}",
            hint="A copy is no evidence: give each run once, on one side.",
        )
    seen[place] = str(path)
