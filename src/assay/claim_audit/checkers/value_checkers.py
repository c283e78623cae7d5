"""Checkers of values: in JSON, over the rows of a table, from a harness's log, in a test report."""

import math
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from assay.benchmark.expression import parse_expression
from assay.claim_audit.agreement import number_of
from assay.claim_audit.checkers.checker import Args, Checker, text_arg
from assay.claim_audit.claim import Observed, Unverifiable
from assay.claim_audit.evidence import EvidenceReader, NotThere
from assay.errors import AssayError
from assay.logs.format_table import read_log
from assay.logs.means import mean_of
from assay.tables.nested import as_word
from assay.tables.source import read_table

_STEP = re.compile(r"[^.\[\]]+|\[(?:-?\d+|[A-Za-z_]\w*=[^\]]+)\]")
_MOST_SHOWN = 8


def _json_value(args: Args, evidence: EvidenceReader) -> Observed:
    path, key = text_arg(args, "path"), text_arg(args, "key_path")
    return Observed(value=value_at(evidence.json(path), key, path), where=f"{path}: {key}")


def value_at(value: Any, key_path: str, where: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    """The value at `a.b[0].c`, or `rows[id=q7].score`, inside a JSON value."""
    key_path = key_path.removeprefix("$").removeprefix(".")
    for step in _STEP.findall(key_path):
        value = _inner(value, step, where)
    return value


def _inner(value: Any, step: str, where: str) -> Any:  # noqa: ANN401 - JSON is any of six types
    name = step[1:-1] if step.startswith("[") else step
    if isinstance(value, Mapping):
        if name in value:
            return value[name]
        known = ", ".join(list(map(str, value))[:_MOST_SHOWN])
        raise NotThere(f"{where} has no {name!r:.60}; there are {known}")
    if isinstance(value, Sequence) and not isinstance(value, str):
        field, sign, wanted = name.partition("=")
        if sign:
            rows = [row for row in value if isinstance(row, Mapping) and field in row]
            found = [row for row in rows if as_word(row[field]) == wanted]
            if len(found) == 1:
                return found[0]
            raise NotThere(f"{where} has {len(found)} elements with {name:.60}")
        if re.fullmatch(r"-?\d{1,9}", name) and -len(value) <= int(name) < len(value):
            return value[int(name)]
        raise NotThere(f"{where} has no element {name:.60} among {len(value)}")
    raise NotThere(f"{where}: no keys or elements in {value!r:.40}")


def _aggregate(args: Args, evidence: EvidenceReader) -> Observed:
    path, what = text_arg(args, "path"), text_arg(args, "statistic")
    rows = _rows(path, evidence)
    where = args.get("where")
    if where is not None:
        rows = _kept(rows, str(where), path)
    if what == "count":
        return Observed(value=len(rows), where=f"{path}, {len(rows):,} rows")
    if what == "share":
        chosen = _kept(rows, text_arg(args, "of"), path)
        if not rows:
            raise NotThere(f"{path} has no rows, so there is no share")
        share = len(chosen) / len(rows)
        return Observed(value=share, where=f"{path}, {len(chosen):,} of {len(rows):,} rows")
    column = text_arg(args, "column")
    if what == "distinct":
        return Observed(value=len({as_word(row.get(column)) for row in rows}), where=path)
    numbers = _numbers(rows, column, path)
    if what not in _STATISTICS:
        known = ", ".join((*_STATISTICS, "count", "distinct", "share"))
        raise Unverifiable(f"statistic {what!r:.40}: expected one of {known}")
    return Observed(value=_STATISTICS[what](numbers), where=f"{path}, {len(numbers):,} rows")


def _rows(path: str, evidence: EvidenceReader) -> list[Mapping[str, Any]]:
    def read() -> list[Mapping[str, Any]]:
        evidence.data(path)  # says so where there is none
        try:
            return [row for _, row in read_table(evidence.path(path)).rows()]
        except AssayError as error:
            raise Unverifiable(error.message) from None

    return evidence.once(("rows", path), read)


def _kept(rows: Sequence[Mapping[str, Any]], text: str, path: str) -> list[Mapping[str, Any]]:
    """The rows for which an expression holds."""
    try:
        expression = parse_expression(text, fields=None)
    except AssayError as error:
        raise Unverifiable(error.message) from None
    for field in expression.fields:
        if rows and not any(field in row for row in rows):
            raise NotThere(f"{path} has no column {field!r:.60}")
    return [
        row
        for row in rows
        if expression.holds({field: as_word(row.get(field)) for field in expression.fields})
    ]


def _numbers(rows: Sequence[Mapping[str, Any]], column: str, path: str) -> list[float]:
    if not any(column in row for row in rows):
        known = ", ".join(list(rows[0])[:_MOST_SHOWN]) if rows else "no rows"
        raise NotThere(f"{path} has no column {column!r:.60}; there are {known}")
    cells = [row.get(column) for row in rows]
    numbers = [
        number_of(int(cell) if isinstance(cell, bool) else cell)
        for cell in cells
        if cell not in (None, "")
    ]
    if any(number is None for number in numbers):
        raise Unverifiable(f"{path}: column {column!r:.60} has a value that is not a number")
    if not numbers:
        raise NotThere(f"{path}: column {column!r:.60} is empty")
    return [float(number) for number in numbers if number is not None]


def _median(numbers: Sequence[float]) -> float:
    ordered, middle = sorted(numbers), len(numbers) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2.0


_STATISTICS: Mapping[str, Callable[[Sequence[float]], float]] = {
    "mean": lambda numbers: math.fsum(numbers) / len(numbers),
    "sum": math.fsum,
    "min": min,
    "max": max,
    "median": _median,
}


def _log_metric(args: Args, evidence: EvidenceReader) -> Observed:
    path, metric = text_arg(args, "path"), text_arg(args, "metric")

    def read() -> Any:  # noqa: ANN401 - the runs of a log
        if not evidence.path(path).exists():
            raise NotThere(f"there is no {path}")
        try:
            return read_log(evidence.path(path))
        except AssayError as error:
            raise Unverifiable(error.message) from None

    runs = evidence.once(("log", path), read)
    task = args.get("task")
    runs = [run for run in runs if task is None or run.task == task]
    found = [(run, mean) for run in runs for mean in run.means if mean.metric == metric]
    if len(found) == 1:
        return Observed(value=found[0][1].value, where=f"{path}: {metric} as reported")
    means = [(run, mean_of(run.samples, metric, "items")) for run in runs if metric in run.metrics]
    if not found and len(means) == 1:
        return Observed(value=means[0][1], where=f"{path}: mean of {metric}")
    known = ", ".join(sorted({name for run in runs for name in run.metrics})[:_MOST_SHOWN])
    if not found and not means:
        raise NotThere(f"{path} has no metric {metric!r:.60}; there are {known or 'none'}")
    raise Unverifiable(f"{path} has {metric} of several runs: name one with `task`")


def _junit(args: Args, evidence: EvidenceReader) -> Observed:
    from assay.claim_audit.checkers.junit import outcomes_of

    path, outcome = text_arg(args, "path"), args.get("outcome", "passed")
    outcomes = evidence.once(("junit", path), lambda: outcomes_of(evidence.data(path), path))
    test = args.get("test")
    if test is not None:
        found = [one for name, one in outcomes if name == test or name.endswith(f"::{test}")]
        if not found:
            raise NotThere(f"{path} has no test {test!r:.80}")
        return Observed(value=found[0], where=f"{path}: {test}")
    if outcome == "all":
        return Observed(value=len(outcomes), where=path)
    return Observed(value=sum(one == outcome for _, one in outcomes), where=f"{path}: {outcome}")


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
        observe=_aggregate,
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
        about="the number of tests of a JUnit report with an outcome, or the outcome of one test",
        observe=_junit,
        required=("path",),
        optional=("outcome", "test"),
        value="value",
    ),
)
