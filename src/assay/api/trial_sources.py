"""The sources of a side of a comparison: paths, rows, a frame, or trials."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, overload

import msgspec

from assay.api.arguments import words
from assay.api.sides.texts import check_not_words, check_texts, path_of
from assay.api.sides.vectors import plain_scores, vector_of
from assay.comparison.collect import Request, sides_from
from assay.comparison.sides.path_trials import PathTrials
from assay.comparison.sides.reader import SideReading, SideSource
from assay.comparison.sides.side import Side
from assay.digests import digest
from assay.errors import AssayError, IncomparableRuns, SpecError
from assay.logs.trial import Trial
from assay.logs.trial_rows import TrialColumns
from assay.result import Viewed
from assay.runs.result import Run
from assay.study.scorecards.in_force import scorecard_in_force
from assay.tables.in_memory.arrays import has_columns, shape_of
from assay.tables.in_memory.table import table_in_memory
from assay.wording import counted, some


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class TrialSet(Viewed, Sequence[Trial]):
    """Trials that were read, and what they were read from: a side that `compare` takes."""

    side: Side

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Every trial, in the order in which it was read."""
        return tuple(trial for read in self.side.reads for trial in read.trials)

    def __len__(self) -> int:
        return sum(len(read.trials) for read in self.side.reads)

    @overload
    def __getitem__(self, index: int) -> Trial: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Trial]: ...
    def __getitem__(self, index: int | slice) -> Trial | Sequence[Trial]:
        return self.trials[index]

    def to_dict(self) -> dict[str, Any]:
        """The trials, and the digest of each source that they were read from."""
        return {
            "sources": [{"kind": read.kind, "digest": read.digest} for read in self.side.reads],
            "trials": msgspec.to_builtins(self.trials),
        }

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each trial, a column for each dimension."""
        return [
            {
                "instance": trial.instance,
                "trial": trial.trial,
                **({"status": "crashed"} if trial.crashed else {}),
                **trial.dimensions,
                **{f"harness.{name}": value for name, value in trial.harness.items()},
            }
            for trial in self.trials
        ]

    def lines(self) -> list[str]:
        """How many trials of how many instances, and what was measured."""
        trials = self.trials
        instances = len({trial.instance for trial in trials})
        names = list(dict.fromkeys(name for trial in trials for name in trial.dimensions))
        crashed = sum(trial.crashed for trial in trials)
        said = [f"{counted(len(trials), 'trial')} of {counted(instances, 'instance')}"]
        said += [f"dimensions: {some(names)}"] if names else []
        said += [f"{counted(crashed, 'run')} crashed"] if crashed else []
        tasks = [task for task in self.side.tasks if task is not None]
        return [*said, *([f"tasks: {some(tasks)}"] if tasks else [])]


def columns_of(
    instance: str | None,
    trial: str | None,
    dimension: str | Sequence[str],
    encoding: str | None,
    split: str | None,
) -> TrialColumns:
    """Which column is what."""
    named = {"instance": instance, "trial": trial}
    return TrialColumns(
        **{name: value for name, value in named.items() if value is not None},
        dimensions=words(dimension),
        encoding=encoding,
        split=split,
    )


def sources_of(given: object, name: str, *, split: str | None = None) -> list[SideSource]:
    """The source of one side; `name` is its parameter."""
    if isinstance(given, (str, Path)):
        return [path_of(given, name)]
    if isinstance(given, TrialSet):
        return list(given.side.reads)
    if isinstance(given, Run):
        raise SpecError(
            f"{name} is a Run, which holds outputs and no scores",
            hint="Judge it as it is made, and name its folder: assay try METHOD `save=DIR`",
        )
    if isinstance(given, (list, tuple)) and given:
        if all(isinstance(each, (str, Path)) for each in given):
            check_not_words(given, name)
            return [path_of(each, name) for each in given]
        if all(isinstance(each, Trial) for each in given):
            return [_in_memory(given)]
        if all(isinstance(each, TrialSet) for each in given):
            return [read for each in given for read in each.side.reads]
    if vector_of(given) is not None:
        raise SpecError(
            f"{name}: plain scores, without the items that they are of",
            hint="Two lists of scores of the same items pair: `assay.compare([0, 1], [1, 1])`."
            ' Rows name the items: [{"instance": "q1", "score": 1}, ...].',
        )
    shape = "x".join(map(str, shape_of(given)))
    if "x" in shape and not has_columns(given):
        raise SpecError(
            f"{name}: got {type(given).__name__} of shape {shape}, expected one score an item",
            hint="Choose a column, such as array[:, 0]. If two columns are the sides:"
            " assay.compare(array[:, 0], array[:, 1])",
        )
    try:
        table = table_in_memory(given, split=split)
    except AssayError as error:
        hint = error.hint
        if "holds no rows" in error.message:
            hint = f"{hint} Plain scores are a list, an array or a Series of numbers."
        raise type(error)(f"{name}: {error.message}", hint=hint) from None
    return [replace(table, place=f"the {table.name} of {name}")]


def _in_memory(trials: Sequence[Trial]) -> PathTrials:
    name = digest(b"".join(msgspec.json.encode(trial) + b"\n" for trial in trials))
    return PathTrials(kind="trials", digest=name, trials=tuple(trials), each=(name,))


def named_sides(
    sides: Sequence[object],
    columns: TrialColumns,
    planned: Sequence[str] = (),
    names: Sequence[str] = (),
) -> list[tuple[str, list[SideSource]]]:
    """Each side by its given name; else paths by their last parts, others by their position.

    `planned` are the dimensions of a plan.
    """
    given = list(names)
    names = given or ["baseline", "candidate", *(f"candidate {n}" for n in range(2, len(sides)))]
    for number, side in enumerate(sides):
        if not isinstance(side, (str, Path)) and any(side is other for other in sides[:number]):
            raise IncomparableRuns(
                f"the same {type(side).__name__} is given twice: as {names[number]} too",
                hint="Give each run once, on one side; a copy is not evidence.",
            )
    check_texts(sides)
    scores = plain_scores(sides, names, columns, planned)
    if scores is not None:
        return [(name, [read]) for name, read in zip(names, scores, strict=False)]
    sources = [
        sources_of(side, name, split=columns.split)
        for side, name in zip(sides, names, strict=False)
    ]
    if not given and all(isinstance(side, (str, Path)) for side in sides):
        names = _short_names([Path(str(side)) for side in sides])
    return list(zip(names, sources, strict=False))


def _short_names(paths: Sequence[Path]) -> list[str]:
    """The names of the sides: as many last parts of their paths as make them distinct."""
    for parts in range(1, max(len(path.parts) for path in paths) + 1):
        names = ["/".join(path.parts[-parts:]) for path in paths]
        if len(set(names)) == len(names):
            return names
    return [str(path) for path in paths]


def load_trials(
    *sources: object,
    instance: str | None = None,
    trial: str | None = None,
    dimension: str | Sequence[str] = (),
    where: str | None = None,
    task: str | None = None,
    encoding: str | None = None,
    split: str | None = None,
) -> TrialSet:
    """Read trials, for `compare` and to look at.

    Each source is a log of an evaluation harness or a folder of logs, a file of trials
    (`instance`, `trial`, one column a dimension), a folder of scored runs, a stored run that was
    judged, a list of dictionaries, or a frame. Scores are read, never computed.

    Args:
        *sources: one or several; all of them together are one side.
        instance: the column that names a row's instance. Default: `instance`.
        trial: the column that numbers repeated runs of an instance. Default: `trial`.
        dimension: read only this column, or these.
        where: read only rows or logs such as `condition == "x"`.
        task: read only runs of this task, if logs hold several.
        encoding: the encoding of a file, if not UTF-8.
        split: the split to read, if a folder has several.

    Example:
        >>> import assay
        >>> rows = [{"instance": f"q{n}", "correct": n % 2} for n in range(6)]
        >>> trials = assay.load_trials(rows)
        >>> len(trials), trials[1].dimensions
        (6, {'correct': 1.0})
        >>> print(trials)
        6 trials of 6 instances
        dimensions: correct

    """
    if not sources:
        raise SpecError("no sources: load_trials() takes a path, rows, a frame or trials")
    read = [each for source in sources for each in sources_of(source, "sources", split=split)]
    reading = SideReading(
        columns=columns_of(instance, trial, dimension, encoding, split),
        where=where,
        in_study=scorecard_in_force,
    )
    [side] = sides_from([("trials", read)], Request(plan=None, policies={}, reading=reading))
    if task is not None:
        if task not in side.tasks:
            known = some([str(each) for each in side.tasks])
            raise SpecError(f"no run of a task {task!r:.60}; there are {known}")
        side = replace(side, reads=tuple(each for each in side.reads if each.task == task))
    return TrialSet(side=side)
