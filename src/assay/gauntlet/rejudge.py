"""Judge stored runs again: one run, or all in a folder. Earlier scorecards are kept."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from msgspec.structs import replace

from assay.benchmark.benchmark import TASKS, Benchmark, Columns
from assay.benchmark.load import load_benchmark
from assay.errors import AssayError, IntegrityError, SpecError, storage
from assay.gauntlet.judge import failures_named, score
from assay.gauntlet.load import Bars, bars_for, load_bars
from assay.gauntlet.result import Scorecard
from assay.gauntlet.store import KeptScorecard, find_runs, keep_scorecard, kept_scorecards
from assay.logs.format_table import is_log
from assay.runs.given_scores import Scores, run_of_scores
from assay.runs.log_run import run_of_log
from assay.runs.result import Run, Source
from assay.runs.store import HEAD, load_run
from assay.tables.source import IN_MEMORY, NO_PATHS


class Rejudged(msgspec.Struct, frozen=True, kw_only=True):
    """A stored run: its earlier scorecards in order, and the new one, or the error.

    `judged_before` means that the scorecard was there already, so nothing was judged.
    `unreadable` means that the run of a study does not match its ledger, or cannot be read.
    """

    run: str
    method: str | None
    earlier: tuple[KeptScorecard, ...]
    scorecard: Scorecard | None
    error: str | None
    unreadable: bool = False
    judged_before: bool = False

    @property
    def favourable(self) -> bool:
        """Whether the new scorecard passes."""
        return self.scorecard is not None and self.scorecard.verdict.favourable


def judge_again(
    folder: Path | Run,
    bars: Bars | None,
    *,
    benchmark: object = None,
    second: object = None,
    columns: Mapping[str, str] | None = None,
) -> tuple[Run, Scorecard]:
    """Judge a stored run by any bars; its data are read again, from a new place if given.

    `columns` are named instead of those that the run was made with. A run that was just made has
    its data at hand.
    """
    run = folder if isinstance(folder, Run) else load_run(folder)
    if run.provenance is not None:
        where = "the run" if isinstance(folder, Run) else str(folder)
        raise IntegrityError(
            f"{where} claims to be sealed, but is not in a study that can prove it",
            hint="Judge it inside its study.",
        )
    at_hand = run.data_at_hand if benchmark is None and not columns else None
    data = at_hand or _read_again(run.benchmark, benchmark, "benchmark", columns or {})
    if run.second is None and second is not None:
        raise SpecError("the run has no second corpus", hint="Leave out `second=`.")
    if run.second is not None and (data.second is None or second is not None):
        data = data.with_second(_read_again(run.second, second, "second", {}))
    with failures_named(run):
        return run, score(run, data, bars_for(bars, data, run.task))


def is_scored_log(path: Path) -> bool:
    """Whether a path is a harness's log, and not a stored run."""
    with storage(path):
        there, is_run = path.exists(), (path / HEAD).is_file()
    return there and not is_run and is_log(path)


def judge_log(
    path: Path,
    bars: Bars | None,
    *,
    benchmark: object = None,
    columns: Columns | None = None,
    metric: str | None = None,
) -> Scorecard:
    """Judge the scores of a log, on a benchmark or on its own answers, labelled by a metric."""
    label = None if columns is None else columns.label
    if benchmark is not None and label is not None:
        raise SpecError("the records of `benchmark=` have their own labels: leave out `label=`")
    if benchmark is None and metric is None:
        raise SpecError(
            f"{path}: a log; which of its metrics is the method's score?",
            hint="Name it and the metric with the labels: `score=METRIC` `label=METRIC`. Or name"
            " the scored records: `benchmark=FILE`.",
        )
    data = load_benchmark(path if benchmark is None else benchmark, columns=columns)
    if data.labelled_by is not None and metric == data.labelled_by.partition(" of ")[0]:
        raise SpecError(f"{metric} labels the answers, so it cannot also be the judged score")
    run = run_of_log(path, data, metric)
    return score(run, data, bars_for(bars, data, run.task))


def judge_scores(
    method: str,
    scores: Scores,
    data: Benchmark,
    bars: Bars | None,
    *,
    read_as: str = "",
) -> Scorecard:
    """Judge scores that were given, by record id."""
    run = run_of_scores(method, scores, data, read_as=read_as)
    with failures_named(run):
        return score(run, data, bars_for(bars, data, run.task))


def judge_all(root: Path, bars: str | None) -> list[Rejudged]:
    """Judge every run in a folder; a run that cannot be judged has an error instead."""
    folders = find_runs(root)
    if not folders:
        raise SpecError(
            f"no stored run in {str(root)!r}",
            hint="Keep runs with: assay try METHOD `save=runs/NAME`",
        )
    _check_known(bars)
    return [_judged(folder, bars) for folder in folders]


def _check_known(bars: str | None) -> None:
    """Refuse bars that do not exist for any task."""
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


def _read_again(
    source: Source, moved: object, parameter: str, named: Mapping[str, str]
) -> Benchmark:
    """The data of a run: given, read from a new place, or read from their old place."""
    if isinstance(moved, Benchmark) and not named:
        return moved
    columns = Columns() if source.origin is None else source.origin.columns
    if moved is None:
        moved = _place_of(source, parameter)
    columns = replace(columns, **named)
    return load_benchmark(moved, columns=columns if columns != Columns() else None)


def _place_of(source: Source, parameter: str) -> str:
    """The place of a run's data; refuses data that cannot be read again."""
    place = IN_MEMORY if source.origin is None else source.origin.place
    if place in NO_PATHS:
        was = "made in memory" if place == IN_MEMORY else "read from a pipe"
        raise SpecError(
            f"{source.name} was {was} and cannot be read again",
            hint=f"Give the same data again, as they were or as a file: `{parameter}=...`.",
        )
    with storage(place):
        is_gone = Path(place).is_absolute() and not Path(place).exists()
    if is_gone:
        raise SpecError(
            f"{source.name} is no longer at {place}",
            hint=f"Name its new place: `{parameter}=FILE`.",
        )
    return place
