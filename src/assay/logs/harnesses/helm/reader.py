"""Runs of HELM: a folder with `per_instance_stats.json` and the files that describe the run.

An instance has several entries for one train trial, one a metric class. A failed request becomes an
empty completion, which is scored like any other, mostly 0, and counts in the mean; only
`scenario_state.json` shows that it failed. A metric that was not computed has no stat, or one of
count 0; an instance without any is known only from `scenario_state.json`.

A mean in `stats.json` is over train trials, of the mean over instances in each. Splits and
perturbations have their own means, and are separate runs here. Many stats are not scores but counts
of tokens, references and stop reasons; those are left out. Instances pair by their ids, which HELM
numbers by row. The log does not name the version that wrote it.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

from assay.errors import SpecError
from assay.logs.harnesses.helm.run_files import (
    HelmRun,
    InstanceStats,
    RequestResult,
    RequestState,
    RunSpec,
    ScenarioState,
    Stat,
)
from assay.logs.harnesses.helm.trial_means import (
    Context,
    InstanceTrial,
    TrialStats,
    contexts_of,
    means_of,
    value_of,
)
from assay.logs.instance_names import shown
from assay.logs.log import LogRun, Sample
from assay.logs.log_file import LogFile, fingerprint, text

_KEYS = {"instance_id", "stats"}
_HEAD, _SPEC = "per_instance_stats.json", "run_spec.json"
_STATS, _STATE = "stats.json", "scenario_state.json"
_NO_SCORES = frozenset(
    "training_co2_cost training_energy_cost batch_size prompt_truncated max_prob".split()
)
_NO_SCORES_BEGIN = ("num_", "finish_reason_", "inference_", "estimated_")
_MODEL_KEYS = ("model", "model_deployment")


def recognise(file: LogFile) -> bool:
    """Whether a file is an array of the stats of instances."""
    return file.keys >= _KEYS and file.data.lstrip()[:1] == b"["


def heads(file: LogFile) -> list[LogFile]:
    """The file of instance stats beside a file of the same run."""
    if file.path.name not in (_SPEC, _STATS, _STATE):
        return []
    head = file.beside(_HEAD)
    return [] if head is None or not recognise(head) else [head]


def read(file: LogFile, *, texts: bool) -> list[LogRun]:
    """A run for each split, and for each perturbation of it."""
    found = _found(file)
    runs = [
        _run(found, context, parts, texts=texts)
        for context, parts in contexts_of(file.decoded(list[InstanceStats])).items()
        if any(map(_is_score, chain.from_iterable(parts.values())))
    ]
    if not runs:
        raise SpecError(f"{file}: none of the stats is a score")
    return runs


def _found(file: LogFile) -> HelmRun:
    spec, stats, state = map(file.beside, (_SPEC, _STATS, _STATE))
    return HelmRun(
        spec=RunSpec() if spec is None else spec.decoded(RunSpec),
        reported=None if stats is None else stats.decoded(list[Stat]),
        requests=None if state is None else state.decoded(ScenarioState).request_states,
        files=tuple(each for each in (file, spec, stats, state) if each is not None),
    )


def _run(found: HelmRun, context: Context, parts: TrialStats, *, texts: bool) -> LogRun:
    spec = found.spec
    asked = _asked(found.requests or (), context)
    samples = tuple(_samples(parts, asked, texts=texts))
    place = ", ".join((str(found.files[0]), *_words(context)))
    means, notes = means_of(found.reported or (), context, parts, samples, place)
    if found.requests is None:
        notes.append(f"no {_STATE}: failed requests are not known, and count as answers")
    if found.reported is None:
        notes.append(f"no {_STATS}: the run did not finish")
    model = spec.adapter_spec.get("model")
    return LogRun(
        harness="HELM",
        task=", ".join((_task(spec.name), *_words(context))),
        model=None if model is None else str(model),
        settings=_settings(spec),
        scorer=_scorer(spec),
        samples=samples,
        means=tuple(means),
        planned=len(asked) or None,
        finished=found.reported is not None,
        place=place,
        files=found.files,
        notes=tuple(notes),
    )


def _words(context: Context) -> list[str]:
    split, part, perturbation = context
    named = (None if split == "test" else split, part, perturbation)
    return [str(word) for word in named if word is not None]


def _asked(
    requests: Sequence[RequestState], context: Context
) -> dict[InstanceTrial, list[RequestState]]:
    asked: dict[InstanceTrial, list[RequestState]] = {}
    for request in requests:
        own = request.instance
        changed = None if own.perturbation is None else str(own.perturbation.get("name"))
        if (own.split, own.sub_split, changed) == context:
            asked.setdefault((str(own.id), request.train_trial_index), []).append(request)
    return asked


def _samples(
    parts: TrialStats, asked: Mapping[InstanceTrial, list[RequestState]], *, texts: bool
) -> Iterator[Sample]:
    for key in dict.fromkeys((*parts, *asked)):
        stats, requests = parts.get(key, {}), asked.get(key, [])
        first = requests[0] if requests and texts else None
        yield Sample(
            instance=key[0],
            trial=str(key[1] + 1),
            scores={name: value_of(own) for name, own in stats.items() if _is_score(name)},
            failed=any(r.result is not None and not r.result.success for r in requests),
            costs=_costs({name: value_of(own) for name, own in stats.items()}),
            question=None if first is None else text(first.instance.input),
            response=None if first is None else _completion(first.result),
            target=None if first is None else _correct(first.instance.references),
        )


def _is_score(name: str) -> bool:
    return name not in _NO_SCORES and not name.startswith(_NO_SCORES_BEGIN)


def _costs(values: Mapping[str, float | None]) -> dict[str, float]:
    written = values.get("num_output_tokens", values.get("num_completion_tokens"))
    tokens = [value for value in (values.get("num_prompt_tokens"), written) if value is not None]
    costs = {"tokens": math.fsum(tokens)} if tokens else {}
    seconds = values.get("inference_runtime")
    return costs if seconds is None else costs | {"seconds": seconds}


def _task(name: str) -> str:
    """The name of a run without the model in it."""
    scenario, _, arguments = name.partition(":")
    kept = [a for a in arguments.split(",") if a and a.partition("=")[0] not in _MODEL_KEYS]
    return f"{scenario}:{','.join(kept)}" if kept else scenario or "scenario"


def _settings(spec: RunSpec) -> dict[str, str]:
    settings = {
        name: shown(value) for name, value in spec.adapter_spec.items() if name not in _MODEL_KEYS
    }
    if spec.scenario_spec:
        settings["scenario"] = fingerprint(spec.scenario_spec)
    if spec.data_augmenter_spec:
        settings["perturbations"] = fingerprint(spec.data_augmenter_spec)
    return settings


def _scorer(spec: RunSpec) -> str | None:
    if not spec.metric_specs:
        return None
    names = [str(metric.get("class_name")).rsplit(".", 1)[-1] for metric in spec.metric_specs]
    return f"{', '.join(names)} @ {fingerprint([spec.metric_specs, spec.annotators])}"


def _completion(answer: RequestResult | None) -> str | None:
    return text(answer.completions[0]) if answer is not None and answer.completions else None


def _tags(reference: Mapping[str, Any]) -> Sequence[object]:
    found = reference.get("tags")
    return found if isinstance(found, list) else ()


def _correct(references: Sequence[Mapping[str, Any]]) -> str | None:
    right = [text(r.get("output")) for r in references if "correct" in _tags(r)]
    return "\n".join(found for found in right if found) or None
