"""Logs of MLflow: traces of `genai.evaluate` with their run, and tables of `models.evaluate`.

A trace (a line of `*traces.jsonl`) holds its scores as assessments; later notes by people are not
scores of the run. A failed trace has the state ERROR, but it was scored, and its scores count in
the mean. A failed scorer leaves an assessment without a value. Yes and no are 1 and 0. The run
(`*run.json`) with the means is found by its id. Traces pair by their inputs.

A table (`eval_results_table.json`) has no failures and no means; its scores are columns
`NAME/score`. Its rows pair by their `id`, else by their inputs.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.errors import SpecError, storage
from assay.logs.instance_names import asked, named, numbered
from assay.logs.lenient_json import decode, loads
from assay.logs.log import LogRun, ReportedMean, Sample
from assay.logs.log_file import LogFile, canonical, fingerprint, number
from assay.wording import counted

_RUN, _INPUTS = "mlflow.sourceRun", "mlflow.traceInputs"
_SCORED_BY, _DIGEST = "mlflow.assessment.sourceRunId", "mlflow.assessment.scorerDigest"
_SCHEMA, _TOKENS = "mlflow.trace_schema.version", "mlflow.trace.tokenUsage"
_KNOWN_SCHEMAS = ("None", "2", "3")
_SCORE, _MEAN = "/score", "/mean"
_INPUT_COLUMNS = ("inputs", "input", "question", "query", "prompt", "messages")
_OUTPUT_COLUMNS = ("predictions", "prediction", "outputs", "output", "response", "answer")
_TARGET_COLUMNS = ("ground_truth", "targets", "target", "expected_response", "label")


class _TraceAssessment(msgspec.Struct, frozen=True):
    assessment_name: str = ""
    source: dict[str, Any] = {}
    feedback: dict[str, Any] | None = None
    expectation: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    valid: bool | None = None


class _TraceInfo(msgspec.Struct, frozen=True):
    trace_id: str
    state: str | None = None
    status: str | None = None
    request_time: Any = None
    trace_metadata: dict[str, Any] = {}
    assessments: list[_TraceAssessment] = []
    execution_duration_ms: float | None = None


class _TraceData(msgspec.Struct, frozen=True):
    spans: list[dict[str, Any]] = []


class _Trace(msgspec.Struct, frozen=True):
    info: _TraceInfo
    data: _TraceData = _TraceData()


class _ResultsTable(msgspec.Struct, frozen=True):
    columns: list[str]
    data: list[list[Any]]


class _TableColumns(msgspec.Struct, frozen=True):
    columns: list[str]


def recognise(file: LogFile) -> bool:
    """Whether lines are traces with assessments, or a table has columns of scores."""
    try:
        if {"info", "data"} <= file.keys and file.is_lines:
            first = next(file.raw_lines())[1]
            return bool(decode(first, _Trace, where=str(file)).info.trace_metadata)
        if file.keys in ({"columns", "data"}, {"columns", "data", "index"}):
            columns = decode(file.data, _TableColumns, where=str(file)).columns
            return any(name.endswith(_SCORE) for name in columns)
    except (SpecError, UnicodeError):
        return False
    return False


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """Each run whose traces are in a file, or the one run of a table."""
    if "columns" in file.keys:
        return [_table_run(file, file.decoded(_ResultsTable), texts=texts)]
    runs: dict[str, list[tuple[str, _Trace]]] = {}
    for where, line in file.raw_lines():
        trace = decode(line, _Trace, where=where)
        runs.setdefault(str(trace.info.trace_metadata.get(_RUN)), []).append((where, trace))
    return [_run(file, name, traces, texts=texts) for name, traces in runs.items()]


def _run(file: LogFile, run_id: str, traces: list[tuple[str, _Trace]], *, texts: bool) -> LogRun:
    traces.sort(key=lambda pair: str(pair[1].info.request_time))
    names = [named(_inputs(trace, where)) for where, trace in traces]
    samples = tuple(
        _sample(trace, name, trial, run_id, texts=texts)
        for (_, trace), name, trial in zip(traces, names, numbered(names), strict=True)
    )
    found = _stored_run(file, run_id)
    stored = {} if found is None else found[1]
    known = {name for sample in samples for name in sample.scores}
    means, unchecked = _means(stored.get("metrics"), known)
    notes = [] if found else ["no run beside the traces: no mean to compute again"]
    if unchecked:
        notes.append(f"not computed again: {', '.join(unchecked)}")
    schemas = {str(trace.info.trace_metadata.get(_SCHEMA)) for _, trace in traces}
    notes += [f"trace schema {it} is unknown" for it in schemas if it not in _KNOWN_SCHEMAS]
    parameters = stored.get("params")
    parameters = parameters if isinstance(parameters, dict) else {}
    return LogRun(
        harness="MLflow",
        task="genai.evaluate",
        model=_model(parameters, stored),
        settings={
            str(name): str(value)
            for name, value in parameters.items()
            if not any(word in name.lower() for word in ("model", "name", "time", "date", "_id"))
        },
        scorer=_scorer([trace for _, trace in traces], run_id),
        samples=samples,
        means=tuple(means),
        place=str(file),
        files=(file, *([] if found is None else [found[0]])),
        notes=tuple(notes),
    )


def _inputs(trace: _Trace, where: str) -> object:
    """The inputs of a trace: complete in the first span, perhaps shortened in the metadata."""
    for span in trace.data.spans:
        attributes = span.get("attributes")
        if not span.get("parent_span_id") and isinstance(attributes, dict):
            return _parsed(attributes.get("mlflow.spanInputs"), where)
    return _parsed(trace.info.trace_metadata.get(_INPUTS), where)


def _parsed(value: object, where: str) -> object:
    """A value stored as JSON text; any other text unchanged."""
    if value is None:
        raise SpecError(f"{where}: the trace has no inputs, which are needed to pair it")
    return _loaded(value)


def _loaded(value: object) -> object:
    if not isinstance(value, str):
        return value
    try:
        return loads(value.encode("utf-8", "backslashreplace"), where="")
    except SpecError:
        return value


def _sample(trace: _Trace, name: str, trial: str | None, run_id: str, *, texts: bool) -> Sample:
    info = trace.info
    expected = next((it.expectation for it in info.assessments if it.expectation), None)
    outputs = info.trace_metadata.get("mlflow.traceOutputs")
    return Sample(
        instance=name,
        trial=trial,
        scores={
            it.assessment_name: _value((it.feedback or {}).get("value"))
            for it in _scores(trace, run_id)
        },
        failed=(info.state or info.status) == "ERROR",
        costs=_costs(info),
        question=asked(_inputs(trace, name)) if texts else None,
        response=asked(_loaded(outputs)) if texts and outputs else None,
        target=asked(expected.get("value")) if texts and expected else None,
    )


def _scores(trace: _Trace, run_id: str) -> Iterator[_TraceAssessment]:
    """The assessments made by the run, without later additions and replacements."""
    for it in trace.info.assessments:
        scored_by = (it.metadata or {}).get(_SCORED_BY)
        if it.feedback is None or it.valid is False or scored_by not in (None, run_id):
            continue
        if scored_by is not None or it.source.get("source_type") != "HUMAN":
            yield it


def _value(value: object) -> float | None:
    if isinstance(value, str):
        return {"yes": 1.0, "no": 0.0}.get(value.lower())
    return number(value)


def _costs(info: _TraceInfo) -> dict[str, float]:
    costs = {}
    usage = _loaded(info.trace_metadata.get(_TOKENS))
    tokens = number(usage.get("total_tokens")) if isinstance(usage, dict) else None
    if tokens is not None:
        costs["tokens"] = tokens
    if info.execution_duration_ms is not None:
        costs["seconds"] = info.execution_duration_ms / 1000
    return costs


def _stored_run(file: LogFile, run_id: str) -> tuple[LogFile, Mapping[str, Any]] | None:
    """The run with this id, from a file beside the traces."""
    with storage(file.path):
        paths = sorted(file.path.parent.glob("*run*.json"))
    for path in paths:
        beside = LogFile(path)
        if not ({"run_id", "metrics"} <= beside.keys or {"info", "data"} <= beside.keys):
            continue
        found = _flat(beside)
        if found.get("run_id") == run_id:
            return beside, found
    return None


def _flat(file: LogFile) -> Mapping[str, Any]:
    """A run as one flat object; MLflow's own form nests `info` and `data`."""
    try:
        found = file.json
    except SpecError:
        return {}
    if not isinstance(found, dict):
        return {}
    info, data = found.get("info"), found.get("data")
    return {**data, **info} if isinstance(info, dict) and isinstance(data, dict) else found


