"""The sides of a comparison, read from paths, from rows, or given as trials.

A path is a harness's log or a folder of logs, a folder of scored runs (`eval.json`), a file of
trials or a folder of its shards, or a stored run that was judged. A side may hold runs of several
tasks, which are compared task by task. One file may hold several sides, separated by a column
(`by=model`). Rows in memory are read like a file of trials; trials in memory are used as they are.
"""

import dataclasses
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TypeVar

from msgspec import structs

from assay.comparison.result import ComparisonCaveat
from assay.comparison.stored_run import ScorecardReader, is_stored_run, read_stored_run
from assay.comparison.where import WhereFilter
from assay.digests import digest, listing_digest
from assay.errors import AssayError, IncomparableRuns, SpecError, storage
from assay.files import names_beside
from assay.logs.columns.number_texts import HOW_TO_WRITE
from assay.logs.columns.score_columns import COUNTER, ScoreColumns
from assay.logs.eval_folder import SCORES, digest_of, has_runs, read_run, run_folders
from assay.logs.format_table import FORMATS, read_log
from assay.logs.log import LogRun
from assay.logs.log_trials import described, harness_of_run, trials_of
from assay.logs.same_run import is_same_run
from assay.logs.trial import Trial
from assay.logs.trial_rows import MOST_SIDES, TrialColumns, read_rows, splitting_columns
from assay.tables.nested import same_word
from assay.tables.shards import holds_rows
from assay.tables.source import STANDARD_INPUT, TableSource, read_table
from assay.wording import as_column, counted, did_you_mean, some

T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class PathTrials:
    """Trials of one path and one task, their kind and digest, and a digest for each run.

    `side` is the value of the column that tells sides apart. `implied` are the trials that only
    their folders name. `source` says that they have the dimensions of `eval.json`. Of the metrics
    in `lower` less is better. `described` says what a log at `place` holds. `columns` and `where`
    are how rows were read, `scores` which of their columns are scores, `splitting` the columns of
    rows of one side that could tell sides apart.
    """

    kind: str
    digest: str
    trials: tuple[Trial, ...]
    each: tuple[str, ...] = ()
    source: bool = False
    side: str | None = None
    task: str | None = None
    implied: frozenset[int] = frozenset()
    lower: frozenset[str] = frozenset()
    described: str | None = None
    place: str = ""
    caveats: tuple[ComparisonCaveat, ...] = ()
    columns: TrialColumns | None = None
    where: str | None = None
    scores: ScoreColumns = field(default_factory=ScoreColumns)
    splitting: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class Side:
    """One side of a comparison: its displayed name, and its inputs."""

    name: str
    reads: tuple[PathTrials, ...]

    @property
    def tasks(self) -> list[str | None]:
        """The tasks it has runs of; only None if no task is named."""
        return list(dict.fromkeys(read.task for read in self.reads))

    def of_task(self, task: str | None) -> list[PathTrials]:
        """The inputs of one task, with repeated runs numbered."""
        own = [read for read in self.reads if read.task == task]
        _check_one_side(self.name, own)
        _check_no_copies(self.name, self.reads)
        return _unnamed(_numbered(own))


@dataclass(frozen=True, kw_only=True)
class SideReading:
    """How paths are read.

    `columns` says which column is what. With `all_scores` every number of an `eval.json` is a
    dimension; without `fixture_required` it need not name its instance. `by` is the column that
    separates sides, `where` an expression that selects rows or logs. `planned` are the dimensions
    of a plan. `in_study` reads the scorecards of a study's runs.
    """

    columns: TrialColumns = field(default_factory=TrialColumns)
    all_scores: bool = False
    fixture_required: bool = True
    by: str | None = None
    where: str | None = None
    planned: tuple[str, ...] = ()
    in_study: ScorecardReader = lambda _: None


SideSource = Path | TableSource | PathTrials
"""What a side may be read from; trials have been read already."""


def read_sides(
    named: Sequence[tuple[str, Sequence[SideSource]]], reading: SideReading
) -> list[Side]:
    """Each side by its name and its sources; refuses a path that is given twice."""
    reader = _SideReader(reading)
    sides = [
        Side(name=name, reads=tuple(read for source in sources for read in reader.read(source)))
        for name, sources in named
    ]
    if reader.where is not None:
        reader.where.refuse_unmet()
    _refuse_mixed_forms([read for side in sides for read in side.reads])
    if reading.planned or reading.columns.dimensions:
        return sides
    return _without(sides, _no_scores(sides))


