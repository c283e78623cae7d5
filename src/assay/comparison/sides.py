"""The two sides of a comparison, read from paths.

A path is a folder of scored runs, a file of trials, or a stored run that was judged.
"""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from msgspec import structs

from assay.comparison.result import ComparisonCaveat
from assay.comparison.stored_run import ScorecardReader, is_stored_run, read_stored_run
from assay.digests import digest
from assay.errors import IncomparableRuns, SpecError, storage
from assay.files import read_bounded
from assay.logs.eval_folder import SCORES, digest_of, read_run, run_folders
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns, read_rows

MOST_BYTES = 1 << 30


@dataclass(frozen=True, kw_only=True)
class PathTrials:
    """The trials of one path, its kind and digest, and a digest for each run.

    `implied` are the trials that only their folders name. `source` says that they have the
    dimensions of `eval.json`.
    """

    kind: str
    digest: str
    trials: tuple[Trial, ...]
    each: tuple[str, ...]
    source: bool
    implied: frozenset[int] = frozenset()
    caveats: tuple[ComparisonCaveat, ...] = ()


def read_sides(
    baseline: Sequence[Path],
    candidate: Sequence[Path],
    *,
    columns: TrialColumns | None = None,
    all_scores: bool = False,
    fixture_required: bool = True,
    in_study: ScorecardReader = lambda _: None,
) -> tuple[list[PathTrials], list[PathTrials]]:
    """Both sides; refuses a path that is given twice.

    With `all_scores` every number of an `eval.json` is a dimension; without `fixture_required` it
    need not name its instance. `in_study` reads the scorecards
    of a study's runs.
    """
    reader = _SideReader(
        columns or TrialColumns(),
        all_scores=all_scores,
        fixture_required=fixture_required,
        in_study=in_study,
    )
    sides = [[reader.read(path) for path in paths] for paths in (baseline, candidate)]
    return _unnamed(sides[0]), _unnamed(sides[1])


def _unnamed(side: list[PathTrials]) -> list[PathTrials]:
    """A side without the names implied by folders, where these are ambiguous."""
    names = Counter((trial.instance, trial.trial) for read in side for trial in read.trials)
    implied = [read.trials[row] for read in side for row in read.implied]
    if all(names[trial.instance, trial.trial] == 1 for trial in implied):
        return side
    return [
        dataclasses.replace(
            read,
            trials=tuple(
                structs.replace(trial, trial=None) if row in read.implied else trial
                for row, trial in enumerate(read.trials)
            ),
        )
        for read in side
    ]


def have_repeats(*sides: Sequence[PathTrials]) -> bool:
    """Whether runs without ids have the same bytes."""
    known: set[str] = set()
    for read in chain.from_iterable(sides):
        for trial_digest, trial in zip(read.each, read.trials, strict=False):
            if trial.run is None and trial_digest in known:
                return True
            known.add(trial_digest)
    return False


class _SideReader:
    """Reads paths, each run once."""

    def __init__(
        self,
        columns: TrialColumns,
        *,
        all_scores: bool,
        fixture_required: bool,
        in_study: ScorecardReader,
    ) -> None:
        self.columns = columns
        self.all_scores = all_scores or bool(columns.dimensions)
        self.fixture_required = fixture_required
        self.in_study = in_study
        self.seen: dict[tuple[int, int], str] = {}

    def read(self, path: Path) -> PathTrials:
        """The trials of one path."""
        with storage(path):
            if not path.exists():
                raise SpecError(f"there is no {str(path)!r}")
            is_folder = path.is_dir()
        if is_folder and not is_stored_run(path):
            return self._folder(path)
        self._once(path)
        if is_folder:
            run = read_stored_run(path, in_study=self.in_study)
            return _single("stored-run", run.head, [run.trial], run.caveats)
        data = read_bounded(path, MOST_BYTES)
        if path.name == SCORES:
            raise SpecError(f"{path}: name its folder, not the file")
        return _single("trials", data, read_rows(path, data, self.columns))

    def _folder(self, path: Path) -> PathTrials:
        chosen = self.columns.dimensions
        trials: list[Trial] = []
        parts: list[bytes] = []
        implied = set()
        for name, folder in run_folders(path):
            self._once(folder)
            trial, data = read_run(
                folder, all_scores=self.all_scores, fixture_required=self.fixture_required
            )
            if chosen:
                named = {dimension: trial.dimensions.get(dimension) for dimension in chosen}
                trial = structs.replace(trial, dimensions=named)
            if trial.trial is None:
                implied.add(len(trials))
                trial = structs.replace(trial, trial=name)
            trials.append(trial)
            parts.append(data)
        return PathTrials(
            kind="eval-folder",
            digest=digest_of(parts),
            trials=tuple(trials),
            each=tuple(map(digest, parts)),
            source=not chosen,
            implied=frozenset(implied),
        )

    def _once(self, path: Path) -> None:
        """Note a run by its inode; refuse the same one again under any path."""
        with storage(path):
            known = path.stat()
        place = (known.st_dev, known.st_ino)
        if place in self.seen:
            other = "" if str(path) == self.seen[place] else f" is {self.seen[place]}"
            raise IncomparableRuns(
                f"the same run is given twice: {path}{other}",
                hint="A copy is no evidence: give each run once, on one side.",
            )
        self.seen[place] = str(path)


def _single(
    kind: str, data: bytes, trials: Sequence[Trial], caveats: tuple[ComparisonCaveat, ...] = ()
) -> PathTrials:
    """The trials of a path that one file names."""
    name = digest(data)
    return PathTrials(
        kind=kind, digest=name, trials=tuple(trials), each=(name,), source=False, caveats=caveats
    )
