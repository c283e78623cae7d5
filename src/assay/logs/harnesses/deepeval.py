"""Logs of deepeval: `test_run_TIME.json`.

A test case has data for every metric. A failed metric has an error and no score, one without a
score has neither; the other scores count. A case failed if a metric failed and none has a score.
The reported scores of a metric are a list without both kinds, so its positions are not those of the
cases; its mean is over the cases that have a score.

Cases pair by name. A name given by position (`test_case_0`) does not identify the case, which then
pairs by its input and expected output. Old versions call the data of a metric `metricsMetadata`,
and its name `metric`. The log does not name the version that wrote it.
"""

import re
from collections.abc import Sequence
from typing import Any

import msgspec

from assay.errors import SpecError
from assay.logs.instance_names import TrialNumbers, instance_name, shown
from assay.logs.lenient_json import Count
from assay.logs.log import LogRun, ReportedMean, Sample
from assay.logs.log_file import LogFile, fingerprint, number, text
from assay.logs.means import mean_of

_KEYS = {"testCases", "metricsScores"}
_BY_POSITION = re.compile(r"(conversational_)?test_case_\d+\Z")
_UNNAMED = "test run"


class _MetricData(msgspec.Struct, frozen=True, rename="camel"):
    name: str | None = None
    metric: str | None = None
    score: float | None = None
    success: bool | None = None
    error: Any = None
    threshold: float | None = None
    strict_mode: bool | None = None
    evaluation_model: str | None = None

    @property
    def own_name(self) -> str:
        return self.name or self.metric or ""


class _TestCase(msgspec.Struct, frozen=True, rename="camel"):
    name: str | None = None
    input: Any = None
    actual_output: Any = None
    expected_output: Any = None
    scenario: Any = None
    expected_outcome: Any = None
    turns: Any = None
    metrics_data: list[_MetricData] | None = None
    metrics_metadata: list[_MetricData] | None = None
    completion_time: float | None = None

    @property
    def metrics(self) -> list[_MetricData]:
        return self.metrics_data or self.metrics_metadata or []


class _MetricScores(msgspec.Struct, frozen=True):
    metric: str
    scores: list[float | None] = []
    passes: Count = 0
    fails: Count = 0
    errors: Count = 0


class _TestRun(msgspec.Struct, frozen=True, rename="camel"):
    test_cases: list[_TestCase] = []
    conversational_test_cases: list[_TestCase] = []
    metrics_scores: list[_MetricScores] = []
    trace_metrics_scores: Any = None
    hyperparameters: dict[str, Any] | None = None
    prompts: Any = None
    dataset_alias: str | None = None
    test_file: str | None = None


def recognise(file: LogFile) -> bool:
    """Whether a file is a test run: by the keys of its object."""
    return file.keys >= _KEYS


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The one run of a log."""
    log = file.decoded(_TestRun)
    cases = [*log.test_cases, *log.conversational_test_cases]
    numbers = TrialNumbers()
    samples = tuple(
        _sample(case, numbers, f"{file}, test case {position}", texts=texts)
        for position, case in enumerate(cases)
    )
    of_spans = _span_metrics(log.trace_metrics_scores)
    means, unchecked = _means(log.metrics_scores, of_spans)
    notes = [f"not computed again: {', '.join(unchecked)}"] if unchecked else []
    finished = bool(log.metrics_scores)
    if not finished:
        notes.append("no scores of metrics: the run did not finish")
    counted = [s for s in log.metrics_scores if s.metric not in of_spans]
    return [
        LogRun(
            harness="deepeval",
            task=log.dataset_alias or log.test_file or _UNNAMED,
            model=_model(log.hyperparameters or {}),
            settings=_settings(log),
            scorer=_scorer(cases),
            samples=samples,
            means=tuple(means),
            planned=max((s.passes + s.fails + s.errors for s in counted), default=None),
            finished=finished,
            place=str(file),
            files=(file,),
            notes=tuple(notes),
        )
    ]


def _sample(case: _TestCase, numbers: TrialNumbers, where: str, *, texts: bool) -> Sample:
    scores: dict[str, float | None] = {}
    for metric in case.metrics:
        if metric.own_name in scores:
            raise SpecError(
                f"{where}: two metrics are named {metric.own_name!r:.80}",
                hint="Give each metric its own name and run it again.",
            )
        scores[metric.own_name] = None if metric.success is None else number(metric.score)
    instance = _instance(case, where)
    return Sample(
        instance=instance,
        trial=numbers.next(instance),
        scores=scores,
        failed=any(metric.error for metric in case.metrics)
        and all(score is None for score in scores.values()),
        costs={} if case.completion_time is None else {"seconds": case.completion_time},
        question=_said(case.input, case.scenario) if texts else None,
        response=_said(case.actual_output, _last(case.turns)) if texts else None,
        target=_said(case.expected_output, case.expected_outcome) if texts else None,
    )


def _instance(case: _TestCase, where: str) -> str:
    if case.name and not _BY_POSITION.match(case.name):
        return case.name
    label = case.scenario if case.input is None else case.input
    if label is None:
        if case.name:
            return case.name
        raise SpecError(f"{where}: neither a name nor an input")
    return instance_name(label, [label, case.expected_output, case.expected_outcome])


def _means(
    reported: Sequence[_MetricScores], of_spans: set[str]
) -> tuple[list[ReportedMean], list[str]]:
    """The means of the listed scores, and the metrics that also include spans."""
    means, unchecked = [], []
    for listed in reported:
        values = [value for value in map(number, listed.scores) if value is not None]
        rows = [Sample(instance="", scores={listed.metric: value}) for value in values]
        mean = mean_of(rows, listed.metric, "rows")
        if mean is None:
            continue
        if listed.metric in of_spans:
            unchecked.append(f"{listed.metric} (also of spans)")
        else:
            means.append(ReportedMean(metric=listed.metric, value=mean, over="rows"))
    return means, unchecked


def _span_metrics(listed: object) -> set[str]:
    """The metrics of spans in a trace, whose scores are listed together with those of the cases."""
    found: set[str] = set()
    for spans in listed.values() if isinstance(listed, dict) else ():
        for metrics in spans.values() if isinstance(spans, dict) else ():
            found |= set(metrics) if isinstance(metrics, dict) else set()
    return found


def _model(hyperparameters: dict[str, Any]) -> str | None:
    return next((str(v) for name, v in hyperparameters.items() if name.lower() == "model"), None)


def _settings(log: _TestRun) -> dict[str, str]:
    settings = {
        name: shown(value)
        for name, value in (log.hyperparameters or {}).items()
        if name.lower() != "model"
    }
    if log.prompts:
        settings["prompts"] = fingerprint(log.prompts)
    return settings


def _scorer(cases: Sequence[_TestCase]) -> str | None:
    kinds = {
        m.own_name: [m.own_name, m.threshold, m.strict_mode, m.evaluation_model]
        for case in cases
        for m in case.metrics
    }
    if not kinds:
        return None
    return f"{', '.join(sorted(kinds))} @ {fingerprint([kinds[name] for name in sorted(kinds)])}"


def _said(value: object, otherwise: object) -> str | None:
    return text(otherwise if value is None else value)


def _last(turns: object) -> object:
    return turns[-1] if isinstance(turns, list) and turns else None
