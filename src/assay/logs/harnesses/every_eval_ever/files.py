"""A run in the form of Every Eval Ever: one file of results, one of samples.

Schema 0.2.2 of https://github.com/evaleval/every_eval_ever (`eval.schema.json`,
`instance_level_eval.schema.json`). A line is one sample under one metric. A sample without any
score has one line that names no result: its 0 is only there because the form requires a number. The
form has no field for what a mean is over and which metrics are unscored; both are in its free
details, where our reader finds them.
"""

import hashlib
import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from pathlib import Path
from typing import Any

import msgspec

from assay.errors import SpecError
from assay.files import check_new, write_new
from assay.logs.harnesses.every_eval_ever.form import (
    FINISHED,
    MEAN_OVER,
    PLANNED,
    SAMPLES,
    UNREPORTED,
    UNSCORED,
)
from assay.logs.log import LogRun, Sample
from assay.logs.log_trials import trials_of
from assay.logs.means import mean_of
from assay.logs.same_run import is_same_run
from assay.result import Result
from assay.wording import counted

_VERSION = "0.2.2"
_UNKNOWN = "unknown"
_ERROR = "the sample failed"
_UNTOLD = ("deployment_type", "model_availability")
"""Fields that a datastore requires about a model and that no log has."""
_LONGEST_PART = 60
"""The most characters of a folder's name, at up to four bytes each."""


class ExportedRun(msgspec.Struct, frozen=True, kw_only=True):
    """An exported run: its source, its identity, and its two files."""

    log: str
    harness: str
    task: str
    model: str | None
    samples: int
    files: tuple[str, ...]

    @property
    def said(self) -> str:
        """What it is a run of, and how many samples it has."""
        who = "" if self.model is None else f", {self.model}"
        return f"{self.harness}, {self.task}{who}: {counted(self.samples, 'sample')}"


class Exported(Result, frozen=True, kw_only=True):
    """The runs that were written into a datastore."""

    runs: tuple[ExportedRun, ...]

    def to_rows(self) -> list[dict[str, Any]]:
        """A row for each run."""
        rows: list[dict[str, Any]] = msgspec.to_builtins(self.runs)
        return [{**row, "files": ", ".join(row["files"])} for row in rows]

    def lines(self) -> list[str]:
        """How many were written, and the first of them."""
        return [f"Wrote {counted(len(self.runs), 'run')}.", *(run.said for run in self.runs[:5])]


def export_runs(runs: Sequence[LogRun], folder: Path) -> list[ExportedRun]:
    """Write runs into a datastore of Every Eval Ever; existing files are not overwritten.

    All are converted before the first file is written.
    """
    _check_no_copies(runs)
    made = [(run, written_files(run)) for run in runs]
    places = [folder / folder_of(run) / name for run, files in made for name in files]
    for place in places:
        if places.count(place) > 1:
            raise SpecError("the same run is given twice", hint="Name one of the files.")
        check_new(place)
    exported = []
    for run, files in made:
        own = {folder / folder_of(run) / name: data for name, data in files.items()}
        for place, data in own.items():
            write_new(place, data)
        exported.append(
            ExportedRun(
                log=run.place,
                harness=run.harness,
                task=run.task,
                model=run.model,
                samples=len(run.samples),
                files=tuple(str(place) for place in own),
            )
        )
    return exported


def _check_no_copies(runs: Sequence[LogRun]) -> None:
    """Refuse the same run in two forms."""
    told = [(run, trials_of(run)) for run in runs]
    for (run, ours), (other, theirs) in combinations(told, 2):
        if run.harness == other.harness and is_same_run(ours, theirs):
            raise SpecError(
                f"the same run is given twice: {run.place} and {other.place}",
                hint="Name one of the files. A harness may write one run in two forms.",
            )


def written_files(run: LogRun) -> dict[str, bytes]:
    """The names and bytes of the two files of a run."""
    model = run.model or _UNKNOWN
    made = str(int(time.time()))
    evaluation_id = f"{run.task}/{model.replace('/', '_')}/{made}"
    shared = {"schema_version": _VERSION, "evaluation_id": evaluation_id, "model_id": model}
    parts = list(_lines(run))
    lines = b"".join(
        msgspec.json.encode({**shared, "evaluation_name": run.task, **line}) + b"\n"
        for line in parts
    )
    checksum = hashlib.sha256(lines)
    name = _name(run, parts)
    results = {
        "schema_version": _VERSION,
        "evaluation_id": evaluation_id,
        "retrieved_timestamp": made,
        "source_metadata": _source(run),
        "eval_library": {"name": run.harness, "version": run.version or _UNKNOWN},
        "model_info": {
            "name": model,
            "id": model,
            "developer": _model(run)[0],
            "additional_details": dict.fromkeys(_UNTOLD, _UNKNOWN),
        },
        "evaluation_results": list(_results(run)),
        "detailed_evaluation_results": {
            "format": "jsonl",
            "file_path": f"{folder_of(run)}/{name}{SAMPLES}.jsonl",
            "hash_algorithm": "sha256",
            "checksum": checksum.hexdigest(),
            "total_rows": lines.count(b"\n"),
        },
    }
    document = msgspec.json.format(msgspec.json.encode(results), indent=2)
    return {f"{name}.json": document, f"{name}{SAMPLES}.jsonl": lines}


