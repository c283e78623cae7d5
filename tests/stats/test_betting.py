"""Betting against a plain capital process; closed testing by brute force; error at all times."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.stats.betting import FRACTIONS, adjusted, ever, log_capital, lower_bounds

LOGS = st.integers(1, 5).flatmap(
    lambda columns: st.lists(
        st.lists(st.floats(-8, 8), min_size=columns, max_size=columns), min_size=1, max_size=4
    ).map(np.array)
)
SCORES = st.lists(st.integers(0, 4).map(lambda x: x / 4), min_size=1, max_size=25)


def naive_capital(scores, mean):
    """A purse for each fraction, one score after another."""
    purses = [1.0] * FRACTIONS.size
    course = []
    for score in scores:
        purses = [
            purse * (1.0 + fraction * (score / mean - 1.0))
            for purse, fraction in zip(purses, FRACTIONS, strict=True)
        ]
        course.append(sum(purses) / len(purses))
    return course


def closed_testing(values):
    """The smallest mean of every group of columns that a column is in."""
    columns = range(len(values))
    groups = [
        g for size in range(1, len(values) + 1) for g in itertools.combinations(columns, size)
    ]
    return [min(np.mean([values[c] for c in g]) for g in groups if own in g) for own in columns]


@given(SCORES, st.sampled_from([0.2, 0.475, 0.5, 0.8]))
@settings(deadline=None)
def test_capital_grows_as_in_a_plain_game(scores, mean):
    found = np.exp(log_capital(np.array(scores)[:, None], mean)[:, 0])
    assert found == pytest.approx(naive_capital(scores, mean))


@pytest.mark.parametrize("mean", [0.1, 0.3, 0.5, 0.9])
def test_a_bet_at_the_true_mean_is_fair(mean):
    for count in (1, 3, 6):
        expected = 0.0
        for scores in itertools.product((0.0, 1.0), repeat=count):
            chance = math.prod(mean if score else 1.0 - mean for score in scores)
            expected += chance * math.exp(log_capital(np.array(scores)[:, None], mean)[-1, 0])
        assert expected == pytest.approx(1.0)


@given(SCORES)
@settings(deadline=None)
def test_capital_is_smaller_against_a_greater_mean(scores):
    column = np.array(scores)[:, None]
    means = [0.1, 0.3, 0.5, 0.7, 0.99]
    course = [log_capital(column, mean)[-1, 0] for mean in means]
    assert all(a >= b - 1e-12 for a, b in itertools.pairwise(course))


def test_columns_are_bet_on_apart_and_each_against_its_own_mean():
    scores = np.random.default_rng(0).random((20, 3))
    means = np.array([0.3, 0.5, 0.7])
    together = log_capital(scores, means)
    for column in range(3):
        apart = log_capital(scores[:, [column]], float(means[column]))
        assert together[:, [column]] == pytest.approx(apart)


@given(LOGS)
@settings(deadline=None)
def test_adjusted_capital_is_closed_testing_by_brute_force(logs):
    expected = [closed_testing(np.exp(row).tolist()) for row in logs]
    assert np.exp(adjusted(logs)) == pytest.approx(np.array(expected))


@given(LOGS)
@settings(deadline=None)
def test_adjusted_capital_is_never_more_than_its_own(logs):
    assert (adjusted(logs) <= logs + 1e-9).all()


@given(LOGS)
@settings(deadline=None)
def test_another_column_never_adds_to_what_is_shown(logs):
    if logs.shape[1] > 1:
        assert (adjusted(logs)[:, :-1] <= adjusted(logs[:, :-1]) + 1e-9).all()


@given(LOGS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_columns_changes_no_adjusted_capital(logs, random):
    columns = list(range(logs.shape[1]))
    random.shuffle(columns)
    assert adjusted(logs[:, columns]) == pytest.approx(adjusted(logs)[:, columns])


def test_enormous_capital_stays_finite():
    found = adjusted(np.array([[5000.0, 4000.0, 0.0]]))
    assert np.isfinite(found).all()
    assert found[0, 0] > 100.0


@given(LOGS)
@settings(deadline=None)
def test_what_was_shown_once_stays_shown(logs):
    found = ever(logs)
    assert (np.diff(found, axis=0) >= 0.0).all()
    assert found[-1] == pytest.approx(logs.max(axis=0))


@given(SCORES)
@settings(deadline=None, max_examples=40)
def test_a_lower_bound_is_where_the_capital_reaches_its_target(scores):
    column = np.array(scores)[:, None]
    bound = float(lower_bounds(column, 0.05)[0])
    if bound > 1e-6:
        assert log_capital(column, bound - 1e-7).max() >= math.log(20) - 1e-9
    assert log_capital(column, bound + 1e-6).max() < math.log(20)


def test_a_lower_bound_nears_the_mean():
    scores = (np.random.default_rng(2).random((2000, 1)) < 0.7).astype(float)
    bound = lower_bounds(scores, 0.05)[0]
    assert 0.62 < bound < scores.mean()


@pytest.mark.parametrize("kind", ["shares", "skewed", "pairs"])
def test_the_true_mean_is_hardly_ever_passed_at_any_time(kind):
    rng = np.random.default_rng(3)
    scores, mean = {
        "shares": ((rng.random((150, 1500)) < 0.2).astype(float), 0.2),
        "skewed": (rng.beta(0.3, 3.0, (150, 1500)), 0.3 / 3.3),
        "pairs": ((1.0 + rng.choice([-1, 0, 0, 0, 1], (150, 1500))) / 2.0, 0.5),
    }[kind]
    passed = int((log_capital(scores, mean).max(axis=0) >= math.log(20)).sum())
    assert passed <= stats.binom.ppf(0.999, 1500, 0.05)
    # a bet somewhat below the mean is won often, so the count above could have been large
    assert (log_capital(scores, 0.75 * mean).max(axis=0) >= math.log(20)).sum() > 200


def test_shown_wrongly_among_related_columns_no_more_often_than_said():
    rng = np.random.default_rng(5)
    repeats, wrong, right = 400, 0, 0
    for _ in range(repeats):
        shared = rng.random((80, 1))
        own = rng.random((80, 4))
        gaps = np.where(rng.random((80, 4)) < 0.7, shared, own) - 0.5
        scores = 0.5 + gaps
        scores[:, 0] = np.minimum(scores[:, 0] + 0.25, 1.0)
        found = ever(adjusted(log_capital(scores, 0.5)))[-1] >= math.log(20)
        right += int(found[0])
        wrong += int(found[1:].any())
    assert wrong <= stats.binom.ppf(0.999, repeats, 0.05)
    assert right > repeats / 2
