"""Logs of inspect_ai: `.eval` archives and `.json` files.

A sample has an id and an epoch. A failed sample has an error and, unless the log was scored again,
no scores; an unscored one has the score NaN. Epochs of a sample are averaged first, and the mean is
over samples with a score in at least one epoch. An archive has its summaries in one member; an
unfinished archive has only those of its journal, and no results.

Versions 1 and 2 of the log are known, as the maintainers describe them. Other versions are read as
version 2 if possible, otherwise by inspect_ai itself if it is installed.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from statistics import median, mode
from typing import Any

import msgspec
from msgspec.structs import replace

from assay.bounds import MAX_SAMPLES, MAX_UNPACKED_BYTES
from assay.errors import IntegrityError, SpecError, UnknownForm
from assay.logs.instance_names import shown
from assay.logs.lenient_json import Count, decode, elements
from assay.logs.log import LogRun, ReportedMean, Sample
from assay.logs.log_file import LogFile, canonical, fingerprint, number, numbers, text
from assay.logs.means import is_equal, mean_of
from assay.logs.zip_members import ZipMembers

_HEADER, _START = "header.json", "_journal/start.json"
_SUMMARIES, _JOURNAL, _SAMPLES = "summaries.json", "_journal/summaries/", "samples/"
_WORDS = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0, "yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
_MEANS = ("accuracy", "mean")
_ERRORS = ("stderr", "bootstrap_stderr")
_NUMBER = re.compile(r"[0-9]{1,12}")
_KNOWN_VERSIONS = (1, 2)
_MOST_VALUES = 1_000_000
"""The most values of a header, or of one sample."""
_TRANSPORT = frozenset(
    "max_connections adaptive_connections max_retries timeout attempt_timeout stream_idle_timeout"
    " batch cache cache_prompt".split()
)
"""Options about how requests are sent, not about what is asked."""


class _Score(msgspec.Struct, frozen=True):
    value: Any = None


class _Summary(msgspec.Struct, frozen=True):
    id: int | str
    epoch: int = 1
    scores: dict[str, _Score] | None = None
    error: Any = None
    model_usage: dict[str, dict[str, Any]] = {}
    total_time: float | None = None
    working_time: float | None = None


class _ModelOutput(msgspec.Struct, frozen=True):
    completion: str | None = None
    choices: list[Any] = []


class _Sample(_Summary, frozen=True, kw_only=True):
    input: Any = None
    target: Any = None
    output: _ModelOutput = _ModelOutput()


class _Dataset(msgspec.Struct, frozen=True):
    name: str | None = None
    samples: Count | None = None
    sample_ids: list[Any] | None = None


class _Scorer(msgspec.Struct, frozen=True):
    name: str = ""
    options: Any = None


class _Eval(msgspec.Struct, frozen=True):
    task: str
    task_version: Any = 0
    task_args: Any = None
    dataset: _Dataset = _Dataset()
    model: str | None = None
    model_generate_config: Any = None
    model_roles: Any = None
    config: dict[str, Any] = {}
    packages: dict[str, str] = {}
    scorers: list[_Scorer] | None = None


class _Metric(msgspec.Struct, frozen=True):
    value: Any = None


class _Result(msgspec.Struct, frozen=True):
    name: str
    scorer: str | None = None
    reducer: str | None = None
    metrics: dict[str, _Metric] = {}


class _Results(msgspec.Struct, frozen=True):
    total_samples: Count | None = None
    scores: list[_Result] = []


class _SolverStep(msgspec.Struct, frozen=True):
    solver: str = ""
    params: Any = None


class _Plan(msgspec.Struct, frozen=True):
    steps: list[_SolverStep] = []
    config: Any = None


class _Header(msgspec.Struct, frozen=True):
    version: int = 1
    status: str = "started"
    eval: _Eval = msgspec.field(default_factory=lambda: _Eval(task=""))
    plan: _Plan = _Plan()
    results: _Results | None = None


class _JsonLog(_Header, frozen=True):
    samples: list[_Sample] = []


def recognise(file: LogFile) -> bool:
    """Whether a file is a log: by the members of an archive, or the keys of an object."""
    if file.members is not None:
        known = _HEADER in file.members or _START in file.members
        return known or file.path.suffix == ".eval"
    return {"eval", "status", "plan"} <= file.keys


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """The one run of a log."""
    if file.members is None:
        log = file.decoded(_JsonLog)
        return [_run(file, log, log.samples)]
    where = str(file)
    head = _HEADER if _HEADER in file.members else _START
    if head not in file.members:
        raise UnknownForm(f"{where}: an inspect_ai archive without {_HEADER} or {_START}")
    header = decode(file.members.read(head), _Header, where=f"{where}, {head}", most=_MOST_VALUES)
    found = _full_samples if texts else _summaries
    samples = list(islice(found(file.members, where), MAX_SAMPLES + 1))
    return [_run(file, header, samples)]


def read_by_harness(file: LogFile) -> list[LogRun]:
    """The one run of a log, as inspect_ai's own reader gives it."""
    from inspect_ai.log import read_eval_log

    document: str = read_eval_log(str(file.path)).model_dump_json(exclude_none=True)
    log = decode(document.encode(), _JsonLog, where=str(file))
    return [_run(file, log, log.samples)]


