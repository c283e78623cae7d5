"""One side of a comparison: its inputs by task, with repeated runs numbered and copies refused."""

import dataclasses
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

from msgspec import structs

from assay.comparison.sides.path_trials import PathTrials
from assay.errors import IncomparableRuns
from assay.logs.same_run import is_same_run
from assay.wording import some


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
