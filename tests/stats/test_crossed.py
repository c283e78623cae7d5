"""Means over seeds of conditions on the same items: their variance, and what moves an interval."""

from itertools import combinations

import numpy as np
import pytest
from dual_situations import System
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import roc_auc_score

from assay.stats.crossed import cross, student
from assay.stats.metrics import measure

METRICS = ("auroc", "accuracy", "f1", "average-precision")
SMALL = System(n=60, seeds=4, memory=0.1, transfer=0.3)


def made(system=SMALL, seed=1, **options):
    scores, positive, groups = system.draw(np.random.default_rng(seed))
    return cross(scores, positive, groups=groups, **options)


def width(estimate):
    return estimate.high - estimate.low


def test_values_are_means_over_seeds():
    scores, positive, _ = SMALL.draw(np.random.default_rng(1))
    each = [[roc_auc_score(positive, row) for row in seeds] for seeds in scores]
    found = cross(scores, positive)
    assert found.condition(0).value == pytest.approx(np.mean(each[0]))
    assert found.difference(0, 1).value == pytest.approx(np.mean(each[0]) - np.mean(each[1]))


def by_definition(scores, positive, level=0.95):
    """The interval of A - B without groups, written down from the definitions."""
    n1, n0 = int(positive.sum()), int((~positive).sum())
    d, u = [], []
    for a, b in zip(scores[0], scores[1], strict=True):
        (va, ia), (vb, ib) = (measure("auroc", row[None, :], positive) for row in (a, b))
        d.append(va[0] - vb[0])
        spread = np.where(positive, n1 / (n1 - 1), n0 / (n0 - 1)) ** 0.5
        u.append((ia[0] - ib[0]) * spread)
    s = len(d)
    shared = max(float(np.mean([u[i] @ u[j] for i, j in combinations(range(s), 2)])), 0.0)
    noise = float(np.mean([one @ one for one in u])) - shared
    seen = float(np.var(d, ddof=1))
    total = shared + max(seen, noise) / s
    mean = np.mean(u, axis=0)
    carried = (mean**4).sum() / (mean @ mean) ** 2 - 1 / mean.size
    degrees = min(2 / carried, mean.size - 1)
    df = total**2 / (shared**2 / degrees + (seen / s) ** 2 / (s - 1))
    half = stats.t.ppf(0.5 + level / 2, df) * total**0.5
    z = stats.norm.ppf(0.5 + level / 2)
    further = (mean**3).sum() / total * (2 * z * z + 1) / 6
    middle = float(np.mean(d))
    return middle - half + min(further, 0), middle + half + max(further, 0)


@pytest.mark.parametrize("seed", range(4))
def test_a_difference_is_as_defined(seed):
    scores, positive, _ = SMALL.draw(np.random.default_rng(seed))
    found = cross(scores, positive).difference(0, 1)
    assert (found.low, found.high) == pytest.approx(by_definition(scores, positive), abs=1e-9)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("groups", [False, True])
def test_the_variance_is_what_draws_show(metric, groups):
    items = 300 if groups else 100
    system = System(n=items, seeds=4, memory=0.15, transfer=0.4, groups=groups, metric=metric)
    rng = np.random.default_rng(3)
    values, variances = [], []
    for _ in range(200):
        scores, positive, named = system.draw(rng)
        found = cross(scores, positive, metric=metric, groups=named)
        values.append(found.difference(0, 1).value)
        variances.append(found._variance((1.0, -1.0, 0.0))[0])
    assert np.mean(variances) == pytest.approx(np.var(values), rel=0.3)


def test_ignoring_groups_shows_too_small_a_variance():
    system = System(n=150, seeds=6, memory=0.3, groups=True, item=1.0, run=0.0, seed_effect=0.0)
    rng = np.random.default_rng(4)
    respected, ignored = [], []
    for _ in range(30):
        scores, positive, groups = system.draw(rng)
        respected.append(width(cross(scores, positive, groups=groups).difference(0, 1)))
        ignored.append(width(cross(scores, positive).difference(0, 1)))
    assert np.mean(ignored) < 0.8 * np.mean(respected)


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), metric=st.sampled_from(METRICS), grouped=st.booleans())
def test_conditions_swapped_negate(seed, metric, grouped):
    system = System(n=40, seeds=3, memory=0.1, transfer=0.3, groups=grouped)
    found = made(system, seed, metric=metric)
    there, back = found.difference(0, 1), found.difference(1, 0)
    assert (back.low, back.high) == pytest.approx((-there.high, -there.low))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000), metric=st.sampled_from(METRICS), grouped=st.booleans())
