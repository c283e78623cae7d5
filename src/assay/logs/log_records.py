"""Read a log as records (question, response, label), or as the scores of a method.

The label of a record is its score under one metric, as the harness gave it: positive is 1, which
most metrics give to a right answer. Failed and unscored samples have no label. A record is named by
its instance, with its epoch if instances repeat and its model if a folder holds several.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from assay.digests import listing_digest
from assay.errors import SpecError
from assay.logs.format_table import read_log
from assay.logs.log import LogRun, Sample
from assay.logs.log_file import LogFile
from assay.tables.faults import Faults
from assay.tables.nested import PlacedRows, Row
from assay.wording import some

_BEGINNING = 1 << 12
_ONE_FORM = "Name one of the files. A harness may write one run in two forms."


@dataclass(frozen=True, kw_only=True)
class LogRecords:
    """The records of one task, the metric that labels them, and a description of the log."""

    place: str
    name: str
    digest: str
    metric: str
    labelled_by: str
    records: tuple[tuple[str, Row], ...]

    def rows(
        self,
        *,
        encoding: str | None = None,
        faults: Faults | None = None,  # noqa: ARG002 - the signature of a file's rows; a log was checked already
    ) -> PlacedRows:
        """Each record with its place."""
        if encoding is not None:
            raise SpecError(
                f"{self.place}: the encoding of a log is fixed",
                hint=f"Leave out `encoding={encoding}`.",
            )
        return iter(self.records)


def read_log_records(path: Path, *, label: str | None, task: str | None) -> LogRecords | None:
    """The records of a log or of a folder of logs; None if there is no log."""
    if not path.exists() or _has_own_labels(path):
        return None
    runs = read_log(path, texts=True)
    if not runs:
        return None
    runs = _of_one_task(path, runs, task)
    if not any(sample.question for run in runs for sample in run.samples):
        raise SpecError(
            f"{path}: this log of {runs[0].harness} holds no questions, so it has no records",
            hint="Compare it with another log: assay compare LOG LOG.",
        )
    metric = _label_metric(path, runs, label)
    named = sample_names(runs)
    repeats = len({sample.instance for _, _, sample in named}) < len(named)
    digests = [file.digest for run in runs for file in run.files]
    first = runs[0]
    version = "" if first.version is None else f" {first.version}"
    return LogRecords(
        place=str(path),
        name=path.resolve().name,
        digest=digests[0] if len(digests) == 1 else listing_digest("log", digests),
        metric=metric,
        labelled_by=f"{metric} of {first.harness}{version}, task {first.task}; 1 counts as"
        + (" wrong" if metric in first.lower else " right"),
        records=tuple(
            (f"{path}, sample {name}", _row(name, run, sample, metric, repeats, len(runs) > 1))
            for name, run, sample in named
        ),
    )


def sample_names(runs: Sequence[LogRun]) -> list[tuple[str, LogRun, Sample]]:
    """Every sample with its unique name; two samples of one name are refused."""
    listed = [(run, sample) for run in runs for sample in run.samples]
    repeats = any(len({s.instance for s in run.samples}) < len(run.samples) for run in runs)
    named: dict[str, tuple[str, LogRun, Sample]] = {}
    for run, sample in listed:
        name = sample.instance
        if repeats and sample.trial is not None:
            name += f", epoch {sample.trial}"
        if len(runs) > 1:
            name += f", {run.model}"
        if name in named:
            raise SpecError(
                f"{run.place}: two samples have the id {name!r:.120}; the other is in"
                f" {named[name][1].place}",
                hint=_ONE_FORM if len(runs) > 1 else None,
            )
        named[name] = (name, run, sample)
    return list(named.values())


def _row(
    name: str, run: LogRun, sample: Sample, metric: str, repeats: bool, several: bool
) -> dict[str, object]:
    """A record as a row with the default columns, its score as text."""
    value = _score(sample, metric)
    row: dict[str, object] = {
        "id": name,
        "question": sample.question,
        "response": sample.response,
        metric: None if value is None else f"{value:.15g}",
    }
    if sample.group is not None or repeats:
        row["group"] = sample.instance if sample.group is None else sample.group
    if several:
        row["source"] = run.model
    return row


def _has_own_labels(path: Path) -> bool:
    """Whether a file has a question and a label column, which no log has."""
    if not path.is_file():
        return False
    file = LogFile(path)
    if file.head[:1] in (b"{", b"["):
        return "question" in file.keys and bool({"label", "class"} & file.keys)
    line = file.head[:_BEGINNING].split(b"\n", 1)[0]
    return b"question" in line and (b"label" in line or b"class" in line)


def _of_one_task(path: Path, runs: Sequence[LogRun], task: str | None) -> list[LogRun]:
    known = list(dict.fromkeys(run.task for run in runs))
    if task is None and len(known) > 1:
        raise SpecError(
            f"{path}: expected runs of one task, got {len(known)}: {some(known)}",
            hint=f"Choose one: `split={known[0]}`.",
        )
    if task is not None and task not in known:
        raise SpecError(f"{path}: no run of task {task!r:.60}; the tasks are {some(known)}")
    return [run for run in runs if task in (None, run.task)]


def _label_metric(path: Path, runs: Sequence[LogRun], label: str | None) -> str:
    """The metric to use as label: the one named, or the only one that is 0 or 1."""
    known = _metrics(path, runs)
    if label is not None:
        return _known_metric(path, known, label)
    plain = [name for name in known if {*_values(runs, name)} <= {0.0, 1.0}]
    if len(plain) == 1:
        return plain[0]
    if plain:
        raise SpecError(
            f"{path}: {len(plain)} metrics are 0 or 1, expected one: {some(plain)}",
            hint=f"Which metric is the label? Name it: `label={plain[0]}`.",
        )
    others = [
        f"{name} ({next(x for x in _values(runs, name) if x not in (0.0, 1.0)):g})"
        for name in known
    ]
    raise SpecError(
        f"{path}: no metric of this log is always 0 or 1; the metrics are {some(others)}",
        hint=f"Name one, and its positive value: `label={known[0]}` `positive=VALUE`.",
    )


def _values(runs: Sequence[LogRun], metric: str) -> Iterator[float]:
    for run in runs:
        for sample in run.samples:
            if (value := _score(sample, metric)) is not None:
                yield value


def _metrics(path: Path, runs: Sequence[LogRun]) -> list[str]:
    known = list(dict.fromkeys(name for run in runs for name in run.metrics))
    if not known:
        raise SpecError(f"{path}: no sample in this log of {runs[0].harness} has a score")
    return known


def _known_metric(path: Path, known: Sequence[str], name: str) -> str:
    if name not in known:
        raise SpecError(
            f"{path}: no metric {name!r:.60} in this log; the metrics are {some(known)}"
        )
    return name


@dataclass(frozen=True, kw_only=True)
class LogScores:
    """A log as a method's scores: its run, the metric, and for each epoch a score by record."""

    run: LogRun
    metric: str
    by_epoch: tuple[dict[str, float], ...]


