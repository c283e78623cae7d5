"""Logs of lm-evaluation-harness: `samples_TASK_TIME.jsonl`, with `results_TIME.json` beside them.

A line is a document under one filter. There are no failed samples: a metric that could not be
computed is missing from its line. Repeats are answers inside one line, with one score. Reported
means are over the lines of a filter that have the metric. Metrics with another aggregation
(Matthews' correlation, perplexities) have line values that are not scores.

Documents pair by the hashes of the document and its target, else by number.
Old versions name neither filter nor metrics; then every number of a line is a metric.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from assay.digests import digest
from assay.errors import SpecError, storage
from assay.logs.log import NOT_COMPUTED, LogRun, ReportedMean, ReportedValue, Sample
from assay.logs.log_file import LogFile, fingerprint, number, numbers, table_in, text

_KEYS = {"doc_id", "doc", "target", "resps", "filtered_resps"}
_OWN = _KEYS | {
    *("arguments", "filter", "metrics", "doc_hash", "prompt_hash", "target_hash", "schema"),
}
_IDENTITY = ("doc_id", "doc_hash", "target_hash")
_SAMPLES, _RESULTS = "samples_", "results_"
_NO_FILTER = "none"
_MODEL_ARGS = ("pretrained", "model", "path", "base_url")


def recognise(file: LogFile) -> bool:
    """Whether the lines of a file are samples."""
    return file.is_lines and file.keys >= _KEYS


def heads(file: LogFile) -> list[LogFile]:
    """The files of samples that belong to a file of results."""
    if not {"results", "configs", "versions"} <= file.keys:
        return []
    time = file.path.stem.removeprefix(_RESULTS)
    with storage(file.path):
        beside = sorted(file.path.parent.glob(f"{_SAMPLES}*.jsonl"))
    found = [LogFile(path) for path in beside if path.stem.endswith(time)]
    if not found and "lm_eval_version" in file.keys:
        raise SpecError(
            f"{file}: results without samples",
            hint="Run lm_eval with samples logged, and name the folder it wrote.",
        )
    return found


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The run of one task."""
    lines = None if texts else _quick_lines(file)
    if lines is None:
        lines = list(_whole_lines(file, texts=texts))
    beside = _results_file(file.path)
    results = {} if beside is None else beside.table_of("lm-evaluation-harness")
    task = _task(file.path, results)
    filters = list(dict.fromkeys(line.filter for line in lines))
    samples = tuple(_samples(lines, filters))
    config = table_in(results, "configs", task)
    metrics = dict.fromkeys(name for sample in samples for name in sample.scores)
    means, unchecked = _means(table_in(results, "results", task), config, filters, metrics)
    notes = [] if results else ["no results beside the samples: no mean to compute again"]
    if unchecked:
        notes.append(f"{NOT_COMPUTED}{', '.join(unchecked)}")
    better = table_in(results, "higher_is_better", task)
    lower = frozenset(name for name in metrics if better.get(name.split(",")[0]) is False)
    return [
        LogRun(
            harness="lm-evaluation-harness",
            version=_said(results.get("lm_eval_version")),
            task=task,
            model=_model(results) or file.path.parent.name,
            settings=_settings(results, task, lines),
            scorer=fingerprint([config.get("metric_list"), config.get("process_results")])
            if config
            else None,
            samples=samples,
            means=tuple(means),
            reported=(*_values(results, "results", task, unchecked), *_group_values(results)),
            lower=lower,
            planned=_planned(results, task),
            place=str(file),
            files=(file, *([] if beside is None else [beside])),
            notes=tuple(notes),
        )
    ]


class _ScoredDocument(msgspec.Struct, frozen=True, gc=False):
    """A document under one filter.

    `document` identifies it within its run, `name` across runs. `content` is the whole line if
    texts were requested, else empty.
    """

    where: str
    document: str
    name: str
    filter: str
    prompt: object
    scores: Mapping[str, float | None]
    content: Mapping[str, Any]