def _no_scores(sides: Sequence[Side]) -> dict[str, str]:
    """Columns read as scores in some source that are none in view of all, and why.

    A counter that is known in one file is the same in the others. A word that is the same in every
    row of every side says nothing.
    """
    reads = [read for side in sides for read in side.reads]
    known = [*read_columns(reads, lambda scores: scores.unread).items()]
    found = {name: reason for name, reason in known if reason == COUNTER}
    for name in read_columns(reads, lambda scores: scores.pairs):
        values = {trial.dimensions.get(name) for read in reads for trial in read.trials}
        if len(values - {None}) < 2:
            found[name] = "the same word everywhere"
    return found


def _refuse_mixed_forms(reads: Sequence[PathTrials]) -> None:
    """Refuse a column of percentages in one source and of other numbers in another."""
    percent: dict[str, PathTrials] = {}
    for read in reads:
        for name, form in read.scores.forms.items():
            if form.percent:
                percent.setdefault(name, read)
    for name, read in percent.items():
        for other in reads:
            own = other.scores.forms.get(name)
            has_values = any(trial.dimensions.get(name) is not None for trial in other.trials)
            if has_values and (own is None or not own.percent):
                raise SpecError(
                    f"column {as_column(name)} holds percentages in {read.place}, and numbers"
                    f" without a percent sign in {other.place or 'another source'}",
                    hint=HOW_TO_WRITE,
                )


def read_columns(
    reads: Sequence[PathTrials], part: Callable[[ScoreColumns], Mapping[str, T]]
) -> dict[str, T]:
    """A part of how columns were read, over all sources."""
    return {name: value for read in reads for name, value in part(read.scores).items()}


def _without(sides: Sequence[Side], unread: Mapping[str, str]) -> list[Side]:
    """The sides without some columns; the reasons are noted where the columns were read."""
    if not any(name in read.scores.names for side in sides for read in side.reads
               for name in unread):  # fmt: skip
        return list(sides)
    return [
        dataclasses.replace(side, reads=tuple(_stripped(read, unread) for read in side.reads))
        for side in sides
    ]


def _stripped(read: PathTrials, unread: Mapping[str, str]) -> PathTrials:
    own = {name: reason for name, reason in unread.items() if name in read.scores.names}
    if not own:
        return read
    names = [name for name in read.scores.names if name not in own]
    if not names:
        raise SpecError(
            f"{read.place}: no column holds numbers that are scores",
            details=[f"{name:.60}: {reason}" for name, reason in own.items()],
            hint="Add a column of scores, such as 0 and 1; or name one: `dimension=COLUMN`.",
        )
    trials = tuple(
        structs.replace(trial, dimensions={name: trial.dimensions.get(name) for name in names})
        for trial in read.trials
    )
    pairs = {name: pair for name, pair in read.scores.pairs.items() if name not in own}
    scores = dataclasses.replace(
        read.scores, names=names, pairs=pairs, unread={**read.scores.unread, **own}
    )
    return dataclasses.replace(read, trials=trials, scores=scores)


def split_side(side: Side, first: str | None) -> list[Side]:
    """The sides that a column separates, in file order, but `first` comes first."""
    values = list(dict.fromkeys(read.side for read in side.reads))
    if first is not None and first not in values:
        same = [value for value in values if value is not None and same_word(value, first)]
        if not same:
            names = [str(value) for value in values]
            raise SpecError(
                f"no side is named {first!r:.60}; there are {some(names)}",
                hint=did_you_mean(first, names),
            )
        first = same[0]
    if len(values) < 2:
        raise SpecError(
            f"all of it is one side, {values[0]}: there is nothing to compare it with",
            hint=_how_to_split(side),
        )
    values.sort(key=lambda value: value != first)
    return [
        Side(name=str(value), reads=tuple(read for read in side.reads if read.side == value))
        for value in values
    ]


def _how_to_split(side: Side) -> str:
    """The columns that may tell sides apart: those with a few values."""
    values: dict[str, set[str]] = {}
    for read in side.reads:
        for name, few in read.splitting.items():
            values.setdefault(name, set()).update(few)
        for trial in read.trials if read.described is not None else ():
            for name, value in trial.harness.items():
                values.setdefault(name, set()).add(value)
    names = [name for name, few in values.items() if 2 <= len(few) <= MOST_SIDES]
    if not names:
        return f"No other column has 2 to {MOST_SIDES} values. Name the files of both sides."
    known = some([f"{as_column(name)} ({len(values[name])})" for name in names], 8)
    return f"Columns with 2 to {MOST_SIDES} values: {known}. Name one: `by=COLUMN`."