def _means(metrics: object, known: set[str]) -> tuple[list[ReportedMean], list[str]]:
    """The means of a run, and its other metrics, such as maxima and percentiles."""
    means, unchecked = [], []
    for name, value in (metrics if isinstance(metrics, dict) else {}).items():
        metric, reported = name.removesuffix(_MEAN), number(value)
        if name.endswith(_MEAN) and metric in known and reported is not None:
            means.append(ReportedMean(metric=metric, value=reported, over="rows"))
        else:
            unchecked.append(name)
    return means, unchecked


def _model(parameters: Mapping[str, Any], stored: Mapping[str, Any]) -> str | None:
    names = (parameters.get("model"), parameters.get("model_name"), stored.get("run_name"))
    return next((str(name) for name in names if name is not None), None)


def _scorer(traces: Sequence[_Trace], run_id: str) -> str | None:
    made = {
        (it.assessment_name, str((it.metadata or {}).get(_DIGEST)), canonical(it.source))
        for trace in traces
        for it in _scores(trace, run_id)
    }
    if not made:
        return None
    return f"{', '.join(sorted({name for name, *_ in made}))} @ {fingerprint(sorted(made))}"


def _table_run(file: LogFile, table: _ResultsTable, *, texts: bool) -> LogRun:
    rows = [_row(table.columns, cells, f"{file}, row {at}") for at, cells in enumerate(table.data)]
    key = _key(table.columns, rows)
    names = [named(row[key[0]] if len(key) == 1 else [row[name] for name in key]) for row in rows]
    metrics = [name for name in table.columns if name.endswith(_SCORE)]
    samples = tuple(
        Sample(
            instance=name,
            trial=trial,
            scores={metric.removesuffix(_SCORE): number(row[metric]) for metric in metrics},
            costs=_table_costs(row),
            question=asked(_picked(row, _INPUT_COLUMNS)) if texts else None,
            response=asked(_picked(row, _OUTPUT_COLUMNS)) if texts else None,
            target=asked(_picked(row, _TARGET_COLUMNS)) if texts else None,
        )
        for row, name, trial in zip(rows, names, numbered(names), strict=True)
    )
    return LogRun(
        harness="MLflow",
        task="models.evaluate",
        scorer=", ".join(metric.removesuffix(_SCORE) for metric in metrics),
        samples=samples,
        place=str(file),
        files=(file,),
        notes=("a table holds no mean to compute again, and no failures",),
    )


def _row(columns: Sequence[str], cells: Sequence[Any], where: str) -> dict[str, Any]:
    if len(cells) != len(columns):
        raise SpecError(
            f"{where}: {counted(len(cells), 'cell')}, expected {len(columns)} as in `columns`"
        )
    return dict(zip(columns, cells, strict=True))


def _key(columns: Sequence[str], rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """The columns that identify the item of a row."""
    if "id" in columns and len({canonical(row["id"]) for row in rows}) == len(rows):
        return ["id"]
    inputs = [name for name in _INPUT_COLUMNS if name in columns]
    if inputs:
        return inputs[:1]
    others = [name for name in columns if name not in _OUTPUT_COLUMNS and "/" not in name]
    others = [name for name in others if name not in ("latency", "token_count")]
    if not others:
        raise SpecError(
            "the MLflow table has no column of inputs, which are needed to pair its rows"
        )
    return others


def _picked(row: Mapping[str, Any], names: Sequence[str]) -> object:
    return next((row[name] for name in names if name in row), None)


def _table_costs(row: Mapping[str, Any]) -> dict[str, float]:
    found = {"seconds": number(row.get("latency")), "tokens": number(row.get("token_count"))}
    return {name: value for name, value in found.items() if value is not None}
