"""Tables of a few features: found where they are, feared where they could be, and no more."""

import numpy as np
import pytest

from assay.surface import tables
from assay.surface.table_columns import TableColumn, columns_of
from assay.surface.tables import Residuals, without_tables


def board(x):
    return np.sum(np.floor(4 * x[:, :2]), axis=1) % 2 == 0


def middle(x):
    return np.abs(x[:, 0] - 0.5) < 0.25


def wave(x):
    return np.sin(20 * x[:, 0]) > 0


def uneven(x):
    return (np.floor(2 * x[:, 1]) + np.floor(5 * x[:, 2])) % 2 == 0


def three(x):
    return np.sum(np.floor(2 * x[:, :3]), axis=1) % 2 == 0


def off_quantiles(x):
    return (x[:, 0] > 0.37) ^ (x[:, 1] > 0.71)


RULES = [board, middle, wave, uneven, three, off_quantiles]


def drawn(size, rule, *, seed=0, columns=8):
    """Features, a label that follows a rule, one in ten turned over, and the rule."""
    rng = np.random.default_rng(seed)
    features = rng.random((size, columns))
    right = rule(features)
    return features, right ^ (rng.random(size) < 0.1), right, rng


def left_of(label, method):
    """What is left where models find nothing."""
    scores = (method - method.mean()) / method.std()
    nothing = np.zeros(label.size)
    return Residuals(label=label - label.mean(), method=scores, of_label=nothing, of_method=nothing)


def strength(residuals):
    """The correlation that is left, on the scale of the whole."""
    return residuals.raised * float(np.mean(residuals.label * residuals.method)) / 0.5


@pytest.mark.parametrize("rule", RULES)
def test_a_method_that_is_a_table_is_left_with_nothing(rule):
    features, label, right, _ = drawn(600, rule)
    given = left_of(label, right.astype(float))
    assert strength(given) > 0.7
    found, worst = without_tables(features, given, units=600)
    assert strength(found) < 0.3
    assert strength(worst) < 0.12


@pytest.mark.parametrize("rule", RULES)
def test_in_few_records_a_table_is_feared_where_it_is_not_found(rule):
    left = []
    for seed in range(10):
        features, label, right, rng = drawn(108, rule, seed=seed)
        noisy = right + 0.4 * rng.normal(size=108)
        left.append(strength(without_tables(features, left_of(label, noisy), units=108)[1]))
    assert np.mean(left) < 0.25


def test_a_signal_of_its_own_is_kept():
    changed = 0
    for seed in range(20):
        features, label, _, rng = drawn(400, board, seed=seed)
        label = rng.permutation(label)
        given = left_of(label, rng.normal(size=400) + 2.0 * label)
        found, worst = without_tables(features, given, units=400)
        changed += found is not given
        assert strength(worst) > 0.75 * strength(given)
    assert changed <= 2


def single_features(features, sample):
    columns, single = columns_of(features, sample)
    return columns[:single], single


def gap(x):
    return (x[:, 0] - x[:, 1]) % 6 < 3


def product_count(x):
    return np.isin(np.rint(x[:, 0] * x[:, 2]), [1, 2, 5, 6, 9, 10, 13, 14, 18])


def even(x):
    return x[:, 0] % 2 == 0


def stripe(x):
    return np.abs(x[:, 0] - x[:, 1]) < 4


@pytest.mark.parametrize("rule", [gap, product_count, even, stripe])
def test_rules_on_counts_and_on_two_of_them_combined_are_found_or_feared(rule, monkeypatch):
    rng = np.random.default_rng(3)
    features = np.column_stack([rng.poisson(20, 400), rng.poisson(20, 400), rng.random((400, 3))])
    right = rule(features)
    label = right ^ (rng.random(400) < 0.1)
    given = left_of(label, right + 0.3 * rng.normal(size=400))
    assert strength(without_tables(features, given, units=400)[1]) < 0.2
    if rule in (gap, product_count):
        monkeypatch.setattr(tables, "columns_of", single_features)
        monkeypatch.setattr(tables, "_SHAPES", ((4,), (8,), (24,), (2, 2), (4, 4)))
        assert strength(without_tables(features, given, units=400)[1]) > 0.25


def test_a_search_that_looks_at_single_features_alone_would_be_caught(monkeypatch):
    monkeypatch.setattr(tables, "_SHAPES", ((4,), (8,), (24,)))
    monkeypatch.setattr(tables, "columns_of", single_features)
    features, label, right, _ = drawn(600, board)
    _, worst = without_tables(features, left_of(label, right.astype(float)), units=600)
    assert strength(worst) > 0.6


def test_cuts_are_moved_to_where_the_rule_is(monkeypatch):
    features, label, right, _ = drawn(400, off_quantiles)
    given = left_of(label, right.astype(float))
    moved = strength(without_tables(features, given, units=400)[1])
    monkeypatch.setattr(tables._Search, "_moved", lambda self, table, left_of: table)
    monkeypatch.setattr(tables, "_SHAPES", ((2, 2),))
    even = strength(without_tables(features, given, units=400)[1])
    monkeypatch.undo()
    monkeypatch.setattr(tables, "_SHAPES", ((2, 2),))
    assert strength(without_tables(features, given, units=400)[1]) < even - 0.2
    assert moved < 0.12


def test_never_more_than_half_of_the_freedom_is_lost():
    for size in (20, 40, 60, 108, 300):
        features, label, right, _ = drawn(size, three)
        for residuals in without_tables(features, left_of(label, right * 1.0), units=size):
            assert residuals.lost <= size / 2
            assert residuals.raised <= 2.0


def test_where_there_are_more_records_than_are_searched_all_are_taken_from_their_cells():
    features, label, right, _ = drawn(7_000, board)
    found, worst = without_tables(features, left_of(label, right * 1.0), units=7_000)
    assert strength(found) < 0.1
    assert strength(worst) < 0.1


def test_groups_make_it_less_sure():
    features, label, right, rng = drawn(200, middle)
    given = left_of(label, right + 0.8 * rng.normal(size=200))
    alone, _ = without_tables(features, given, units=200)
    grouped, _ = without_tables(features, given, units=20)
    assert alone is not given
    assert grouped is given


@pytest.mark.parametrize("features", [np.zeros((50, 3)), np.zeros((50, 0))], ids=["same", "none"])
def test_features_that_never_vary_leave_everything(features):
    rng = np.random.default_rng(1)
    label = rng.random(50) < 0.5
    given = left_of(label, rng.normal(size=50))
    assert without_tables(features, given, units=50) == (given, given)


def test_a_method_without_scores_is_left_as_it_is():
    rng = np.random.default_rng(1)
    nothing = np.zeros(50)
    given = Residuals(
        label=rng.normal(size=50), method=nothing, of_label=nothing, of_method=nothing
    )
    found, worst = without_tables(rng.random((50, 3)), given, units=50)
    assert found is given
    assert not worst.method.any()


def test_a_feature_of_two_values_is_told_apart_however_rare_one_is():
    for share in (0.5, 0.2, 0.05):
        column = (np.arange(400) < 400 * share).astype(float)
        steps = TableColumn("alone", (0,)).steps(column[:, None], np.arange(400))
        cut = tables._range_of_step(tables._cuts(2))[steps]
        assert len(set(cut[column == 0]) | set(cut[column == 1])) == 2
        assert set(cut[column == 0]).isdisjoint(cut[column == 1])
