"""The checker of an evaluation harness's log: a metric, its standard error, its interval."""

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from assay.claim_audit.checkers.checker import Args, Checker, text_arg
from assay.claim_audit.claim import Observed, Spread, Unverifiable
from assay.claim_audit.evidence import (
    MEMORY_OF_A_BYTE,
    MOST_TABLE_BYTES,
    EvidenceReader,
    NotThere,
)
from assay.errors import AssayError
from assay.logs.format_table import read_log
from assay.logs.log import LogRun, ReportedMean, ReportedValue
from assay.logs.means import mean_of

_MOST_SHOWN = 8


def _log_metric(args: Args, evidence: EvidenceReader) -> Observed:
    path, metric, level = text_arg(args, "path"), text_arg(args, "metric"), _level(args)
    task = args.get("task")
    every = _runs(path, evidence)
    runs = [run for run in every if task is None or run.task == task]
    found = list(_reported(runs, metric, level))
    told = "as reported"
    if not found:
        values = {one.name + one.task: one for run in every for one in run.reported}.values()
        asked = [one for one in values if task is None or one.task == task]
        found, told = list(_uncomputed(asked, metric, level)), "as reported, not computed again"
    if len(found) == 1:
        name, value, spread = found[0]
        return Observed(value=value, where=f"{path}: {name} {told}", spread=spread)
    means = [(run, mean_of(run.samples, metric, "items")) for run in runs if metric in run.metrics]
    if not found and len(means) == 1:
        return Observed(value=means[0][1], where=f"{path}: mean of {metric}")
    if not found and not means and any(metric in _short(run.not_computed) for run in runs):
        raise Unverifiable(f"{path}: {metric!r:.60} is reported, and cannot be computed again")
    if not found and not means:
        known = ", ".join(sorted(set(_known(runs)))[:_MOST_SHOWN])
        raise NotThere(f"{path} has no metric {metric!r:.60}; there are {known or 'none'}")
    several = sorted({name for name, _, _ in found})
    if len(several) > 1:
        raise Unverifiable(f"{path}: {metric} may be any of {', '.join(several)}: say which")
    raise Unverifiable(f"{path} has {metric} of several runs: say `task`")


def _runs(path: str, evidence: EvidenceReader) -> Sequence[LogRun]:
    size = _log_bytes(path, evidence)

    def read() -> Sequence[LogRun]:
        try:
            return read_log(evidence.path(path))
        except AssayError as error:
            raise Unverifiable(error.message) from None

    return evidence.once(("log", path), read, size=MEMORY_OF_A_BYTE * size)


def _level(args: Args) -> float | None:
    level = args.get("level")
    if level is None:
        return None
    if isinstance(level, bool) or not isinstance(level, (int, float)) or not 0 < level < 1:
        raise Unverifiable(f"level: expected a number between 0 and 1, got {level!r:.40}")
    return float(level)


def _reported(
    runs: Sequence[LogRun], metric: str, level: float | None
) -> Iterator[tuple[str, float, Spread | None]]:
    """The means and the standard errors that go by a name; of a mean, what surrounds it too."""
    for mean in (mean for run in runs for mean in run.means):
        if metric in _names(mean):
            ends = mean.interval
            spread = Spread(
                value=mean.value,
                errors=mean.errors,
                interval=None if ends is None else (ends.low, ends.high),
                level=None if ends is None else ends.level,
                asked=level,
            )
            yield mean.metric, mean.value, spread
        for name, value in mean.errors.items():
            if metric in (name, name.split(",")[0], f"{mean.metric}/{name}"):
                yield f"{name} of {mean.metric}", value, None


def _uncomputed(
    values: Iterable[ReportedValue], metric: str, level: float | None
) -> Iterator[tuple[str, float, Spread | None]]:
    """The values that no rows give, and their standard errors, which go by a name."""
    for one in values:
        spread = Spread(value=one.value, errors=one.errors, asked=level)
        if metric in (one.name, one.name.split(",")[0]):
            yield one.name, one.value, spread
        for name, value in one.errors.items():
            if metric in (name, name.split(",")[0]):
                yield f"{name} of {one.name}", value, None


def _short(names: Iterable[str]) -> set[str]:
    """Names of metrics, with and without what a harness adds to them."""
    return {form for name in names for form in (name, name.split(",")[0], name.split(" (")[0])}


def _names(mean: ReportedMean) -> set[str]:
    """The names that a reported mean goes by: its metric's, the harness's own, or both."""
    shown = mean.shown or mean.metric
    return {mean.metric, mean.metric.split(",")[0], shown, f"{mean.metric}/{shown}"}


def _known(runs: Sequence[LogRun]) -> Iterator[str]:
    """The metrics of some runs, by the names that the harness shows."""
    for run in runs:
        shown = {mean.metric: mean.shown or mean.metric for mean in run.means}
        yield from (shown.get(name, name) for name in run.metrics)
        yield from (name for mean in run.means for name in mean.errors)
        yield from (one.name for one in run.reported if one.task == run.task)


def _log_bytes(path: str, evidence: EvidenceReader) -> int:
    """The bytes of a log, all of which must be below the root."""
    place = evidence.path(path)
    if not place.exists():
        raise NotThere(f"there is no {path}")
    if not place.is_dir():
        return evidence.file(path, MOST_TABLE_BYTES).stat().st_size

    def add_up() -> int:
        size = 0
        for folder, folders, names in os.walk(place):
            for name in (*folders, *names):
                inner = Path(folder, name).relative_to(evidence.root).as_posix()
                evidence.path(inner)  # refuses a link that leads out
                size += evidence.size(inner) if name in names else 0
        if size > MOST_TABLE_BYTES:
            raise Unverifiable(f"{path}: more than {MOST_TABLE_BYTES:,} bytes, which are not read")
        return size

    return evidence.once(("log bytes", path), add_up)


LOG_METRIC = Checker(
    name="log_metric_equals",
    about="a metric of an evaluation harness's log, its standard error, or both",
    observe=_log_metric,
    required=("path", "metric"),
    optional=("task", "level"),
    value="value",
    spreads=True,
)