def _whole_lines(file: LogFile, *, texts: bool) -> Iterator[_ScoredDocument]:
    for where, found in file.lines():
        if not isinstance(found, dict):
            raise SpecError(f"{where}: expected a sample of lm-evaluation-harness")
        document, name = _identity(*(found.get(key) for key in _IDENTITY))
        yield _ScoredDocument(
            where,
            document,
            name,
            str(found.get("filter", _NO_FILTER)),
            found.get("prompt_hash"),
            _scores((metric, found[metric]) for metric in _named_metrics(found)),
            found if texts else {},
        )


def _quick_lines(file: LogFile) -> list[_ScoredDocument] | None:
    """The lines without their texts; None if one lists other metrics than the first."""
    listed = file.first_object.get("metrics")
    if not isinstance(listed, list) or not {*map(type, listed)} <= {str}:
        return None
    names = (*_IDENTITY, "filter", "prompt_hash", "metrics", *listed)
    if len({*names}) < len(names):
        return None
    lines = []
    for where, fields in file.fields(names):
        if fields[5] != listed:
            return None
        document, name = _identity(*fields[:3])
        values = zip(listed, fields[6:], strict=True)
        own = _NO_FILTER if fields[3] is UNSET else str(fields[3])
        lines.append(_ScoredDocument(where, document, name, own, fields[4], _scores(values), {}))
    return lines


def _identity(number: object, content: object, target: object) -> tuple[str, str]:
    """A key of the document within its run, and its identity across runs."""
    document = str(number)
    if isinstance(content, str):
        return document, f"{content[:12]}-{str(target)[:8]}"
    return document, f"doc {document}"


def _scores(values: Iterable[tuple[str, object]]) -> dict[str, float | None]:
    return {
        metric: number(value)
        for metric, value in values
        if not isinstance(value, (list, str, dict, UnsetType))
    }


def _named_metrics(line: Mapping[str, Any]) -> list[str]:
    named = line.get("metrics")
    if isinstance(named, list):
        return [name for name in map(str, named) if name in line]
    return [name for name in line if name not in _OWN and number(line[name]) is not None]


def _samples(lines: Sequence[_ScoredDocument], filters: Sequence[str]) -> Iterator[Sample]:
    """One sample a document, with the metrics of every filter."""
    documents: dict[tuple[str, str], dict[str, _ScoredDocument]] = {}
    for line in lines:
        known = documents.setdefault((line.document, line.name), {})
        first = known.setdefault(line.filter, line)
        if first is not line:
            raise SpecError(
                f"{line.where}: document {line.document:.60} with filter {line.filter!r:.60} is"
                f" also on {first.where.rpartition(', ')[2]}",
                hint="Expected one line for each document and filter. Were two runs joined?",
            )
    copies: Counter[str] = Counter()
    for (_, name), own in documents.items():
        copies[name] += 1
        first = next(iter(own.values()))
        content = first.content
        yield Sample(
            instance=name if copies[name] == 1 else f"{name}#{copies[name]}",
            scores=first.scores if filters == [_NO_FILTER] else _by_filter(own),
            question=_question(content),
            response=text(_first(content.get("resps"))),
            target=text(content.get("target")),
        )


def _by_filter(own: Mapping[str, _ScoredDocument]) -> dict[str, float | None]:
    return {
        f"{metric},{name}": value
        for name, line in own.items()
        for metric, value in line.scores.items()
    }


def _means(
    reported: Mapping[str, Any],
    config: Mapping[str, Any],
    filters: Sequence[str],
    metrics: Collection[str],
) -> tuple[list[ReportedMean], list[str]]:
    """The reported means, and the metrics with another or an unknown aggregation."""
    listed = config.get("metric_list")
    aggregation = {
        str(entry.get("metric")): entry.get("aggregation", "mean")
        for entry in (listed if isinstance(listed, list) else ())
        if isinstance(entry, dict)
    }
    means, unchecked = [], []
    for name, value in reported.items():
        metric, _, own = name.partition(",")
        if metric.endswith("_stderr") or not own or number(value) is None:
            continue
        key = metric if list(filters) == [_NO_FILTER] else name
        if aggregation.get(metric) == "mean" and key in metrics:
            error = f"{metric}_stderr,{own}"
            means.append(
                ReportedMean(
                    metric=key,
                    value=float(value),
                    over="rows",
                    shown=name,
                    errors=numbers({error: reported.get(error)}),
                )
            )
        else:
            unchecked.append(name)
    return means, unchecked