def read_log_scores(path: Path, *, ids: Collection[str], metric: str | None) -> LogScores | None:
    """The scores of a log for records with these ids; None if there is no log.

    If record ids are sample names, each record has one score; if they are instance names, each
    epoch gives one. `metric` may be left out if there is only one.
    """
    runs = read_log(path)
    if not runs:
        return None
    if len(runs) > 1:
        models = [f"{run.task}, {run.model}" for run in runs]
        raise SpecError(
            f"{path}: {len(runs)} runs, expected one: {some(models)}",
            hint="Name the log of one run.",
        )
    run, known = runs[0], _metrics(path, runs)
    if metric is None and len(known) > 1:
        raise SpecError(
            f"{path}: {len(known)} metrics, expected one: {some(known)}",
            hint=f"Which metric is the method's score? Name it: `score={known[0]}`.",
        )
    metric = _known_metric(path, known, metric or known[0])
    named = sample_names(runs)
    found = {name: sample for name, _, sample in named}
    if not found.keys() <= set(ids):
        _check_records(path, run, ids)
        return LogScores(run=run, metric=metric, by_epoch=_by_epoch(run, metric))
    values = ((name, _score(sample, metric)) for name, sample in found.items())
    one = {name: value for name, value in values if value is not None}
    return LogScores(run=run, metric=metric, by_epoch=(one,))


def _check_records(path: Path, run: LogRun, ids: Collection[str]) -> None:
    known = set(ids)
    strange = [sample.instance for sample in run.samples if sample.instance not in known]
    if strange:
        raise SpecError(
            f"{path}: sample {strange[0]!r:.60} is not in the benchmark",
            hint="Samples and records pair by id."
            " Audit the benchmark of this log, or the log itself.",
        )


def _by_epoch(run: LogRun, metric: str) -> tuple[dict[str, float], ...]:
    epochs: dict[str | None, dict[str, float]] = {}
    for sample in run.samples:
        scores = epochs.setdefault(sample.trial, {})
        value = _score(sample, metric)
        if value is not None:
            scores[sample.instance] = value
    return tuple(epochs.values())


def _score(sample: Sample, metric: str) -> float | None:
    return None if sample.failed else sample.scores.get(metric)
