"""Metrics of classes: the F1 of one class, and the accuracy over all."""

from collections.abc import Sequence

from assay.benchmark.benchmark import Benchmark
from assay.errors import OneClassPartition
from assay.gauntlet.bar import Bar
from assay.gauntlet.metrics.metric import Asked, Metric, Part, Sides, values_of
from assay.runs.answers import class_of


def _share(asked: Asked) -> Part:
    """The F1 or the accuracy over all records of a corpus."""
    from assay.stats import proportions

    bar, corpus = asked.bar, asked.corpus
    scored = [item for item in corpus.items if item.id in asked.outputs]
    if not scored or (bar.of is not None and not any(item.cls == bar.of for item in scored)):
        of = "" if bar.of is None else f" of class {bar.of}"
        raise OneClassPartition(f"bar {bar.id}: no scored record{of} in {corpus.name}")
    answers = [class_of(asked.outputs[item.id]) for item in scored]
    groups = [item.unit for item in scored] if corpus.grouped else None
    if bar.of is None:
        right = [item.cls == answer for item, answer in zip(scored, answers, strict=True)]
        fit = proportions.accuracy(right, groups=groups)
    else:
        is_class = [item.cls == bar.of for item in scored]
        fit = proportions.f1(is_class, [answer == bar.of for answer in answers], groups=groups)
    return Part(
        bar=bar,
        partition="all records" if bar.corpus == "main" else f"second corpus {corpus.name}",
        estimate=fit.estimate(),
        interval=fit.interval_at,
    )


def _check_class(bar: Bar, corpus: Benchmark, _sides: Sequence[Sides]) -> None:
    if not corpus.classes.get(str(bar.of)):
        raise OneClassPartition(
            f"bar {bar.id}: no record of class {bar.of} in {corpus.name}; {values_of(corpus)}",
            hint="The bundled bars are for other classes. Judge scores instead"
            " (`task=detection`), or write bars for your classes: `assay bars show v1`"
            " `task=classification` is one to begin with, in which `of` names a class.",
        )


F1 = Metric(
    name="f1",
    title="F1",
    about="The F1 of one class.",
    needs="classes",
    keys=("of",),
    measure="f1",
    asks=lambda bar: f"F1 of {bar.of} at least {bar.at_least:.2f}",
    part=_share,
    check=_check_class,
)
ACCURACY = Metric(
    name="accuracy",
    title="accuracy",
    about="The share of records whose class was given right.",
    needs="classes",
    keys=(),
    measure="accuracy",
    asks=lambda bar: f"accuracy at least {bar.at_least:.2f}",
    part=_share,
)
