import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.stats import auc
from assay.stats.auc_interval import hanley_mcneil
from assay.stats.quantiles import t_quantile

scores = st.lists(st.integers(-20, 20).map(float), min_size=2, max_size=30)


@given(scores, scores)
def test_turning_the_scores_round_turns_the_auc_round(above, below):
    flipped = auc.auc([-a for a in above], [-b for b in below])
    assert flipped == pytest.approx(1 - auc.auc(above, below))


@given(scores, scores)
def test_a_monotone_transform_changes_nothing(above, below):
    fit, bent = auc.fit(above, below), auc.fit(np.exp(above), np.exp(below))
    assert bent.values == pytest.approx(fit.values)
    assert bent.interval() == pytest.approx(fit.interval())


@given(scores, scores)
def test_the_definition_by_pairs_agrees(above, below):
    pairs = [(a > b) + (a == b) / 2 for a in above for b in below]
    assert auc.auc(above, below) == pytest.approx(sum(pairs) / len(pairs))
    assert auc.fit(above, below).values[0] == pytest.approx(sum(pairs) / len(pairs))


@given(scores, scores)
def test_the_interval_holds_the_estimate_stays_in_range_and_has_width(above, below):
    fit = auc.fit(above, below)
    low, high = fit.interval()
    assert 0 <= low <= fit.values[0] <= high <= 1
    assert high - low > 0.001


@given(scores, scores)
def test_duplicating_every_item_keeps_the_estimate_and_narrows_the_interval(above, below):
    once, twice = auc.fit(above, below), auc.fit(above * 2, below * 2)
    assert twice.values == pytest.approx(once.values)
    (low, high), (low2, high2) = once.interval(), twice.interval()
    assert high2 - low2 < high - low


@given(scores, scores)
def test_duplicating_items_within_their_groups_adds_no_evidence(above, below):
    names = [f"a{i}" for i in range(len(above))], [f"b{i}" for i in range(len(below))]
    once = auc.fit(above, below, groups=names)
    copied = auc.fit(above * 3, below * 3, groups=(names[0] * 3, names[1] * 3))
    assert copied.covariance == pytest.approx(once.covariance)
    assert copied.interval() == pytest.approx(once.interval())


@given(scores, scores)
def test_groups_of_one_are_no_groups(above, below):
    names = [f"a{i}" for i in range(len(above))], [f"b{i}" for i in range(len(below))]
    grouped = auc.fit(above, below, groups=names)
    assert grouped.covariance == pytest.approx(auc.fit(above, below).covariance, abs=1e-15)


def test_with_equal_groups_the_jackknife_is_obuchowskis_variance():
    rng = np.random.default_rng(7)
    above, below = rng.normal(1, 1, 40), rng.normal(0, 1, 60)
    names = np.repeat(np.arange(10), 4), np.repeat(np.arange(10), 6)
    fit = auc.fit(above, below, groups=names)
    assert np.square(fit.totals).sum() == pytest.approx(fit.covariance[0, 0], rel=1e-12)


def test_a_group_that_dominates_widens_the_interval():
    rng = np.random.default_rng(8)
    above, below = rng.normal(1, 1, 60), rng.normal(0, 1, 60)
    even = np.repeat(np.arange(20), 3)
    heavy = np.where(even < 10, 0, even)
    widths = [
        np.diff(auc.fit(above, below, groups=(names, names)).interval())[0]
        for names in (even, heavy)
    ]
    assert widths[1] > 1.3 * widths[0]


