"""The table of all metrics of bars."""

from collections.abc import Collection

from assay.benchmark.benchmark import Benchmark, Task
from assay.errors import SpecError
from assay.gauntlet.bar import Bar
from assay.gauntlet.metrics.auc import AUC, MARGIN
from assay.gauntlet.metrics.beyond_surface import BEYOND, WITHIN
from assay.gauntlet.metrics.classes import ACCURACY, F1
from assay.gauntlet.metrics.metric import Metric, corpus_of

METRICS: tuple[Metric, ...] = (AUC, MARGIN, BEYOND, WITHIN, F1, ACCURACY)
_KEYS = tuple(dict.fromkeys(key for metric in METRICS for key in metric.keys))
_VARIANTS = tuple(metric.variant for metric in METRICS if metric.variant is not None)
_GIVES = {"detection": "scores", "classification": "classes"}


def metric_of(bar: Bar) -> Metric:
    """The metric of a bar."""
    variants = [key for key in _VARIANTS if getattr(bar, key) is not None]
    if len(variants) > 1:
        raise SpecError(f"bar {bar.id}: {', '.join(_VARIANTS)} exclude each other")
    named = [metric for metric in METRICS if metric.name == bar.metric]
    if not named:
        names = ", ".join(dict.fromkeys(metric.name for metric in METRICS))
        raise SpecError(f"bar {bar.id}: no metric {bar.metric!r:.60}; the metrics are {names}")
    variant = variants[0] if variants else None
    metric = next((metric for metric in named if metric.variant == variant), None)
    if metric is None:
        raise _misplaced(bar, str(variant))
    return metric


def check_bar(bar: Bar, task: Task, partitions: Collection[str]) -> None:
    """Refuse a bar that lacks a key, or has one that its metric does not use."""
    metric = metric_of(bar)
    if metric.needs != _GIVES[task]:
        raise SpecError(
            f"bar {bar.id}: {metric.title} needs {metric.needs}, but {task} gives {_GIVES[task]}"
        )
    for key in _KEYS:
        if key in metric.keys and not getattr(bar, key):
            raise SpecError(f"bar {bar.id}: {metric.title} needs the key `{key}`")
        if key not in metric.keys and getattr(bar, key):
            raise _misplaced(bar, key)
    for name in bar.partitions:
        if name not in partitions:
            raise SpecError(f"bar {bar.id}: no partition {name!r}; add a [partition.{name}] table")


def _misplaced(bar: Bar, key: str) -> SpecError:
    owners = dict.fromkeys(metric.name for metric in METRICS if key in metric.keys)
    return SpecError(f"bar {bar.id}: {key} belongs to {', '.join(owners)}, not to {bar.metric}")


def applies(bar: Bar, benchmark: Benchmark) -> bool:
    """Whether a bar applies to these data: one within sources needs several sources."""
    return metric_of(bar).applies(corpus_of(bar, benchmark))


def titled(measure: str) -> str:
    """The display name of a metric in a scorecard."""
    for metric in METRICS:
        measure = measure.replace(metric.name, metric.title)
    return measure