def _full_samples(members: ZipMembers, where: str) -> Iterator[_Summary]:
    """Every sample with its texts, without the rest of its transcript."""
    kept = 0
    for name in members.names:
        if not name.startswith(_SAMPLES) or not name.endswith(".json"):
            continue
        place = f"{where}, {name}"
        found = decode(members.read(name), _Sample, where=place, most=_MOST_VALUES)
        asked, target, answer = text(found.input), text(found.target), _completion(found.output)
        kept += sum(len(part or "") for part in (asked, target, answer))
        kept += len(canonical(found.scores))
        _check_kept(kept, where)
        yield replace(found, input=asked, target=target, output=_ModelOutput(completion=answer))


def _summaries(members: ZipMembers, where: str) -> Iterator[_Summary]:
    names = [_SUMMARIES] if _SUMMARIES in members else _journal(members.names)
    kept = 0
    for name in names:
        data = members.read(name)
        kept += len(data)
        _check_kept(kept, where)
        yield from elements(data, _Summary, where=f"{where}, {name}")


def _check_kept(size: int, where: str) -> None:
    """Refuse an archive whose samples are too large in total."""
    if size > MAX_UNPACKED_BYTES:
        raise SpecError(f"{where}: more than {MAX_UNPACKED_BYTES:,} bytes of samples")


def _journal(names: Sequence[str]) -> list[str]:
    """The summaries of a journal in the order in which they were written."""
    numbered = {
        name: name.removeprefix(_JOURNAL).removesuffix(".json")
        for name in names
        if name.startswith(_JOURNAL)
    }
    return sorted(
        (name for name, digits in numbered.items() if _NUMBER.fullmatch(digits)),
        key=lambda name: int(numbered[name]),
    )


def _run(file: LogFile, header: _Header, samples: Sequence[_Summary]) -> LogRun:
    results = [] if header.results is None else header.results.scores
    averaged = {
        _metric(result)
        for result in results
        if any(_bare(name) in _MEANS for name in result.metrics)
    }
    made = tuple(_sample(sample, averaged) for sample in samples)
    finished = header.status == "success"
    notes = []
    if header.version not in _KNOWN_VERSIONS:
        notes.append(f"log version {header.version} is unknown; read as version 2")
    means, unchecked = _means(made, results, str(file))
    if unchecked:
        notes.append(f"not computed again: {', '.join(unchecked)}")
    return LogRun(
        harness="inspect_ai",
        version=header.eval.packages.get("inspect_ai"),
        task=header.eval.task,
        model=header.eval.model,
        settings=_settings(header),
        scorer=_scorer(header.eval.scorers),
        samples=made,
        means=tuple(means) if finished else (),
        planned=_planned(header),
        finished=finished,
        place=str(file),
        files=(file,),
        notes=tuple(notes),
    )


def _planned(header: _Header) -> int | None:
    """The expected number of samples, with a limit applied."""
    if header.results is not None and header.results.total_samples is not None:
        return header.results.total_samples
    dataset, epochs = header.eval.dataset, header.eval.config.get("epochs")
    planned = dataset.samples if dataset.sample_ids is None else len(dataset.sample_ids)
    return planned * max(epochs, 1) if planned and isinstance(epochs, int) else planned


def _settings(header: _Header) -> dict[str, str]:
    made = header.eval
    settings = {
        "task version": str(made.task_version),
        "dataset": str(made.dataset.name),
        "solver": fingerprint([header.plan.steps, _asked(header.plan.config)]),
    }
    for name, value in (
        ("generate config", _asked(made.model_generate_config)),
        ("task args", made.task_args),
    ):
        if isinstance(value, dict):
            settings |= {f"{name} {key}": shown(each) for key, each in value.items()}
        elif value:
            settings[name] = shown(value)
    if made.model_roles:
        settings["model roles"] = fingerprint(made.model_roles)
    return settings


def _asked(config: Any) -> Any:  # noqa: ANN401 - options are any of six types
    """The options of a model that affect its answer; None if there are none."""
    if not isinstance(config, dict):
        return config or None
    kept = {k: v for k, v in config.items() if v is not None and k not in _TRANSPORT}
    return kept or None


