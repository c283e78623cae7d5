"""Logs in the form of Every Eval Ever: `UUID_samples.jsonl`, with `UUID.json` of results beside it.

A line is one sample under one result, named by `evaluation_result_id`. The form requires a score on
every line, so an unscored line has 0 or any other value and names no result; it failed if `error`
is set. A score on a failed line counts if the line names its result. Older lines (0.2.1 and before)
never name one: their metric is the evaluation.

Results do not say whether they are means or over what: samples and lines are both tried, and a
result without lines, or known not to be a mean, is not checked. The converters keep repeats as
`epoch` in the metadata.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.errors import SpecError
from assay.logs.harnesses.every_eval_ever.form import (
    FINISHED,
    KNOWN_VERSIONS,
    MEAN_OVER,
    PLANNED,
    SAMPLES,
    UNREPORTED,
    UNSCORED,
    AggregateResults,
    MetricResult,
    SampleLine,
)
from assay.logs.lenient_json import decode, loads
from assay.logs.log import LogRun, Over, ReportedInterval, ReportedMean, Sample
from assay.logs.log_file import LogFile, canonical, fingerprint, number, numbers, table_in, text
from assay.logs.means import is_equal, mean_of

_KEYS = {"evaluation_id", "evaluation_name", "sample_id", "interaction_type", "evaluation"}
_AGGREGATE = {"schema_version", "evaluation_id", "evaluation_results", "model_info"}
_NO_MEANS = (
    "perplexity bits_per_byte mcc matthews f1 bleu chrf ter elo auroc rmse rank std stderr var"
    " correlation percentile median pass_at pass@"
).split()


def recognise(file: LogFile) -> bool:
    """Whether the lines of a file are samples."""
    return file.is_lines and file.keys >= _KEYS


def heads(file: LogFile) -> list[LogFile]:
    """The file of samples that belongs to a file of results."""
    if not file.keys >= _AGGREGATE:
        return []
    found = file.beside(f"{file.path.stem}{SAMPLES}.jsonl")
    if found is None:
        raise SpecError(
            f"{file}: results without samples",
            hint=f"Put {file.path.stem}{SAMPLES}.jsonl beside it.",
        )
    return [found]


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The one run of a file of samples."""
    lines = [decode(line, SampleLine, where=where) for where, line in file.raw_lines()]
    beside = file.beside(f"{file.path.stem.removesuffix(SAMPLES)}.json")
    results = None if beside is None else beside.decoded(AggregateResults)
    if results is not None and any(it.evaluation_id != results.evaluation_id for it in lines):
        raise SpecError(f"{file}: the samples are not of evaluation {results.evaluation_id!r:.80}")
    listed = [] if results is None else results.evaluation_results
    named = any(it.evaluation_result_id for it in lines) or any(
        it.evaluation_result_id for it in listed
    )
    samples = tuple(_samples(lines, named=named, texts=texts))
    means, unchecked = _means(listed, samples)
    notes = _notes(file, lines, results)
    if unchecked:
        notes.append(f"not computed again: {', '.join(unchecked)}")
    details = _details({} if results is None else results.source_metadata)
    model = None if results is None else results.model_info.get("id")
    return [
        LogRun(
            harness="Every Eval Ever",
            version=lines[0].schema_version if lines else None,
            task=_task(listed) or lines[0].evaluation_name,
            model=str(model) if model else lines[0].model_id,
            settings={} if results is None else _settings(results),
            scorer=_scorer(listed),
            samples=samples,
            means=tuple(means),
            lower=frozenset(it.metric for it in listed if it.metric_config.lower_is_better),
            planned=_planned(details, len(samples), len(lines), results),
            finished=details.get(FINISHED) != "false",
            place=str(file),
            files=(file, *([] if beside is None else [beside])),
            notes=tuple(notes),
        )
    ]


