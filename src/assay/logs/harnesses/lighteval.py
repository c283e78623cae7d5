"""Logs of lighteval: `details/MODEL/TIME/details_TASK_TIME.parquet`, with results beside `details`.

A row is a document. Repeats are answers inside one row, with one score. There are no failed rows: a
metric that could not be computed is NaN, and a mean without it is a `nanmean`. Corpus metrics (F1
over all rows, Matthews' correlation) have row values that are not scores.

Documents pair by a digest of question, choices and gold; row numbers change with the dataset.
Versions before 0.10 have columns `example` and `metrics` instead of `doc` and `metric`.
"""

import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.errors import SpecError, storage
from assay.logs.log import NOT_COMPUTED, LogRun, ReportedMean, ReportedValue, Sample
from assay.logs.log_file import LogFile, canonical, fingerprint, number, numbers, table_in, text
from assay.tables.nested import Row
from assay.tables.rows import rows_of

_COLUMNS = ("doc", "metric", "model_response")
_OLD_COLUMNS = ("example", "full_prompt", "metrics", "predictions")
_RESULTS = {"config_general", "config_tasks", "results"}
_MEANS = re.compile(r"(<function |np\.|numpy\.)?(nan)?mean\b")
_ADDRESS = re.compile(r"0x[0-9a-f]+")
_MOST_FOOTER = 16 << 20
_COUNTS = ("original_num_docs", "effective_num_docs", "metric", "metrics", "name", "version")


def recognise(file: LogFile) -> bool:
    """Whether a Parquet file has the columns of details."""
    if not file.is_parquet:
        return False
    footer = _footer(file)
    return any(_has_columns(footer, names) for names in (_COLUMNS, _OLD_COLUMNS))


def heads(file: LogFile) -> list[LogFile]:
    """The files of details that belong to a file of results."""
    if not file.keys >= _RESULTS:
        return []
    time = file.path.stem.removeprefix("results_")
    folder = _swapped(file.path.parent, "results", "details") / time
    with storage(folder):
        found = sorted(folder.glob("*.parquet")) if folder.is_dir() else []
    if not found:
        raise SpecError(
            f"{file}: results without details",
            hint="Run lighteval with details saved, and name the folder it wrote.",
        )
    return [LogFile(path) for path in found]


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The run of one task."""
    rows = list(rows_of(file.path, file.data))
    beside = _results_file(file.path)
    results = {} if beside is None else beside.table_of("lighteval")
    task = _task(file.path, [row for _, row in rows])
    config = table_in(results, "config_tasks", task)
    samples = tuple(_samples(rows, texts=texts))
    means, unchecked = _means(table_in(results, "results", task), _aggregations(config), samples)
    notes = [] if results else ["no results beside the details: no mean to compute again"]
    if unchecked:
        notes.append(f"{NOT_COMPUTED}{', '.join(unchecked)}")
    general = table_in(results, "config_general")
    model = general.get("model_name") or table_in(general, "model_config").get("model_name")
    commit = general.get("lighteval_sha")
    planned = config.get("effective_num_docs")
    return [
        LogRun(
            harness="lighteval",
            version=commit if isinstance(commit, str) and commit != "?" else None,
            task=task,
            model=str(model) if model else _model_folder(file.path),
            settings=_settings(results, task),
            scorer=_fingerprint(_listed(config)) if config else None,
            samples=samples,
            means=tuple(means),
            reported=tuple(_values(table_in(results, "results", task), task, unchecked)),
            lower=frozenset(_lower(config)),
            planned=planned if isinstance(planned, int) and planned > 0 else None,
            place=str(file),
            files=(file, *([] if beside is None else [beside])),
            notes=tuple(notes),
        )
    ]


def _footer(file: LogFile) -> bytes:
    """The metadata at the end of a Parquet file; empty if there are none."""
    with storage(file.path), file.path.open("rb") as opened:
        size = opened.seek(0, io.SEEK_END)
        opened.seek(max(size - 8, 0))
        length = int.from_bytes(opened.read(4), "little")
        if not 0 < length <= min(size - 8, _MOST_FOOTER) or opened.read() != b"PAR1":
            return b""
        opened.seek(size - 8 - length)
        return opened.read(length)


def _has_columns(footer: bytes, names: Sequence[str]) -> bool:
    """Whether metadata name these columns; each name follows its length there."""
    return all(bytes([len(name)]) + name.encode() in footer for name in names)


def _samples(rows: Sequence[tuple[str, Row]], *, texts: bool) -> Iterator[Sample]:
    copies: Counter[str] = Counter()
    for where, row in rows:
        old = "doc" not in row
        scores = row.get("metrics" if old else "metric")
        document = {"query": row.get("example"), **row} if old else row.get("doc")
        if not isinstance(scores, dict) or not isinstance(document, dict):
            raise SpecError(
                f"{where}: expected a document and its metrics, as lighteval writes them"
            )
        response = row.get("model_response")
        response = response if isinstance(response, dict) else {"text": row.get("predictions")}
        name = _identity(document)
        copies[name] += 1
        yield Sample(
            instance=name if copies[name] == 1 else f"{name}#{copies[name]}",
            scores={
                metric: number(value)
                for metric, value in scores.items()
                if not isinstance(value, (list, dict, str))
            },
            costs=_costs(response),
            question=text(document.get("query")) if texts else None,
            response=text(_first(response.get("text"))) if texts else None,
            target=_target(document) if texts else None,
        )


def _identity(document: Mapping[str, Any]) -> str:
    """The identity of a document in every run of its task; its number if it has no question."""
    if not document.get("query"):
        return f"doc {document.get('id')}"
    return fingerprint(canonical([document.get(key) for key in ("query", "choices", "gold_index")]))


def _costs(response: Mapping[str, Any]) -> dict[str, float]:
    asked, answered = response.get("input_tokens"), response.get("output_tokens")
    if not (isinstance(asked, list) and isinstance(answered, list) and response.get("text")):
        return {}
    tokens = len(asked) + sum(len(part) for part in answered if isinstance(part, list))
    return {"tokens": float(tokens)} if tokens else {}


def _target(document: Mapping[str, Any]) -> str | None:
    choices, gold = document.get("choices"), document.get("gold_index")
    if not isinstance(choices, list):
        return text(document.get("gold"))
    picked = gold if isinstance(gold, list) else [gold]
    return text([choices[at] for at in picked if isinstance(at, int) and 0 <= at < len(choices)])


def _first(value: object) -> object:
    return value[0] if isinstance(value, list) and value else value


def _task(path: Path, rows: Sequence[Row]) -> str:
    """The task that the documents name, else the one in the name of the file."""
    for row in rows[:1]:
        document = row.get("doc")
        if isinstance(document, dict) and isinstance(document.get("task_name"), str):
            return str(document["task_name"])
    return path.stem.removeprefix("details_").rsplit("_", 1)[0]


def _swapped(folder: Path, old: str, new: str) -> Path:
    """The same model's folder under another root: `results/MODEL` for `details/MODEL`."""
    parts = list(folder.parts)
    at = max((at for at, part in enumerate(parts) if part == old), default=None)
    return folder if at is None else Path(*parts[:at], new, *parts[at + 1 :])


