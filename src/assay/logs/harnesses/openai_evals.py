"""Logs of OpenAI evals: one `.jsonl` of the spec, the events of samples, and a final report.

A sample's id is the name of the eval, its split and a row number. Its scores are in events: `match`
says whether it was correct, `metrics` has numbers by name. A failed sample has an event `error`; an
unscored one has no event with a score. A crashed run has no final report, and no trace of the
sample that crashed it.

The report may be on any line. `accuracy` is the mean of the matches, and the name of a metric its
mean; other values (standard errors, counts) are not checked. A sample that is scored several times
has several trials. The log does not name the version that wrote it.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePosixPath
from typing import Any

import msgspec

from assay.errors import SpecError
from assay.logs.instance_names import shown
from assay.logs.lenient_json import decode
from assay.logs.log import LogRun, ReportedMean, Sample
from assay.logs.log_file import LogFile, fingerprint, number, numbers, text

_MATCH, _METRICS, _SAMPLING, _ERROR = "match", "metrics", "sampling", "error"
_ACCURACY = "accuracy"
_ERRORS = ("boostrap_std", "bootstrap_std")
"""The standard error of the accuracy; the first is how the harness spells it."""
_DATA = "samples_jsonl"


class _EvalsLine(msgspec.Struct, frozen=True):
    spec: dict[str, Any] | None = None
    final_report: dict[str, Any] | None = None
    sample_id: str | int | None = None
    type: str | None = None
    data: Any = None


class _SampleEvents(msgspec.Struct, kw_only=True):
    """The events of one sample, in order."""

    scores: dict[str, list[float | None]] = msgspec.field(default_factory=dict)
    failed: bool = False
    tokens: float = 0.0
    prompt: Any = None
    sampled: Any = None
    expected: Any = None


def recognise(file: LogFile) -> bool:
    """Whether the first line of a file is the spec of an eval."""
    if not file.is_lines or "spec" not in file.keys:
        return False
    _, first = next(file.lines())
    spec = first["spec"]
    return isinstance(spec, dict) and "eval_name" in spec and "run_config" in spec


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The one run of a log."""
    spec: Mapping[str, Any] = {}
    report: Mapping[str, Any] | None = None
    found: dict[str, _SampleEvents] = {}
    for where, raw in file.raw_lines():
        line = decode(raw, _EvalsLine, where=where)
        if line.spec is not None:
            spec = line.spec
        elif line.final_report is not None:
            report = line.final_report
        elif line.sample_id is not None:
            _take(line, found.setdefault(str(line.sample_id), _SampleEvents()), where)
    samples = tuple(
        sample for name, events in found.items() for sample in _samples(name, events, texts=texts)
    )
    means, unchecked = _means(report or {}, samples)
    notes = [f"not computed again: {', '.join(unchecked)}"] if unchecked else []
    if report is None:
        notes.append("no final report: the run did not finish")
    config = _table(spec, "run_config")
    return [
        LogRun(
            harness="OpenAI evals",
            task=str(spec.get("eval_name")),
            model=_model(spec),
            settings=_settings(config),
            scorer=_scorer(_table(config, "eval_spec")),
            samples=samples,
            means=tuple(means),
            finished=report is not None,
            place=str(file),
            files=(file,),
            notes=tuple(notes),
        )
    ]


def _take(line: _EvalsLine, events: _SampleEvents, where: str) -> None:
    """Add one event to its sample."""
    data = line.data if isinstance(line.data, dict) else {}
    if line.type == _ERROR:
        events.failed = True
    elif line.type == _MATCH:
        correct = data.get("correct")
        if not isinstance(correct, (bool, int, float)):
            raise SpecError(f"{where}: `correct` is {correct!r:.60}, expected true or false")
        events.scores.setdefault(_MATCH, []).append(number(correct))
        events.expected = data.get("expected")
    elif line.type == _METRICS:
        for name, value in data.items():
            if isinstance(value, (bool, int, float)):
                own = f"{_METRICS}.{name}" if name == _MATCH else name
                events.scores.setdefault(own, []).append(number(value))
    elif line.type == _SAMPLING:
        usage = _table(data, "usage")
        events.tokens += number(usage.get("total_tokens")) or 0.0
        events.prompt, events.sampled = data.get("prompt"), data.get("sampled")


def _samples(name: str, events: _SampleEvents, *, texts: bool) -> Iterator[Sample]:
    """One sample for each scoring; an unscored sample if there was none."""
    trials = max((len(values) for values in events.scores.values()), default=1)
    for trial in range(trials):
        yield Sample(
            instance=name,
            trial=str(trial + 1),
            scores={
                metric: values[trial]
                for metric, values in events.scores.items()
                if trial < len(values)
            },
            failed=events.failed,
            costs={"tokens": events.tokens} if events.tokens else {},
            question=text(events.prompt) if texts else None,
            response=text(events.sampled) if texts else None,
            target=text(events.expected) if texts else None,
        )


def _means(
    report: Mapping[str, Any], samples: Sequence[Sample]
) -> tuple[list[ReportedMean], list[str]]:
    known = {name for sample in samples for name in sample.scores}
    means, unchecked = [], []
    for name, value in report.items():
        metric = _MATCH if name == _ACCURACY and name not in known else name
        reported = number(value)
        if metric in known and reported is not None:
            own = {key: report.get(key) for key in _ERRORS} if name == _ACCURACY else {}
            errors = numbers(own)
            means.append(ReportedMean(metric=metric, value=reported, over="rows", errors=errors))
        else:
            unchecked.append(name)
    return means, unchecked


def _model(spec: Mapping[str, Any]) -> str | None:
    """The completion functions; old versions name a model."""
    named = spec.get("completion_fns") or spec.get("model_name") or spec.get("model_names")
    if isinstance(named, dict):
        named = named.get("completions")
    if isinstance(named, list):
        return ", ".join(map(str, named)) or None
    return None if named is None else str(named)


def _settings(config: Mapping[str, Any]) -> dict[str, str]:
    """The seed, the limit, and the arguments; of a path of data only its last part."""
    arguments = _table(_table(config, "eval_spec"), "args")
    settings = {f"args.{name}": shown(value) for name, value in arguments.items() if name != _DATA}
    if isinstance(arguments.get(_DATA), str):
        settings["data"] = PurePosixPath(arguments[_DATA].replace("\\", "/")).name
    for name in ("seed", "max_samples"):
        if config.get(name) is not None:
            settings[name] = shown(config[name])
    return settings


def _scorer(eval_spec: Mapping[str, Any]) -> str | None:
    made_by = eval_spec.get("cls")
    if made_by is None:
        return None
    arguments = {k: v for k, v in _table(eval_spec, "args").items() if k != _DATA}
    return f"{made_by} @ {fingerprint([made_by, arguments])}"


def _table(found: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = found.get(name)
    return value if isinstance(value, dict) else {}