def _check_one_side(name: str, reads: Sequence[PathTrials]) -> None:
    """Refuse logs of several models on one side."""
    logs = [read for read in reads if read.described is not None]
    models = sorted({trial.harness.get("model", "") for read in logs for trial in read.trials})
    if len(models) > 1:
        raise IncomparableRuns(
            f"{name} holds runs of {len(models)} models: {some(models)}",
            hint="Name the logs of one model, or compare the models with each other: `by=model`.",
        )


def _check_no_copies(name: str, reads: Sequence[PathTrials]) -> None:
    """Refuse one run in two forms."""
    logs = [read for read in reads if read.described is not None]
    for read, other in combinations(logs, 2):
        if read.kind == other.kind and is_same_run(read.trials, other.trials):
            raise IncomparableRuns(
                f"{name} has the same run twice: {read.place} and {other.place}",
                hint="A harness may write one run in two forms. Name one of the files.",
            )


def _numbered(reads: list[PathTrials]) -> list[PathTrials]:
    """Several logs of one task as repeats: the trials of the second are called 2.1, 2.2, ..."""
    if len(reads) < 2 or not all(read.kind.startswith("log ") for read in reads):
        return reads
    return [
        dataclasses.replace(
            read,
            trials=tuple(
                structs.replace(
                    trial, trial=f"{number}" if trial.trial is None else f"{number}.{trial.trial}"
                )
                for trial in read.trials
            ),
        )
        for number, read in enumerate(reads, 1)
    ]


