"""Metrics against scikit-learn, and influences against what leaving weight off an item does."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, average_precision_score, f1_score, roc_auc_score

from assay.stats.metrics import measure

METRICS = ("auroc", "accuracy", "f1", "average-precision")
RANKED = ("auroc", "average-precision")


def reference(metric, scores, positive, weight=None, threshold=0.5):
    """The metric by scikit-learn, with weights."""
    if metric == "auroc":
        return roc_auc_score(positive, scores, sample_weight=weight)
    if metric == "average-precision":
        return average_precision_score(positive, scores, sample_weight=weight)
    score = accuracy_score if metric == "accuracy" else f1_score
    return score(positive, scores >= threshold, sample_weight=weight)


def drawn(seed, n=60, rows=4, *, ties):
    rng = np.random.default_rng(seed)
    positive = rng.permutation(n) < n // 3
    scores = rng.normal(0.5, 1.0, (rows, n)) + 0.7 * positive
    return (np.round(2.0 * scores) / 2.0 if ties else scores), positive


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("metric", METRICS)
def test_values_are_scikit_learns(metric, ties):
    scores, positive = drawn(1, ties=ties)
    values, _ = measure(metric, scores, positive)
    assert values == pytest.approx([reference(metric, row, positive) for row in scores], abs=1e-12)


def test_the_threshold_is_the_given_one_and_counts_as_positive():
    scores, positive = np.array([[0.2, 0.3, 0.7, 0.9]]), np.array([False, True, True, True])
    assert measure("accuracy", scores, positive, threshold=0.3)[0][0] == 1.0
    assert measure("accuracy", scores, positive, threshold=0.31)[0][0] == 0.75


@pytest.mark.parametrize("ties", [False, True])
@pytest.mark.parametrize("metric", METRICS)
def test_an_influence_is_the_derivative_by_the_items_weight(metric, ties):
    scores, positive = drawn(2, n=40, rows=2, ties=ties)
    _, influence = measure(metric, scores, positive)
    step = 1e-5
    for row, found in zip(scores, influence, strict=True):
        for item in range(row.size):
            up, down = np.ones(row.size), np.ones(row.size)
            up[item], down[item] = 1.0 + step, 1.0 - step
            slope = reference(metric, row, positive, up) - reference(metric, row, positive, down)
            assert found[item] == pytest.approx(slope / (2.0 * step), abs=1e-8)


@pytest.mark.parametrize("metric", METRICS)
def test_influences_add_up_to_nothing(metric):
    scores, positive = drawn(3, ties=True)
    assert measure(metric, scores, positive)[1].sum(axis=1) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("metric", METRICS)
def test_their_squares_add_up_to_the_variance(metric):
    rng = np.random.default_rng(4)
    values, squares = [], []
    for _ in range(1500):
        positive = rng.random(150) < 0.4
        scores = rng.normal(0.0, 1.0, (1, 150)) + 1.2 * positive
        value, influence = measure(metric, scores, positive)
        values.append(value[0])
        squares.append(np.square(influence).sum())
    assert np.mean(squares) == pytest.approx(np.var(values), rel=0.12)


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), ties=st.booleans())
def test_reversed_scores_have_the_opposite_auc(seed, ties):
    scores, positive = drawn(seed, n=21, rows=1, ties=ties)
    value, influence = measure("auroc", scores, positive)
    other, reverse = measure("auroc", -scores, positive)
    assert other[0] == pytest.approx(1.0 - value[0])
    assert reverse == pytest.approx(-influence)


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), metric=st.sampled_from(RANKED), ties=st.booleans())
def test_a_monotone_transform_changes_nothing(seed, metric, ties):
    scores, positive = drawn(seed, n=21, rows=1, ties=ties)
    moved = np.exp(scores / 3.0) + 7.0
    assume(len(np.unique(moved)) == len(np.unique(scores)))
    for one, other in zip(
        measure(metric, scores, positive), measure(metric, moved, positive), strict=True
    ):
        assert one == pytest.approx(other)


@settings(deadline=None)
@given(seed=st.integers(0, 10_000), metric=st.sampled_from(METRICS))
def test_the_order_of_items_does_not_matter(seed, metric):
    scores, positive = drawn(seed, n=21, rows=2, ties=True)
    order = np.random.default_rng(seed).permutation(21)
    value, influence = measure(metric, scores, positive)
    again, moved = measure(metric, scores[:, order], positive[order])
    assert again == pytest.approx(value)
    assert moved == pytest.approx(influence[:, order])


@pytest.mark.parametrize("metric", METRICS)
def test_every_item_twice_changes_no_value_and_halves_each_influence(metric):
    scores, positive = drawn(5, ties=True)
    value, influence = measure(metric, scores, positive)
    again, halved = measure(metric, np.tile(scores, 2), np.tile(positive, 2))
    assert again == pytest.approx(value)
    assert halved[:, : positive.size] == pytest.approx(influence / 2.0)
