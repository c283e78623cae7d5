"""Judge stored runs again: one, or every run in a folder. Earlier scorecards are kept."""

from pathlib import Path

import msgspec

from assay.benchmark.benchmark import TASKS, Benchmark, Columns
from assay.benchmark.load import load_benchmark
from assay.errors import AssayError, IntegrityError, SpecError
from assay.gauntlet.judge import score
from assay.gauntlet.load import fitting_bars, load_bars
from assay.gauntlet.result import Scorecard
from assay.gauntlet.store import KeptScorecard, find_runs, keep_scorecard, kept_scorecards
from assay.runs.result import Run, Source
from assay.runs.store import load_run
from assay.tables.source import STANDARD_INPUT


class Rejudged(msgspec.Struct, frozen=True, kw_only=True):
    """A stored run: its earlier scorecards in order, and the new one, or the error.

    `unreadable` means that the run of a study does not match its ledger, or cannot be read.
    """

    run: str
    method: str | None
    earlier: tuple[KeptScorecard, ...]
    scorecard: Scorecard | None
    error: str | None
    unreadable: bool = False

    @property
    def favourable(self) -> bool:
        """Whether the new scorecard passes."""
        return self.scorecard is not None and self.scorecard.verdict.favourable


def judge_again(
    folder: Path, bars: str | None, *, benchmark: str | None = None, second: str | None = None
) -> tuple[Run, Scorecard]:
    """Judge a stored run by any bars; its data are read again, from a new place if given."""
    run = load_run(folder)
    if run.provenance is not None:
        raise IntegrityError(
            f"{folder} claims to be sealed, but is outside of any study that could prove it",
            hint="Judge it inside its study.",
        )
    data = _read_again(run.benchmark, benchmark, "benchmark")
    if run.second is not None:
        data = data.with_second(_read_again(run.second, second, "second"))
    chosen = load_bars(bars or fitting_bars(data, run.task), task=run.task)
    return run, score(run, data, chosen)


def judge_all(root: Path, bars: str | None) -> list[Rejudged]:
    """Judge every run in a folder; a run that cannot be judged gets its error."""
    folders = find_runs(root)
    if not folders:
        raise SpecError(
            f"no stored run in {str(root)!r}",
            hint="Keep runs with: assay try METHOD `save=runs/NAME`",
        )
    _check_known(bars)
    return [_judged(folder, bars) for folder in folders]


def _check_known(bars: str | None) -> None:
    """Refuse bars that no task has."""
    refusals = []
    for task in TASKS if bars is not None else ():
        try:
            load_bars(str(bars), task=task)
        except AssayError as error:
            refusals.append(error)
    if len(refusals) == len(TASKS):
        raise refusals[0]


def _judged(folder: Path, bars: str | None) -> Rejudged:
    earlier: tuple[KeptScorecard, ...] = ()
    method = card = None
    errors = []
    try:
        method = load_run(folder).method
        _, card = judge_again(folder, bars)
    except AssayError as error:
        errors.append(f"{type(error).__name__}: {error.message}")
    try:
        earlier = tuple(kept_scorecards(folder))
        if card is not None:
            keep_scorecard(folder, card)
    except AssayError as error:
        errors.append(f"{type(error).__name__}: {error.message}")
    message = " ".join(errors) or None
    return Rejudged(run=str(folder), method=method, earlier=earlier, scorecard=card, error=message)


def _read_again(source: Source, moved: str | None, parameter: str) -> Benchmark:
    """The data of a run, from their old place or where they were `moved`."""
    if source.origin is None and moved is None:
        raise SpecError(
            f"{source.name} was made in memory and cannot be read again",
            hint=f"Name a file with the same bytes: `{parameter}=FILE`.",
        )
    if moved is None and source.origin is not None and source.origin.place == STANDARD_INPUT:
        raise SpecError(
            f"{source.name} was read from a pipe and cannot be read again",
            hint=f"Name a file with the same bytes: `{parameter}=FILE`.",
        )
    place = moved or (source.origin.place if source.origin is not None else "")
    if not Path(place).exists() and moved is None and Path(place).is_absolute():
        raise SpecError(
            f"{source.name} is no longer at {place}",
            hint=f"Where is it? Name it: `{parameter}=FILE`.",
        )
    columns = None if source.origin is None else source.origin.columns
    return load_benchmark(place, columns=columns if columns != Columns() else None)