def _task(results: Sequence[MetricResult]) -> str:
    """The datasets of all results; of many only the first and the number of others."""
    names = list(dict.fromkeys(str(it.source_data.get("dataset_name")) for it in results))
    return ", ".join(names) if len(names) < 4 else f"{names[0]} and {len(names) - 1} more"


def _samples(lines: Sequence[SampleLine], *, named: bool, texts: bool) -> Iterator[Sample]:
    """One sample for the lines of an instance and a trial."""
    shared = _shared_ids(lines)
    groups: dict[tuple[str, str], list[SampleLine]] = {}
    for line, repeat in zip(lines, _repeats(lines), strict=True):
        instance = line.sample_id
        if instance in shared:
            instance = f"{instance}-{line.document[:40]}"
        epoch = line.epoch or repeat
        groups.setdefault((instance, epoch), []).append(line)
    for (instance, trial), own in groups.items():
        first, metadata = own[0], own[0].metadata or {}
        scores: dict[str, float | None] = dict.fromkeys(_unscored(metadata))
        for line in own:
            if (metric := _metric(line, named=named)) is not None:
                scores[metric] = number(line.evaluation.score)
        yield Sample(
            instance=instance,
            trial=trial,
            scores=scores,
            failed=any(line.error for line in own),
            costs=_costs(first),
            question=(text(first.input.get("raw")) or None) if texts else None,
            response=_response(first) if texts else None,
            target=(text(first.input.get("reference")) or None) if texts else None,
            group=metadata.get("group"),
        )


def _shared_ids(lines: Sequence[SampleLine]) -> set[str]:
    """The ids shared by several documents, such as row numbers in several subtasks."""
    documents: dict[tuple[str, str | None], str] = {}
    return {
        line.sample_id
        for line in lines
        if documents.setdefault((line.sample_id, line.epoch), line.document) != line.document
    }


def _repeats(lines: Sequence[SampleLine]) -> Iterator[str]:
    """The trial of each line without an epoch: the count of its document and metric so far."""
    seen: Counter[tuple[object, ...]] = Counter()
    for line in lines:
        seen[_line_key(line)] += 1
        yield str(seen[_line_key(line)])


def _line_key(line: SampleLine) -> tuple[object, ...]:
    return (
        line.sample_id,
        line.document,
        line.evaluation_name,
        line.evaluation_result_id,
        line.epoch,
    )


def _metric(line: SampleLine, *, named: bool) -> str | None:
    """The metric of a line's score; None if the score is only a placeholder."""
    if line.evaluation_result_id is not None:
        return line.evaluation_result_id
    if named or line.error or UNSCORED in (line.metadata or {}):
        return None
    return line.evaluation_name


def _unscored(metadata: Mapping[str, Any]) -> list[str]:
    """The metrics under which a sample is marked as unscored."""
    try:
        found = loads(str(metadata.get(UNSCORED, "[]")).encode(), where="")
    except SpecError:
        return []
    return [str(name) for name in found] if isinstance(found, list) else []


def _costs(line: SampleLine) -> dict[str, float]:
    performance = line.performance or {}
    details = _details(performance)
    tokens = _written((line.token_usage or details).get("total_tokens"))
    seconds, latency = _written(details.get("seconds")), number(performance.get("latency_ms"))
    if seconds is None and latency is not None:
        seconds = latency / 1000
    known = {"tokens": tokens, "seconds": seconds}
    return {name: value for name, value in known.items() if value is not None}


def _written(value: object) -> float | None:
    """A number, or a text that holds one."""
    try:
        return number(float(value) if isinstance(value, str) else value)
    except ValueError:
        return None


def _response(line: SampleLine) -> str | None:
    if line.output is not None:
        raw = line.output.get("raw")
        return text(raw) if raw else None
    answers = [
        it for it in line.messages or [] if isinstance(it, dict) and it.get("role") == "assistant"
    ]
    return text(answers[-1]) if answers else None


def _details(values: Mapping[str, Any]) -> Mapping[str, Any]:
    found = values.get("additional_details")
    return found if isinstance(found, dict) else {}


