"""Reads the sources of a side, each run once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import structs

from assay.comparison.result import ComparisonCaveat
from assay.comparison.sides.path_trials import PathTrials
from assay.comparison.stored_run import ScorecardReader, is_stored_run, read_stored_run
from assay.comparison.where import WhereFilter
from assay.digests import digest, listing_digest
from assay.errors import AssayError, IncomparableRuns, SpecError, storage
from assay.files import names_beside
from assay.logs.eval_folder import SCORES, digest_of, has_runs, read_run, run_folders
from assay.logs.format_table import FORMATS, read_log
from assay.logs.log import LogRun
from assay.logs.log_trials import described, harness_of_run, trials_of
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns, read_rows, splitting_columns
from assay.tables.shards import holds_rows
from assay.tables.source import STANDARD_INPUT, TableSource, read_table
from assay.wording import counted, did_you_mean, some


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


class SideReader:
    """Reads paths, each run once."""

    def __init__(self, reading: SideReading) -> None:
        self.reading = reading
        self.all_scores = reading.all_scores or bool(reading.columns.dimensions)
        self.where = None if reading.where is None else WhereFilter(reading.where)
        self.seen: dict[tuple[int, int], str] = {}
        self.has_columns = False

    def refuse_unused(self) -> None:
        """Refuse the name of a column if nothing that was read has columns."""
        given, usual = self.reading.columns, TrialColumns()
        unused = [
            f"`{word}={getattr(given, word):.60}`"
            for word in ("instance", "trial")
            if getattr(given, word) != getattr(usual, word)
        ]
        if unused and not self.has_columns:
            raise SpecError(
                f"{' and '.join(unused)}: no side is a file of trials, rows or a frame, so there is"
                " no such column",
                hint="Leave it out: logs and trials name their instances and repeats themselves."
                " Name the columns of rows where they are read.",
            )

    def read(self, source: SideSource) -> list[PathTrials]:
        """The trials of one source, by task and by side."""
        if isinstance(source, PathTrials):
            self._whole_only("trials in memory", hint="Split or filter them yourself.")
            self.has_columns |= source.has_levels
            place = source.place or "trials in memory"
            return [replace(source, trials=tuple(self._chosen_only(source.trials, place)))]
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
        self.has_columns = True
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
        trials = self._chosen_only(trials_of(run), run.place, also=run.metrics)
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
        trials: list[Trial] = []
        parts: list[bytes] = []
        implied = set()
        for name, folder in run_folders(path):
            self._once(folder)
            trial, data = read_run(
                folder, all_scores=self.all_scores, fixture_required=self.reading.fixture_required
            )
            if trial.trial is None:
                implied.add(len(trials))
                trial = structs.replace(trial, trial=name)
            trials.append(trial)
            parts.append(data)
        return PathTrials(
            kind="eval-folder",
            digest=digest_of(parts),
            trials=tuple(self._chosen_only(trials, str(path))),
            each=tuple(map(digest, parts)),
            source=not self.reading.columns.dimensions,
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

    def _chosen_only(
        self, trials: Sequence[Trial], place: str, *, also: Sequence[str] = ()
    ) -> Sequence[Trial]:
        """The trials with the named dimensions alone; refuses a name that no trial has."""
        chosen = self.reading.columns.dimensions
        if not chosen:
            return trials
        known = dict.fromkeys((*also, *(name for each in trials for name in each.dimensions)))
        for name in chosen:
            if name not in known:
                raise SpecError(
                    f"{place}: no metric {name!r:.60}; there are {some(list(known), 12)}",
                    hint=did_you_mean(name, known, most=1, parameter="dimension"),
                )
        return [
            structs.replace(each, dimensions={name: each.dimensions.get(name) for name in chosen})
            for each in trials
        ]

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