def test_one_bad_group_that_was_not_seen_is_allowed_for():
    above, below = np.arange(60) + 1000.0, np.arange(60) * 1.0
    lows = [
        auc.fit(above, below, groups=(np.arange(60) // size, np.arange(60) // size)).interval()[0]
        for size in (1, 3, 12)
    ]
    assert lows == sorted(lows, reverse=True)
    assert lows[0] == pytest.approx(auc.fit(above, below).interval()[0], abs=0.01)


def test_perfect_separation_gives_a_one_sided_interval_that_shrinks_with_n():
    lows = [auc.fit(np.arange(n) + 1000.0, np.arange(n) * 1.0).interval()[0] for n in (5, 20, 100)]
    assert lows == sorted(lows)
    assert 0.3 < lows[0] < 0.8 < 0.95 < lows[2] < 1


def test_a_method_minus_itself_is_exactly_nought():
    rng = np.random.default_rng(5)
    above, below = rng.normal(1, 1, 30), rng.normal(0, 1, 30)
    fit = auc.fit(np.stack([above, above * 3]), np.stack([below, below * 3]))
    assert fit.difference(0, 1).value == 0.0
    assert fit.same_ranking(0, 1)
    assert fit.difference(0, 1).low < 0 < fit.difference(0, 1).high


def test_a_different_ranking_is_told_from_the_same():
    rng = np.random.default_rng(6)
    above, below = rng.normal(1, 1, (2, 30)), rng.normal(0, 1, (2, 30))
    assert not auc.fit(above, below).same_ranking(0, 1)


def test_the_difference_of_two_methods_changes_sign_with_their_order():
    rng = np.random.default_rng(7)
    fit = auc.fit(rng.normal(1, 1, (3, 40)), rng.normal(0, 1, (3, 50)))
    one, other = fit.difference(0, 2), fit.difference(2, 0)
    assert (one.value, one.low, one.high) == pytest.approx((-other.value, -other.high, -other.low))


def test_pairing_narrows_the_difference_of_related_methods():
    rng = np.random.default_rng(8)
    shared1, shared0 = rng.normal(1, 1, 80), rng.normal(0, 1, 80)
    near = auc.fit(
        np.stack([shared1, shared1 + rng.normal(0, 0.2, 80)]),
        np.stack([shared0, shared0 + rng.normal(0, 0.2, 80)]),
    ).difference(0, 1)
    far = auc.fit(
        np.stack([shared1, rng.normal(1, 1, 80)]), np.stack([shared0, rng.normal(0, 1, 80)])
    ).difference(0, 1)
    assert near.high - near.low < (far.high - far.low) / 2


def test_one_item_of_a_class_still_gives_a_wide_interval():
    low, high = auc.fit([3.0], [1.0, 2.0, 4.0]).interval()
    assert high - low > 0.8


def test_no_item_of_a_class_is_refused():
    with pytest.raises(ValueError, match="at least one positive"):
        auc.fit([], [1.0])


def test_a_variance_that_came_out_small_is_not_taken_at_its_word():
    """The ratio that the upper end was solved with is a quarter of the way to the model's."""
    above, below = np.repeat([0.0, 1.0], [2, 18]), np.repeat([0.0, 1.0], [18, 2])
    fit = auc.fit(above, below)
    variance, model = fit.covariance[0, 0], hanley_mcneil(float(fit.values[0]), 20.0, 20.0)
    assert variance < model
    t = t_quantile(0.975, fit._degrees(np.ones(1)))
    high = fit.interval()[1]
    ratio = (high - fit.values[0]) ** 2 / (t**2 * hanley_mcneil(high, 20.0, 20.0))
    assert ratio == pytest.approx(0.75 * variance / model + 0.25, rel=1e-6)


def test_towards_one_half_one_more_bad_record_is_allowed_for():
    perfect = auc.fit(np.arange(22) + 100.0, np.arange(86) * 1.0)
    t = t_quantile(0.95, perfect._degrees(np.ones(1)))
    low, _ = perfect.interval(level=0.90)
    plain = (1 - low) ** 2 / (t**2 * hanley_mcneil(low, 22.0, 86.0))
    assert plain > 1.2
    mirrored = auc.fit(np.arange(22) * 1.0, np.arange(86) + 100.0)
    assert mirrored.interval(level=0.90)[1] == pytest.approx(1 - low)