def _name(run: LogRun, lines: Sequence[Mapping[str, Any]]) -> str:
    """A UUID for a run; the same run always has the same."""
    known = [run.harness, run.version, run.task, run.model, run.settings, lines]
    found = hashlib.sha256(msgspec.json.encode(known, order="sorted"))
    return str(uuid.UUID(bytes=found.digest()[:16], version=4))


def folder_of(run: LogRun) -> str:
    """The folder of a run in a datastore, by task, developer and model."""
    developer, model = _model(run)
    return "/".join(["data", *map(_folder, (run.task, developer, model))])


def _model(run: LogRun) -> tuple[str, str]:
    """The developer, from the model's name, and the model."""
    developer, _, model = (run.model or _UNKNOWN).partition("/")
    return (developer, model) if model else (_UNKNOWN, developer)


def _folder(name: str) -> str:
    """A name as a folder of the datastore."""
    kept = "".join(c if c.isalnum() or c in "._-" else "_" for c in name[:_LONGEST_PART])
    return kept.lstrip(".") or "_"


def _source(run: LogRun) -> dict[str, Any]:
    details = {} if run.finished else {FINISHED: "false"}
    if run.planned is not None:
        details[PLANNED] = str(run.planned)
    return {
        "source_name": run.harness,
        "source_type": "evaluation_run",
        "source_organization_name": _UNKNOWN,
        "evaluator_relationship": "other",
        "additional_details": details,
    }


def _results(run: LogRun) -> Iterator[dict[str, Any]]:
    """A result for every metric; if the harness reports no mean, the mean of its rows."""
    reported = {mean.metric: mean for mean in run.means}
    for metric in dict.fromkeys([*reported, *run.metrics]):
        mean = reported.get(metric)
        value = mean_of(run.samples, metric, "rows") if mean is None else mean.value
        score: dict[str, Any] = {"score": value}
        if mean is None:
            score["details"] = {UNREPORTED: "the harness reports no mean; this is that of the rows"}
        yield {
            "evaluation_result_id": metric,
            "evaluation_name": run.task,
            "source_data": {"dataset_name": run.task, "source_type": "other"},
            "metric_config": {
                "evaluation_description": f"mean of {metric}",
                "metric_name": metric,
                "lower_is_better": metric in run.lower,
                "additional_details": {
                    MEAN_OVER: "rows" if mean is None else mean.over,
                    **({"scorer": run.scorer} if run.scorer else {}),
                },
            },
            "score_details": score,
            "generation_config": {"additional_details": dict(run.settings)},
        }


def _lines(run: LogRun) -> Iterator[dict[str, Any]]:
    written: set[tuple[str, str | None]] = set()
    inputs: dict[str, list[dict[str, Any]]] = {}
    for sample in run.samples:
        inputs.setdefault(sample.instance, []).append(_input(sample))
    for sample in run.samples:
        if (sample.instance, sample.trial) in written:
            raise SpecError(
                f"{run.place}: two samples of instance {sample.instance!r:.60}, trial"
                f" {sample.trial}, expected one"
            )
        written.add((sample.instance, sample.trial))
        shared: dict[str, Any] = {
            "sample_id": sample.instance,
            "sample_hash": _hash(inputs[sample.instance]),
            "interaction_type": "single_turn",
            "input": _input(sample),
            "output": {"raw": [] if sample.response is None else [sample.response]},
            "answer_attribution": [],
            "performance": _performance(sample.costs),
            "error": _ERROR if sample.failed else None,
            "metadata": _metadata(sample),
        }
        scored = {name: value for name, value in sample.scores.items() if value is not None}
        for metric, value in scored.items():
            evaluation = {"score": value, "is_correct": value == 1 and metric not in run.lower}
            yield {"evaluation_result_id": metric, **shared, "evaluation": evaluation}
        if not scored:
            yield {**shared, "evaluation": {"score": 0.0, "is_correct": False}}


def _input(sample: Sample) -> dict[str, Any]:
    reference = [] if sample.target is None else [sample.target]
    return {"raw": sample.question or "", "reference": reference}


def _hash(inputs: Sequence[Mapping[str, Any]]) -> str | None:
    """The digest of an instance's input, as the format's own converters make it.

    None without a text, or if the samples of an instance have several.
    """
    first = inputs[0]
    if not first["raw"] or any(other != first for other in inputs):
        return None
    written = json.dumps(first, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


def _metadata(sample: Sample) -> dict[str, str]:
    found = {} if sample.trial is None else {"epoch": sample.trial}
    if sample.group is not None:
        found["group"] = sample.group
    unscored = [name for name, value in sample.scores.items() if value is None]
    if unscored or not sample.scores:
        found[UNSCORED] = msgspec.json.encode(unscored).decode()
    return found


def _performance(costs: Mapping[str, float]) -> dict[str, Any] | None:
    """Seconds as a latency; the form has no field for the total of tokens.

    Both are in the details exactly, as a latency in milliseconds may lose digits.
    """
    names = {"total_tokens": "tokens", "seconds": "seconds"}
    details = {name: repr(costs[cost]) for name, cost in names.items() if cost in costs}
    found: dict[str, Any] = {"additional_details": details} if details else {}
    if "seconds" in costs:
        found["latency_ms"] = costs["seconds"] * 1000
    return found or None
