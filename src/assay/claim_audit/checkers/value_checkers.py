"""Checkers of values: in JSON, over the rows of a table, from a harness's log, in a test report."""

import os
from pathlib import Path
from typing import Any

from assay.claim_audit.checkers.aggregates import aggregate
from assay.claim_audit.checkers.checker import Args, Checker, text_arg
from assay.claim_audit.checkers.junit import OUTCOMES, outcomes_of
from assay.claim_audit.checkers.key_path import value_at
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import (
    MEMORY_OF_A_BYTE,
    MOST_TABLE_BYTES,
    EvidenceReader,
    NotThere,
)
from assay.errors import AssayError
from assay.logs.format_table import read_log
from assay.logs.log import ReportedMean
from assay.logs.means import mean_of

_MOST_SHOWN = 8


def _json_value(args: Args, evidence: EvidenceReader) -> Observed:
    path, key = text_arg(args, "path"), text_arg(args, "key_path")
    value = value_at(evidence.json(path), key, path)
    exact = isinstance(value, str) and "version" in key.lower()
    return Observed(value=value, where=f"{path}: {key}", exact=exact)


def _log_metric(args: Args, evidence: EvidenceReader) -> Observed:
    path, metric = text_arg(args, "path"), text_arg(args, "metric")

    size = _log_bytes(path, evidence)

    def read() -> Any:  # noqa: ANN401 - the runs of a log
        try:
            return read_log(evidence.path(path))
        except AssayError as error:
            raise Unverifiable(error.message) from None

    runs = evidence.once(("log", path), read, size=MEMORY_OF_A_BYTE * size)
    task = args.get("task")
    runs = [run for run in runs if task is None or run.task == task]
    found = [mean for run in runs for mean in run.means if metric in _names(mean)]
    if len(found) == 1:
        return Observed(value=found[0].value, where=f"{path}: {found[0].metric} as reported")
    means = [(run, mean_of(run.samples, metric, "items")) for run in runs if metric in run.metrics]
    if not found and len(means) == 1:
        return Observed(value=means[0][1], where=f"{path}: mean of {metric}")
    known = ", ".join(sorted({name for run in runs for name in run.metrics})[:_MOST_SHOWN])
    if not found and not means:
        raise NotThere(f"{path} has no metric {metric!r:.60}; there are {known or 'none'}")
    several = ", ".join(sorted({mean.metric for mean in found}))
    if len({mean.metric for mean in found}) > 1:
        raise Unverifiable(f"{path}: {metric} may be any of {several}: say which")
    raise Unverifiable(f"{path} has {metric} of several runs: say `task`")


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


def _names(mean: ReportedMean) -> set[str]:
    """The names that a reported mean goes by: its metric's, the harness's own, or both."""
    shown = mean.shown or mean.metric
    return {mean.metric, mean.metric.split(",")[0], shown, f"{mean.metric}/{shown}"}


def _junit(args: Args, evidence: EvidenceReader) -> Observed:
    path = text_arg(args, "path")
    if "test" in args and "outcome" in args:
        raise Unverifiable(
            "say `test`, whose outcome is the value, or `outcome`, to count: not both"
        )
    test = text_arg(args, "test") if "test" in args else None
    outcome = args.get("outcome", "passed")
    if outcome not in (*OUTCOMES, "all"):
        known = ", ".join((*OUTCOMES, "all"))
        raise Unverifiable(f"outcome {outcome!r:.40}: expected one of {known}")
    outcomes = evidence.once(("junit", path), lambda: outcomes_of(evidence.data(path), path),
                             size=MEMORY_OF_A_BYTE * evidence.size(path))  # fmt: skip
    if test is None:
        chosen = [one for _, one in outcomes if outcome in (one, "all")]
        return Observed(value=len(chosen), where=f"{path}: {outcome}")
    found = {one for name, one in outcomes if name == test or name.endswith(f"::{test}")}
    if not found:
        raise NotThere(f"{path} has no test {test!r:.80}")
    if len(found) > 1:
        several = ", ".join(sorted(found))
        raise Unverifiable(f"{path}: several tests are called {test!r:.80}: {several}")
    return Observed(value=found.pop(), where=f"{path}: {test}")


CHECKERS = (
    Checker(
        name="json_path_equals",
        about="a value in a JSON file",
        observe=_json_value,
        required=("path", "key_path"),
        value="expected",
    ),
    Checker(
        name="aggregate_equals",
        about="a statistic over the rows of a CSV, JSONL or Parquet file",
        observe=aggregate,
        required=("path", "statistic"),
        optional=("column", "where", "of"),
        value="value",
    ),
    Checker(
        name="log_metric_equals",
        about="a metric of an evaluation harness's log",
        observe=_log_metric,
        required=("path", "metric"),
        optional=("task",),
        value="value",
    ),
    Checker(
        name="junit_equals",
        about="how many tests of a JUnit report have an outcome, or the outcome of one",
        observe=_junit,
        required=("path",),
        optional=("outcome", "test"),
        value="value",
    ),
)
