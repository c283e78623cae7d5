import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr
from sklearn.metrics import roc_auc_score

from assay.stats import auc
from assay.stats.ranks import levels, placements, rank_correlation, ranks

COLUMNS = {
    "counts": lambda rng: rng.poisson(3.0, 200).astype(float),
    "flags": lambda rng: (rng.random(200) < 0.2).astype(float),
    "shares": lambda rng: rng.integers(0, 7, 200) / 7.0,
    "normal": lambda rng: rng.normal(size=200),
    "negative counts": lambda rng: -rng.poisson(3.0, 200).astype(float),
    "huge": lambda rng: rng.normal(size=200) * 1e300,
    "large counts": lambda rng: rng.integers(0, 3, 200) * 1e9,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_ranks_aucs_and_rhos_are_scipys_and_scikit_learns(name):
    rng = np.random.default_rng(5)
    values, other = COLUMNS[name](rng), rng.poisson(8.0, 200).astype(float)
    label = rng.random(200) < 0.4
    found = levels(values)
    assert np.array_equal(found.midranks()[found.codes], rankdata(values))
    fit = auc.fit_levels([found], label)
    assert fit.values[0] == pytest.approx(roc_auc_score(label, values), abs=1e-12)
    rho = rank_correlation(found, levels(other))
    assert rho == pytest.approx(spearmanr(values, other).statistic, abs=1e-12)


@given(st.lists(st.integers(-3, 3), min_size=4, max_size=20), st.randoms(use_true_random=False))
def test_levels_give_the_fit_that_scores_give(values, random):
    label = np.array([True, False] + [random.random() < 0.5 for _ in values[2:]])
    column = np.array(values, dtype=float)
    by_levels = auc.fit_levels([levels(column)], label)
    by_scores = auc.fit(column[label], column[~label])
    assert by_levels.values[0] == by_scores.values[0]
    assert np.allclose(by_levels.placements, by_scores.placements)
    assert by_levels.interval() == pytest.approx(by_scores.interval())


@given(st.lists(st.integers(-5, 5).map(float), min_size=5, max_size=40))
def test_ranks_are_means_of_the_places_they_span(x):
    for value, rank in zip(x, ranks(x), strict=True):
        below, same = sum(v < value for v in x), x.count(value)
        assert rank == below + (same + 1) / 2


@given(st.lists(st.integers(-5, 5).map(float), min_size=5, max_size=40))
def test_rank_correlation_with_itself_is_one_unless_constant(x):
    column = levels(np.array(x))
    rho = rank_correlation(column, column)
    assert rho is None if len(set(x)) == 1 else rho == pytest.approx(1.0)


def test_a_column_of_one_value_ranks_nothing():
    same = levels(np.full(5, 2.0))
    assert same.constant
    assert rank_correlation(same, levels(np.arange(5.0))) is None


def test_wins_are_whole_and_half_pairs():
    sides = np.array([0, 1]), np.array([2, 3])
    up, down, wins = placements(levels(np.array([3.0, 1.0, 1.0, 2.0])), sides)
    assert wins == 2.5
    assert up.tolist() == [1.0, 0.25]
    assert down.tolist() == [0.75, 0.5]