def _means(
    results: Sequence[MetricResult], samples: Sequence[Sample]
) -> tuple[list[ReportedMean], list[str]]:
    """The results that are means of samples, and those that are not, or have no samples."""
    means, unchecked = [], []
    counts = [result.metric for result in results]
    for result in results:
        value = number(result.score_details.score)
        if value is None or UNREPORTED in (result.score_details.details or {}):
            continue
        over = _over(result, samples, value)
        config = result.metric_config
        words = f"{config.metric_name} {config.metric_kind} {config.metric_id}".lower()
        another = over is None and any(word in words for word in _NO_MEANS)
        if (
            mean_of(samples, result.metric, "rows") is None
            or another
            or counts.count(result.metric) > 1
        ):
            unchecked.append(result.metric)
        else:
            told = result.score_details.uncertainty
            means.append(
                ReportedMean(
                    metric=result.metric,
                    value=value,
                    over=over or "items",
                    errors=numbers(
                        {"standard_error": table_in(told, "standard_error").get("value")}
                    ),
                    interval=_interval(table_in(told, "confidence_interval")),
                )
            )
    return means, unchecked


def _interval(told: Mapping[str, Any]) -> ReportedInterval | None:
    low, high = number(told.get("lower")), number(told.get("upper"))
    level = number(told.get("confidence_level"))
    if low is None or high is None:
        return None
    return ReportedInterval(low=low, high=high, level=level)


def _over(result: MetricResult, samples: Sequence[Sample], value: float) -> Over | None:
    """What a result is the mean over: as stated, else whichever matches."""
    said = (result.metric_config.additional_details or {}).get(MEAN_OVER)
    tried: tuple[Over, Over] = ("items", "rows")
    for over in tried:
        again = mean_of(samples, result.metric, over)
        if said == over or (said is None and again is not None and is_equal(again, value)):
            return over
    return None


def _planned(
    details: Mapping[str, Any], samples: int, lines: int, results: AggregateResults | None
) -> int | None:
    """The expected number of samples; a missing line is a missing sample."""
    said = str(details.get(PLANNED, ""))
    total = (
        None if results is None else (results.detailed_evaluation_results or {}).get("total_rows")
    )
    planned = int(said) if said.isascii() and said.isdigit() else None
    if isinstance(total, int) and total > lines:
        return max(planned or 0, samples + total - lines)
    return planned


def _settings(results: AggregateResults) -> dict[str, str]:
    library = results.eval_library
    settings = {"library": f"{library.get('name')} {library.get('version')}"}
    for config in (it.generation_config or {} for it in results.evaluation_results):
        arguments = config.get("generation_args")
        if isinstance(arguments, dict):
            others = {key: arguments[key] for key in arguments if key != "execution_command"}
            settings["generate config"] = fingerprint(canonical(others))
        settings |= {str(name): str(value) for name, value in _details(config).items()}
    return settings


def _scorer(results: Sequence[MetricResult]) -> str | None:
    if not results:
        return None
    made = [
        (it.metric, config.metric_id, config.metric_parameters, config.llm_scoring)
        for it in results
        for config in [it.metric_config]
    ]
    return f"{', '.join(it.metric for it in results[:8])} @ {fingerprint(canonical(made))}"


def _notes(
    file: LogFile, lines: Sequence[SampleLine], results: AggregateResults | None
) -> list[str]:
    notes = []
    version = lines[0].schema_version if lines else None
    if version not in KNOWN_VERSIONS:
        notes.append(f"schema version {version} is unknown")
    if results is None:
        return [*notes, "no results beside the samples: no mean to compute again"]
    stored = results.detailed_evaluation_results or {}
    checksum = stored.get("checksum") if stored.get("hash_algorithm") == "sha256" else None
    if checksum and file.digest != f"sha256:{checksum}":
        notes.append("the checksum in the results is not that of the samples")
    return notes