def test_the_order_of_seeds_and_items_does_not_matter(seed, metric, grouped):
    system = System(n=40, seeds=3, memory=0.1, transfer=0.3, groups=grouped)
    rng = np.random.default_rng(seed)
    scores, positive, groups = system.draw(rng)
    items, seeds = rng.permutation(40), rng.permutation(3)
    moved = None if groups is None else [groups[at] for at in items]
    first = cross(scores, positive, metric=metric, groups=groups)
    again = cross(scores[:, seeds][:, :, items], positive[items], metric=metric, groups=moved)
    for one, other in (
        (first.difference(0, 1), again.difference(0, 1)),
        (first.condition(0), again.condition(0)),
    ):
        assert (one.low, one.value, one.high) == pytest.approx((other.low, other.value, other.high))


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10_000))
def test_a_monotone_transform_changes_no_interval(seed):
    scores, positive, _ = SMALL.draw(np.random.default_rng(seed))
    one, other = cross(scores, positive), cross(np.exp(scores), positive)
    assert one.difference(0, 1).low == pytest.approx(other.difference(0, 1).low)
    assert one.condition(1).high == pytest.approx(other.condition(1).high)


@pytest.mark.parametrize("metric", METRICS)
def test_every_item_twice_narrows_unless_copies_are_grouped(metric):
    scores, positive, _ = SMALL.draw(np.random.default_rng(7))
    names = [str(at) for at in range(SMALL.n)]
    twice, flags = np.tile(scores, 2), np.tile(positive, 2)
    once = cross(scores, positive, metric=metric)
    copied = cross(twice, flags, metric=metric)
    grouped = cross(twice, flags, metric=metric, groups=names * 2)
    weights = (1.0, -1.0, 0.0)
    assert copied.difference(0, 1).value == pytest.approx(once.difference(0, 1).value)
    assert copied._variance(weights)[0] < once._variance(weights)[0]
    assert grouped._variance(weights) == pytest.approx(once._variance(weights))
    assert width(grouped.difference(0, 1)) == pytest.approx(width(once.difference(0, 1)))


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("signal", [1.0, 9.0])
def test_conditions_that_never_differ_are_not_shown_to_be_the_same(metric, signal):
    scores, positive, _ = System(n=200, signal=signal).draw(np.random.default_rng(8))
    scores[:] = scores[:1, :1]
    found = cross(scores, positive, metric=metric, threshold=signal / 2.0).difference(0, 1)
    assert found.value == 0.0
    assert found.low == -found.high
    assert 0.005 < found.high < 0.02, "one item of two hundred, and not nothing"


def test_what_three_items_carry_is_known_badly_and_to_one_side():
    scores, positive, _ = System(n=200, item=1.0, run=0.0, seed_effect=0.0).draw(
        np.random.default_rng(9)
    )
    scores[:] = scores[1]
    worst = np.argsort(np.where(positive, scores[0, 0], np.inf))[:3]
    scores[0][:, worst] += 9.0
    found = cross(scores, positive).difference(0, 1)
    assert found.value > 0.0
    assert found.low < 0.0
    assert found.high - found.value > 1.3 * (found.value - found.low)


def test_seeds_that_differ_widen_and_seeds_that_agree_do_not_narrow_what_items_leave_open():
    rng = np.random.default_rng(10)
    blind = System(n=200, seeds=10, memory=0.2, item=1.0, run=0.0, seed_effect=0.0)
    scores, positive, _ = blind.draw(rng)
    ten, one = cross(scores, positive), cross(scores[:, :1], positive)
    assert width(ten.difference(0, 1)) == pytest.approx(width(one.difference(0, 1)))
    assert ten.over_seeds((1.0, -1.0, 0.0)) is not None
    assert width(ten.over_seeds((1.0, -1.0, 0.0))) == pytest.approx(0.0, abs=1e-12)
    moved = System(n=200, seeds=10, memory=0.2, item=1.0, run=0.0, seed_effect=0.8)
    wide = [width(made(moved, seed).difference(0, 1)) for seed in range(5)]
    assert min(wide) > width(ten.difference(0, 1))


def test_a_perfect_condition_has_a_one_sided_interval_of_some_width():
    for metric in METRICS:
        scores, positive, _ = System(n=100, signal=30.0).draw(np.random.default_rng(11))
        found = cross(scores, positive, metric=metric, threshold=15.0).condition(1)
        assert found.value == found.high == 1.0
        assert 0.9 < found.low < 0.99


def test_one_seed_has_no_interval_over_seeds():
    found = made(System(n=60, seeds=1, memory=0.1))
    assert found.over_seeds((1.0, -1.0, 0.0)) is None
    assert width(found.difference(0, 1)) > 0.02


def test_an_interval_over_seeds_is_students():
    values = np.array([0.2, 0.5, 0.4, 0.9])
    low, high = stats.t.interval(0.9, 3, values.mean(), stats.sem(values))
    found = student(values, level=0.9)
    assert (found.low, found.high) == pytest.approx((low, high))


def test_a_contrast_of_two_is_their_difference():
    found = made()
    assert found.contrast((1.0, -1.0, 0.0)) == found.difference(0, 1)


def test_no_interval_leaves_what_is_possible():
    scores, positive, _ = System(n=8, seeds=2, signal=9.0).draw(np.random.default_rng(12))
    scores[1] = -scores[1]
    found = cross(scores, positive).difference(0, 1)
    assert found.value == found.high == 1.0
    assert cross(scores, positive).condition(1).low >= 0.0
