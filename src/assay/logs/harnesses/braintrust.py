"""Logs of Braintrust: the results of an evaluation as JSON, and an experiment's spans as lines.

Results have a summary with the mean of every score over all rows that have it; trials are rows like
any other. The same input is the same instance, and its n-th row the n-th trial. A failed row has an
error and no scores, unless the evaluation was told to score it; a scorer without a score has a
null. A failed scorer is listed in `scorer_errors` and has no score; the other scores count.

In an experiment's spans a row is a root with its input, its output and its error. The scores are on
spans of type `score` below it, or on the root itself. Spans hold no means.

Neither names the model or the version that wrote it. The model is taken from language-model spans
outside the scorers, else from the name of the experiment.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from assay.errors import SpecError
from assay.logs.instance_names import TrialNumbers, instance_name
from assay.logs.lenient_json import decode
from assay.logs.log import LogRun, ReportedMean, Sample
from assay.logs.log_file import LogFile, number, text

_RESULT_KEYS = {"summary", "results"}
_SPAN_KEYS = {"span_id", "root_span_id", "span_attributes"}
_NAMES = ("experiment_name", "experimentName")
_PROJECTS = ("project_name", "projectName")
_UNNAMED = "experiment"


class _BraintrustRow(msgspec.Struct, frozen=True):
    input: Any = None
    output: Any = None
    expected: Any = None
    scores: dict[str, float | bool | None] | None = None
    metadata: Any = None
    error: Any = None


class _EvalResults(msgspec.Struct, frozen=True):
    summary: dict[str, Any]
    results: list[_BraintrustRow]


class _ExperimentSpan(_BraintrustRow, frozen=True, kw_only=True):
    span_id: str
    root_span_id: str
    span_parents: list[str] | None = None
    span_attributes: dict[str, Any] | None = None
    metrics: dict[str, Any] | None = None
    project_id: str | None = None

    @property
    def kind(self) -> object:
        return (self.span_attributes or {}).get("type")


def recognise(file: LogFile) -> bool:
    """Whether a file is the results of an evaluation, or the spans of an experiment."""
    if file.keys >= _SPAN_KEYS:
        return True
    if not file.keys >= _RESULT_KEYS:
        return False
    try:
        found = file.json
    except SpecError:
        return False
    summary = found.get("summary") if isinstance(found, dict) else None
    return (
        isinstance(summary, dict)
        and _either(summary, _NAMES) is not None
        and isinstance(summary.get("scores"), dict)
    )


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The one run of a log."""
    return [_experiment(file, texts) if file.keys >= _SPAN_KEYS else _results(file, texts)]


def _results(file: LogFile, texts: bool) -> LogRun:
    log = file.decoded(_EvalResults)
    numbers = TrialNumbers()
    means, notes = _means(log.summary)
    return LogRun(
        harness="Braintrust",
        task=_either(log.summary, _PROJECTS) or _UNNAMED,
        model=_either(log.summary, _NAMES),
        samples=tuple(_sample(row, row.scores or {}, {}, numbers, texts) for row in log.results),
        means=tuple(means),
        finished=bool(means),
        place=str(file),
        files=(file,),
        notes=tuple(notes),
    )


def _means(summary: Mapping[str, Any]) -> tuple[list[ReportedMean], list[str]]:
    means = []
    for name, entry in summary["scores"].items():
        value = number(entry.get("score")) if isinstance(entry, dict) else number(entry)
        if value is not None:
            means.append(ReportedMean(metric=name, value=value, over="rows"))
    return means, [] if means else ["the summary has no scores: no mean to compute again"]


def _sample(
    row: _BraintrustRow,
    scores: Mapping[str, float | bool | None],
    costs: Mapping[str, float],
    numbers: TrialNumbers,
    texts: bool,
) -> Sample:
    instance = instance_name(row.input, row.input)
    return Sample(
        instance=instance,
        trial=numbers.next(instance),
        scores={name: number(value) for name, value in scores.items()},
        failed=bool(row.error),
        costs=costs,
        question=text(row.input) if texts else None,
        response=text(row.output) if texts else None,
        target=text(row.expected) if texts else None,
    )


def _experiment(file: LogFile, texts: bool) -> LogRun:
    rows: dict[str, list[_ExperimentSpan]] = {}
    for span in _spans(file):
        rows.setdefault(span.root_span_id, []).append(span)
    numbers = TrialNumbers()
    samples, models = [], set()
    for name, spans in rows.items():
        root = _root(spans, f"{file}, row {name}")
        answering = _outside_scorers(spans)
        samples.append(_sample(root, _scores(root, spans), _costs(answering), numbers, texts))
        models |= {str(span.metadata["model"]) for span in answering if _has_model(span)}
    first = next(iter(rows.values()))[0]
    return LogRun(
        harness="Braintrust",
        task=first.project_id or _UNNAMED,
        model=", ".join(sorted(models)) or None,
        samples=tuple(samples),
        place=str(file),
        files=(file,),
        notes=("spans hold no mean to compute again",),
    )


def _spans(file: LogFile) -> Iterator[_ExperimentSpan]:
    if not file.is_lines:
        yield from file.decoded(list[_ExperimentSpan])
        return
    for where, line in file.raw_lines():
        yield decode(line, _ExperimentSpan, where=where)


def _root(spans: Sequence[_ExperimentSpan], where: str) -> _ExperimentSpan:
    roots = [span for span in spans if not span.span_parents]
    if len(roots) != 1:
        raise SpecError(
            f"{where}: {len(roots)} spans have no parent, expected 1",
            hint="Export the experiment again with all spans of every row.",
        )
    return roots[0]


def _scores(
    root: _ExperimentSpan, spans: Sequence[_ExperimentSpan]
) -> dict[str, float | bool | None]:
    scores = dict(root.scores or {})
    for span in spans:
        if span.kind == "score":
            scores |= span.scores or {}
    return scores


def _outside_scorers(spans: Sequence[_ExperimentSpan]) -> list[_ExperimentSpan]:
    """The spans that are neither a scorer nor below one."""
    children: dict[str, list[str]] = {}
    for span in spans:
        for parent in span.span_parents or ():
            children.setdefault(parent, []).append(span.span_id)
    ahead = [span.span_id for span in spans if span.kind == "score"]
    below = set(ahead)
    while ahead:
        more = set(children.get(ahead.pop(), ())) - below
        below |= more
        ahead += more
    return [span for span in spans if span.span_id not in below]


def _costs(spans: Sequence[_ExperimentSpan]) -> dict[str, float]:
    """The seconds of the task, and the tokens of its language models."""
    costs: dict[str, float] = {}
    for span in spans:
        metrics = span.metrics or {}
        start, end = number(metrics.get("start")), number(metrics.get("end"))
        if span.kind == "task" and start is not None and end is not None:
            costs["seconds"] = costs.get("seconds", 0.0) + end - start
        tokens = number(metrics.get("tokens"))
        if span.kind == "llm" and tokens is not None:
            costs["tokens"] = costs.get("tokens", 0.0) + tokens
    return costs


def _has_model(span: _ExperimentSpan) -> bool:
    return span.kind == "llm" and isinstance(span.metadata, dict) and "model" in span.metadata


def _either(summary: Mapping[str, Any], names: Sequence[str]) -> str | None:
    """A value under its key in the Python or in the JavaScript library."""
    return next((summary[n] for n in names if isinstance(summary.get(n), str)), None)
