"""Turn the samples of a log into trials, and describe the log."""

from collections.abc import Mapping, Sequence
from itertools import chain

from assay.logs.log import LogRun, Sample
from assay.logs.means import mean_of
from assay.logs.trial import Trial
from assay.wording import counted


def trials_of(run: LogRun) -> list[Trial]:
    """One trial a sample. A failed sample is a crashed run; an unscored one lacks the value.

    If a metric and a cost have the same name, the metric is kept.
    """
    metrics, harness = run.metrics, harness_of_run(run)
    named = dict.fromkeys(chain.from_iterable(sample.costs for sample in run.samples))
    costs = [name for name in named if name not in metrics]
    return [
        Trial(
            instance=sample.instance,
            trial=sample.trial,
            dimensions=_values(sample, metrics, costs),
            harness=harness,
            scorer=run.scorer,
            crashed=sample.failed,
        )
        for sample in run.samples
    ]


def _values(
    sample: Sample, metrics: Sequence[str], costs: Sequence[str]
) -> Mapping[str, float | None]:
    if sample.failed:
        return {}
    scores = sample.scores
    if not costs and list(scores) == metrics:  # the usual case
        return scores
    return {name: scores.get(name) for name in metrics} | {
        name: sample.costs.get(name) for name in costs
    }


def harness_of_run(run: LogRun) -> Mapping[str, str]:
    """The model, the harness, the task and the settings of a run, by name."""
    version = "" if run.version is None else f" {run.version}"
    known = {"harness": f"{run.harness}{version}", "task": run.task, **run.settings}
    return known if run.model is None else {"model": run.model, **known}


def described(run: LogRun) -> str:
    """A log in one line: harness, task, number of samples, and what its mean is over."""
    version = "" if run.version is None else f" {run.version}"
    parts = [f"{run.harness}{version}", f"task {run.task}"]
    if run.model is not None:
        parts.append(run.model)
    instances = len({sample.instance for sample in run.samples})
    counts = f"{counted(len(run.samples), 'sample')} of {counted(instances, 'instance')}"
    metrics = run.metrics
    unscored = sum(
        not sample.failed and None in [sample.scores.get(name) for name in metrics]
        for sample in run.samples
    )
    counts += f", {run.failed} failed" if run.failed else ""
    counts += f", {unscored} unscored" if unscored else ""
    parts.append(counts)
    if run.means:
        first = run.means[0]
        again = mean_of(run.samples, first.metric, first.over)
        parts.append(f"{first.metric} {again:.4f} as reported, the mean over {first.over}")
    return " · ".join(parts)