def _scorer(scorers: Sequence[_Scorer] | None) -> str | None:
    if not scorers:
        return None
    names = ", ".join(scorer.name for scorer in scorers)
    return f"{names} @ {fingerprint([[scorer.name, scorer.options] for scorer in scorers])}"


def _sample(sample: _Summary, averaged: set[str]) -> Sample:
    scores: dict[str, float | None] = {}
    for scorer, score in (sample.scores or {}).items():
        if isinstance(score.value, dict):
            for key, value in score.value.items():
                name = f"{scorer}/{key}"
                scores[name] = _value(value, averaged=name in averaged)
        elif isinstance(score.value, float) and score.value != score.value:
            scores[scorer] = None
        elif not isinstance(score.value, list):
            scores[scorer] = _value(score.value, averaged=scorer in averaged)
    costs = {"tokens": float(_tokens(sample))} if sample.model_usage else {}
    if (seconds := sample.working_time or sample.total_time) is not None:
        costs["seconds"] = seconds
    full = sample if isinstance(sample, _Sample) else None
    return Sample(
        instance=str(sample.id),
        trial=str(sample.epoch),
        scores=scores,
        failed=bool(sample.error),
        costs=costs,
        question=None if full is None else text(full.input),
        response=None if full is None else _completion(full.output),
        target=None if full is None else text(full.target),
    )


def _completion(output: _ModelOutput) -> str | None:
    if output.completion:
        return output.completion
    first = output.choices[0] if output.choices else None
    return text(first.get("message")) if isinstance(first, dict) else output.completion


def _tokens(sample: _Summary) -> float:
    total = 0.0
    for usage in sample.model_usage.values():
        total += number(usage.get("total_tokens")) or 0.0
    return total


def _value(value: object, *, averaged: bool) -> float | None:
    """A score as the harness averages it: C, I, P, N, true and false, numbers in text.

    Any other word counts 0 if the harness averaged it, and is not a score otherwise.
    """
    if not isinstance(value, str):
        return number(value)
    known = _WORDS.get(value)
    known = _WORDS.get(value.lower()) if known is None else known
    if known is not None:
        return known
    try:
        return number(float(value))
    except ValueError:
        return 0.0 if averaged else None


def _metric(result: _Result) -> str:
    """The name of a metric: its scorer's, or a key of its scorer's result."""
    if result.scorer in (None, result.name):
        return result.name
    return f"{result.scorer}/{result.name}"


def _bare(name: str) -> str:
    return name.rsplit("/", 1)[-1]


def _means(
    samples: Sequence[Sample], results: Sequence[_Result], place: str
) -> tuple[list[ReportedMean], list[str]]:
    """The means that the log reports, and the metrics with an unknown reduction of epochs.

    A mean of medians, modes or maxima is checked here, since no other harness has it.
    """
    means, unchecked = [], []
    for result in results:
        shown, reported = next(
            ((name, number(one.value)) for name, one in result.metrics.items()
             if _bare(name) in _MEANS), ("", None)
        )  # fmt: skip
        if reported is None:
            continue
        metric = _metric(result)
        if result.reducer in (None, "mean"):
            named = {_bare(name): one.value for name, one in result.metrics.items()}
            means.append(
                ReportedMean(
                    metric=metric,
                    value=reported,
                    over="items",
                    shown=_bare(shown),
                    errors=numbers({name: named.get(name) for name in _ERRORS}),
                )
            )
        elif result.reducer in _REDUCERS:
            again = _reduced_mean(samples, metric, _REDUCERS[result.reducer])
            if again is None or not is_equal(again, reported):
                raise IntegrityError(
                    f"{place}: inspect_ai reports {metric} {reported:.6g} ({result.reducer} of"
                    f" epochs), but its rows give {again}",
                    hint="Rows were lost or edited after the mean was computed."
                    " Export the log again.",
                )
        else:
            unchecked.append(f"{metric} ({result.reducer})")
    return means, unchecked


_REDUCERS: Mapping[str, Callable[[list[float]], float]] = {
    "median": median,
    "mode": mode,
    "max": max,
}


def _reduced_mean(
    samples: Sequence[Sample], metric: str, reduce: Callable[[list[float]], float]
) -> float | None:
    epochs = defaultdict(list)
    for sample in samples:
        value = sample.scores.get(metric)
        if value is not None:
            epochs[sample.instance].append(value)
    reduced = [
        Sample(instance=name, scores={metric: reduce(values)}) for name, values in epochs.items()
    ]
    return mean_of(reduced, metric, "rows")