def _results_file(path: Path) -> LogFile | None:
    """The results of the run: beside the details, or in `results` if those are in `details`."""
    name = f"results_{path.stem.rsplit('_', 1)[-1]}.json"
    places = (path.parent, _swapped(path.parent, "details", "results").parent)
    with storage(path):
        found = next((place / name for place in places if (place / name).is_file()), None)
    return None if found is None else LogFile(found)


def _model_folder(path: Path) -> str | None:
    parts = path.parent.parts
    at = max((at for at, part in enumerate(parts) if part == "details"), default=None)
    return "/".join(parts[at + 1 : -1]) or None if at is not None else None


def _listed(config: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The metrics of a task, as its configuration lists them."""
    listed = config.get("metrics", config.get("metric"))
    return (
        [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    )


def _each(config: Mapping[str, Any], key: str) -> Iterator[tuple[str, object]]:
    """A property of every metric; one entry may cover several metrics."""
    for entry in _listed(config):
        names, values = entry.get("metric_name"), entry.get(key)
        for name in names if isinstance(names, list) else [names]:
            yield str(name), values.get(name) if isinstance(values, dict) else values


def _aggregations(config: Mapping[str, Any]) -> dict[str, str]:
    return {name: str(value) for name, value in _each(config, "corpus_level_fn")}


def _lower(config: Mapping[str, Any]) -> Iterator[str]:
    return (name for name, better in _each(config, "higher_is_better") if better is False)


def _means(
    reported: Mapping[str, Any], aggregations: Mapping[str, str], samples: Sequence[Sample]
) -> tuple[list[ReportedMean], list[str]]:
    """The reported means, and the metrics with another or an unknown aggregation."""
    known = {name for sample in samples for name in sample.scores}
    means, unchecked = [], []
    for metric, value in reported.items():
        if metric.endswith("_stderr") or number(value) is None:
            continue
        if metric in known and _MEANS.match(aggregations.get(metric, "")):
            error = f"{metric}_stderr"
            errors = numbers({error: reported.get(error)})
            means.append(
                ReportedMean(metric=metric, value=float(value), over="items", errors=errors)
            )
        else:
            unchecked.append(metric)
    return means, unchecked


def _values(
    reported: Mapping[str, Any], task: str, names: Sequence[str]
) -> Iterator[ReportedValue]:
    for name in names:
        error = f"{name}_stderr"
        errors = numbers({error: reported.get(error)})
        yield ReportedValue(task=task, name=name, value=float(reported[name]), errors=errors)


def _settings(results: Mapping[str, Any], task: str) -> dict[str, str]:
    config = table_in(results, "config_tasks", task)
    general = table_in(results, "config_general")
    model = table_in(general, "model_config")
    version = config.get("version", table_in(results, "versions").get(task))
    others = {key: value for key, value in config.items() if key not in _COUNTS}
    generation = model.get("generation_parameters", general.get("generation_parameters"))
    prompt = model.get("system_prompt")
    settings = {
        "task version": None if version is None else str(version),
        "task config": _fingerprint(others) if others else None,
        "generate config": _fingerprint(generation) if generation else None,
        "system prompt": _fingerprint(prompt) if prompt else None,
        "prompts": table_in(results, "summary_tasks", task, "hashes").get("hash_full_prompts"),
        "most samples": general.get("max_samples"),
    }
    return {name: str(value) for name, value in settings.items() if value is not None}


def _fingerprint(value: object) -> str:
    """A digest that ignores the memory addresses of functions."""
    return fingerprint(_ADDRESS.sub("", canonical(value)))