def _values(
    results: Mapping[str, Any], table: str, task: str, names: Iterable[str]
) -> Iterator[ReportedValue]:
    """Values that a file of results states of a task, each with its standard error."""
    own = table_in(results, table, task)
    for name in names:
        metric, _, by = name.partition(",")
        error = f"{metric}_stderr,{by}"
        errors = numbers({error: own.get(error)})
        yield ReportedValue(task=task, name=name, value=float(own[name]), errors=errors)


def _group_values(results: Mapping[str, Any]) -> Iterator[ReportedValue]:
    """The means over groups of tasks, which have no samples of their own."""
    for group, own in table_in(results, "groups").items():
        if isinstance(own, dict):
            kept = [name for name in own if "," in name and number(own[name]) is not None]
            named = [name for name in kept if not name.split(",")[0].endswith("_stderr")]
            yield from _values(results, "groups", str(group), named)


def _results_file(path: Path) -> LogFile | None:
    """The results file of a file of samples: the one of the same time, or the only one.

    A task's name may hold underscores; the time has none.
    """
    time = path.stem.rsplit("_", 1)[-1]
    named = path.parent / f"{_RESULTS}{time}.json"
    with storage(path):
        if named.is_file():
            return LogFile(named)
        others = sorted(path.parent.glob(f"{_RESULTS}*.json"))
    return LogFile(others[0]) if len(others) == 1 else None


def _task(path: Path, results: Mapping[str, Any]) -> str:
    """The task of a file of samples, from its name, which is the task and a time."""
    named = path.stem.removeprefix(_SAMPLES)
    known = [task for task in results.get("results", {}) if named.startswith(f"{task}_")]
    return max(known, key=len) if known else named.rsplit("_", 1)[0]


def _planned(results: Mapping[str, Any], task: str) -> int | None:
    """The expected number of documents: all, or a limit."""
    counts = table_in(results, "n-samples", task)
    original, limit = counts.get("original"), table_in(results, "config").get("limit")
    if not isinstance(original, int) or limit is not None:
        return None
    return original


def _model(results: Mapping[str, Any]) -> str | None:
    return _said(results.get("model_name")) or _said(table_in(results, "config").get("model"))


def _settings(
    results: Mapping[str, Any], task: str, lines: Sequence[_ScoredDocument]
) -> dict[str, str]:
    config = table_in(results, "config")
    settings = {
        "task version": _said(table_in(results, "versions").get(task)),
        "shots": _said(table_in(results, "n-shot").get(task)),
        "backend": _said(results.get("model_source", config.get("model"))),
        "generate config": fingerprint(config["gen_kwargs"]) if config.get("gen_kwargs") else None,
        "chat template": _said(results.get("chat_template_sha")),
        "system instruction": _said(results.get("system_instruction_sha")),
    }
    arguments = config.get("model_args")
    if isinstance(arguments, dict):
        others = {key: arguments[key] for key in arguments if key not in _MODEL_ARGS}
        settings["model args"] = fingerprint(others) if others else None
    prompts = sorted({line.prompt for line in lines if isinstance(line.prompt, str)})
    if prompts:
        settings["prompts"] = digest("\n".join(prompts).encode()).removeprefix("sha256:")[:12]
    return {name: value for name, value in settings.items() if value is not None}


def _said(value: object) -> str | None:
    return None if value is None else str(value)


def _question(line: Mapping[str, Any]) -> str | None:
    """The prompt of a document, or the document's own question."""
    arguments = line.get("arguments")
    if isinstance(arguments, dict):
        first: Any = next(iter(arguments.values()), None)
        prompt = first.get("arg_0") if isinstance(first, dict) else None
        if isinstance(prompt, str):
            return prompt
    document = line.get("doc")
    return text(document.get("question")) if isinstance(document, dict) else None


def _first(value: object) -> object:
    while isinstance(value, list) and value:
        value = value[0]
    return value
