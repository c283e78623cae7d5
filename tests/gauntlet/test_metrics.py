"""The table of metrics: the one place that knows what a bar may ask for."""

import pytest

from assay.errors import SpecError
from assay.gauntlet.bar import Bar, Control
from assay.gauntlet.metrics.table import METRICS, check_bar, metric_of, titled

LENGTH = Control(feature="word_length", direction="better")
BARS = {
    "auc": Bar(id="B", metric="auc", at_least=0.7, partitions=("p",)),
    "auc - word_length": Bar(id="B", metric="auc", at_least=0.1, partitions=("p",), minus=LENGTH),
    "auc beyond surface": Bar(
        id="B", metric="auc", at_least=0.6, partitions=("p",), beyond="surface"
    ),
    "auc within source": Bar(
        id="B", metric="auc", at_least=0.6, partitions=("p",), within="source"
    ),
    "f1": Bar(id="B", metric="f1", at_least=0.6, of="folklore"),
    "accuracy": Bar(id="B", metric="accuracy", at_least=0.6),
}
ASKS = {
    "auc": "AUC at least 0.70",
    "auc - word_length": "AUC at least 0.10 over word_length, in either direction",
    "auc beyond surface": "AUC beyond all surface features at least 0.60",
    "auc within source": "AUC at least 0.60 within sources, where there are several",
    "f1": "F1 of folklore at least 0.60",
    "accuracy": "accuracy at least 0.60",
}


def test_every_metric_has_a_bar_here():
    assert [metric_of(bar) for bar in BARS.values()] == list(METRICS)


@pytest.mark.parametrize("measure", BARS)
def test_a_bar_is_measured_and_asks_in_its_metrics_words(measure):
    bar = BARS[measure]
    metric = metric_of(bar)
    assert (metric.measured(bar), metric.asks(bar)) == (measure, ASKS[measure])
    assert titled(measure) == measure.replace("auc", "AUC").replace("f1", "F1")
    task = "detection" if metric.needs == "scores" else "classification"
    check_bar(bar, task, ["p"])


def test_a_margin_alone_can_be_negative():
    assert {metric.variant for metric in METRICS if metric.least < 0.0} == {"minus"}


WRONG = {
    "another task": (BARS["f1"], "detection", "F1 needs classes, but detection gives scores"),
    "scores of classes": (BARS["auc"], "classification", "AUC needs scores"),
    "two variants": (
        Bar(id="B", metric="auc", at_least=0.1, partitions=("p",), minus=LENGTH, within="source"),
        "detection",
        "minus, beyond, within exclude each other",
    ),
    "a variant of another metric": (
        Bar(id="B", metric="accuracy", at_least=0.1, minus=LENGTH),
        "classification",
        "minus belongs to auc, not to accuracy",
    ),
    "a class for an accuracy": (
        Bar(id="B", metric="accuracy", at_least=0.1, of="folklore"),
        "classification",
        "of belongs to f1, not to accuracy",
    ),
    "an F1 of no class": (
        Bar(id="B", metric="f1", at_least=0.1),
        "classification",
        "F1 needs the key `of`",
    ),
    "partitions for an F1": (
        Bar(id="B", metric="f1", at_least=0.1, of="folklore", partitions=("p",)),
        "classification",
        "partitions belongs to auc, not to f1",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_bar_that_its_metric_cannot_read_is_refused(name):
    bar, task, words = WRONG[name]
    with pytest.raises(SpecError) as caught:
        check_bar(bar, task, ["p"])
    assert words in caught.value.message