def _unnamed(side: list[PathTrials]) -> list[PathTrials]:
    """A side without the names implied by folders, if these are ambiguous."""
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

    def __init__(self, reading: SideReading) -> None:
        self.reading = reading
        self.all_scores = reading.all_scores or bool(reading.columns.dimensions)
        self.where = None if reading.where is None else WhereFilter(reading.where)
        self.seen: dict[tuple[int, int], str] = {}

    def read(self, source: SideSource) -> list[PathTrials]:
        """The trials of one source, by task and by side."""
        if isinstance(source, PathTrials):
            self._whole_only("trials in memory", hint="Split or filter them yourself.")
            return [source]
        if isinstance(source, TableSource):
            return self._rows(source)
        return self._path(source)

    def _path(self, path: Path) -> list[PathTrials]:
        if str(path) == STANDARD_INPUT:
            return self._standard_input(path)
        with storage(path):
            if not path.exists():
                raise SpecError(
                    f"there is no {str(path)!r}", hint=did_you_mean(str(path), names_beside(path))
                )
            is_folder = path.is_dir()
        if is_folder and is_stored_run(path):
            return [self._stored(path)]
        if is_folder and has_runs(path):
            self._whole_only(str(path))
            return [self._folder(path)]
        runs = read_log(path)
        if runs:
            for head in dict.fromkeys(run.files[0].path for run in runs):
                self._once(head)
            return self._logs(runs)
        if is_folder and not holds_rows(path):
            raise SpecError(
                f"{path}: no {SCORES}, no log and no rows in this folder or below it",
                hint="Name a folder of scored runs, a .jsonl or .csv of trials, or a log of "
                + ", ".join(known.name for known in FORMATS)
                + ".",
            )
        if path.name == SCORES:
            raise SpecError(f"{path}: name its folder, not the file")
        self._once(path)
        return self._rows(read_table(path, split=self.reading.columns.split))

    def _standard_input(self, path: Path) -> list[PathTrials]:
        """A log or rows from standard input; a log is first written to a file."""
        source = read_table(path, split=self.reading.columns.split)
        with TemporaryDirectory() as folder:
            copy = Path(folder) / "log"
            copy.write_bytes(source.files[0][1])
            try:
                runs = read_log(copy)
            except AssayError as error:
                told = error.message.replace(str(copy), source.place)
                raise type(error)(told, hint=error.hint, details=error.details) from None
            named = [
                structs.replace(run, place=run.place.replace(str(copy), source.place))
                for run in runs
            ]
            logs = self._logs(named)
        return logs if runs else self._rows(source)

    def _logs(self, runs: Sequence[LogRun]) -> list[PathTrials]:
        chosen = [run for run in runs if self._chosen(harness_of_run(run))]
        self._check_split(chosen)
        return [self._log(run) for run in chosen]

    def _check_split(self, runs: Sequence[LogRun]) -> None:
        """Refuse logs without the field that tells the sides apart, all at once."""
        by = self.reading.by
        known = [harness_of_run(run) for run in runs]
        lacking = [run.place for run, fields in zip(runs, known, strict=True) if by not in fields]
        if by is None or not lacking:
            return
        shared = [name for name in known[0] if all(name in fields for fields in known)]
        if len(lacking) == len(runs):
            hint = f"Tell the sides apart by one of {', '.join(shared)}."
        else:
            hint = "Name only the logs that have it, or name the logs of each side instead."
        raise SpecError(
            f"{len(lacking)} of {counted(len(runs), 'log')} without {by!r:.60}:"
            f" {some(lacking, 3)}; there are {', '.join(shared)}",
            hint=hint,
        )

    def _rows(self, source: TableSource) -> list[PathTrials]:
        name = source.digest
        found = read_rows(
            source,
            self.reading.columns,
            by=self.reading.by,
            where=self.where,
            planned=self.reading.planned,
        )
        splitting: Mapping[str, frozenset[str]] = {}
        if self.reading.by is not None and len(found.sides) == 1:
            splitting = splitting_columns(source, self.reading.columns)
        return [
            PathTrials(
                kind="trials",
                digest=name,
                trials=tuple(trials),
                each=(f"{name} {side}",),  # the sides of a file are no copies of each other
                side=side,
                columns=self.reading.columns,
                where=self.reading.where,
                place=source.place,
                scores=found.scores,
                splitting=splitting,
            )
            for side, trials in found.sides.items()
        ]

    def _stored(self, path: Path) -> PathTrials:
        self._whole_only(str(path))
        self._once(path)
        run = read_stored_run(path, in_study=self.reading.in_study)
        name = digest(run.head)
        return PathTrials(
            kind="stored-run", digest=name, trials=(run.trial,), each=(name,), caveats=run.caveats
        )

    def _log(self, run: LogRun) -> PathTrials:
        by = self.reading.by
        known = harness_of_run(run)
        caveats = [ComparisonCaveat(code="unchecked-log", message=f"{run.place}: {note}.")
                   for note in run.notes]  # fmt: skip
        if not run.finished:
            caveats.append(ComparisonCaveat(code="unfinished-log", message=f"{run.place}."))
        trials = trials_of(run)
        chosen = self.reading.columns.dimensions
        if chosen:
            _check_chosen(run, chosen)
            trials = [
                structs.replace(
                    trial, dimensions={name: trial.dimensions.get(name) for name in chosen}
                )
                for trial in trials
            ]
        digests = [file.digest for file in run.files]
        return PathTrials(
            kind=f"log {run.harness}",
            digest=digests[0] if len(digests) == 1 else listing_digest("log", digests),
            trials=tuple(trials),
            side=None if by is None else known[by],
            task=run.task,
            lower=run.lower,
            described=described(run),
            place=run.place,
            caveats=tuple(caveats),
            where=self.reading.where,
        )

    def _folder(self, path: Path) -> PathTrials:
        chosen = self.reading.columns.dimensions
        trials: list[Trial] = []
        parts: list[bytes] = []
        implied = set()
        for name, folder in run_folders(path):
            self._once(folder)
            trial, data = read_run(
                folder, all_scores=self.all_scores, fixture_required=self.reading.fixture_required
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

    def _whole_only(self, place: str, hint: str = "Name the folders of each side.") -> None:
        """Refuse to split or filter inputs without columns."""
        if self.reading.by is not None or self.where is not None:
            raise SpecError(
                f"{place}: `by=` and `where=` are for files of trials, rows and logs", hint=hint
            )

    def _chosen(self, known: Mapping[str, str]) -> bool:
        return self.where is None or self.where.chooses(known)

    def _once(self, path: Path) -> None:
        """Note a run by its inode; refuse the same one again under any path."""
        with storage(path):
            known = path.stat()
        place = (known.st_dev, known.st_ino)
        if place in self.seen:
            other = "" if str(path) == self.seen[place] else f" is {self.seen[place]}"
            raise IncomparableRuns(
                f"the same run is given twice: {path}{other}",
                hint="Give each run once, on one side; a copy is not evidence.",
            )
        self.seen[place] = str(path)


def _check_chosen(run: LogRun, chosen: Sequence[str]) -> None:
    known = dict.fromkeys((*run.metrics, *(name for s in run.samples for name in s.costs)))
    for name in chosen:
        if name not in known:
            raise SpecError(f"{run.place}: no metric {name!r:.60}; there are {', '.join(known)}")
