"""Which regime is said of which intervals, exact Shapley values, falls, and pilots."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.dual_condition.evidence import Past, Thresholds, subset_name
from assay.dual_condition.judge.judge import _shapley_weights
from assay.dual_condition.judge.regime import Regime, Split, is_pilot, regime_of, surely_fell
from assay.stats.estimate import Estimate

NOT_LOW = (0.80, 0.85)
LOW = (0.50, 0.60)


def interval(low, high, value=None):
    middle = (low + high) / 2.0 if value is None else value
    return Estimate(value=middle, low=low, high=high, level=0.95, n=200, how="")


def past(value, low, high):
    return Past(made="2026-11-01", checksum="", value=value, low=low, high=high)


def said(
    difference, without=NOT_LOW, *, split=None, closed=True, placebo=None, history=(), **thresholds
):
    return regime_of(
        interval(*difference),
        interval(*without),
        split=split,
        closed=closed,
        beyond_placebo=None if placebo is None else interval(*placebo),
        history=history,
        thresholds=Thresholds(**thresholds),
    )


@pytest.mark.parametrize(
    ("difference", "without", "regime"),
    [
        ((-0.02, 0.02), NOT_LOW, Regime.POLISH),
        ((0.005, 0.019), NOT_LOW, Regime.POLISH),
        ((-0.021, 0.0), NOT_LOW, Regime.UNDETERMINED),
        ((0.0, 0.03), NOT_LOW, Regime.UNDETERMINED),
        ((-0.20, -0.10), NOT_LOW, Regime.HARMFUL),
        ((-0.64, -0.50), NOT_LOW, Regime.HARMFUL),
        ((-0.03, -0.001), LOW, Regime.HARMFUL),
        ((-0.03, 0.0), NOT_LOW, Regime.UNDETERMINED),
        ((-0.019, -0.001), NOT_LOW, Regime.POLISH),
        ((0.001, 0.03), NOT_LOW, Regime.LEARNING),
        ((0.10, 0.20), NOT_LOW, Regime.LEARNING),
        ((0.051, 0.20), LOW, Regime.MEMORY_CARRIED),
        ((0.05, 0.20), LOW, Regime.LEARNING),
        ((0.10, 0.20), (0.50, 0.65), Regime.LEARNING),
        ((-0.01, 0.20), LOW, Regime.UNDETERMINED),
    ],
)
def test_a_regime_is_decided_on_the_ends_of_intervals(difference, without, regime):
    assert said(difference, without) is regime


def test_thresholds_move_the_regimes():
    assert said((0.0, 0.03), polish=0.03) is Regime.POLISH
    assert said((0.04, 0.20), LOW, memory_gap=0.03) is Regime.MEMORY_CARRIED
    assert said((0.10, 0.20), LOW, memory_floor=0.55) is Regime.LEARNING


def split(*, memorises=False, transfers=False):
    return Split(decidable=True, memorises=memorises, transfers=transfers)


@pytest.mark.parametrize(
    ("told", "without", "regime"),
    [
        (split(memorises=True), NOT_LOW, Regime.MEMORISED),
        (split(memorises=True), LOW, Regime.MEMORISED),
        (split(memorises=True, transfers=True), LOW, Regime.MEMORY_CARRIED),
        (split(memorises=True, transfers=True), NOT_LOW, Regime.LEARNING),
        (split(transfers=True), LOW, Regime.LEARNING),
        (split(), LOW, Regime.LEARNING),
        (None, LOW, Regime.MEMORY_CARRIED),
        (Split(decidable=False), LOW, Regime.UNDETERMINED),
        (Split(decidable=False), NOT_LOW, Regime.UNDETERMINED),
    ],
)
def test_what_a_gain_is_made_of_decides_what_it_is_called(told, without, regime):
    assert said((0.10, 0.20), without, split=told) is regime


def test_what_does_not_rest_on_c_is_said_without_one():
    lost = Split(decidable=False)
    assert said((-0.01, 0.01), split=lost) is Regime.POLISH
    assert said((-0.20, -0.10), split=lost) is Regime.HARMFUL
    assert said((0.10, 0.20), split=lost, history=[past(0.95, 0.94, 0.96)]) is Regime.DEPENDENT


def test_memory_that_hides_a_harm_is_memorised():
    assert said((-0.05, 0.30), split=split(memorises=True)) is Regime.MEMORISED


def test_a_gain_on_unseen_items_is_not_memorised_and_changes_nothing_else():
    unseen = {"decidable": True, "memorises": True, "helps_unseen": True}
    assert said((0.10, 0.20), split=Split(**unseen)) is Regime.UNDETERMINED
    assert said((0.10, 0.20), LOW, split=Split(**unseen)) is Regime.UNDETERMINED
    assert said((0.10, 0.20), split=Split(**unseen, transfers=True)) is Regime.LEARNING
    assert said((-0.20, -0.10), split=Split(**unseen)) is Regime.HARMFUL
    assert not Split(decidable=True, helps_unseen=True).contradicted


def test_a_system_that_speaks_to_others_is_not_said_to_do_without():
    assert said((-0.01, 0.01), closed=False) is Regime.UNDETERMINED
    assert said((0.10, 0.20), closed=False) is Regime.LEARNING


def test_a_gain_that_a_placebo_brings_as_well_is_not_learning():
    assert said((0.10, 0.20), placebo=(0.01, 0.10)) is Regime.LEARNING
    assert said((0.10, 0.20), placebo=(0.0, 0.10)) is Regime.UNDETERMINED


def test_a_fallen_b_is_dependent_however_much_the_state_brings():
    fallen = [past(0.95, 0.94, 0.96)]
    assert said((0.10, 0.20), history=fallen) is Regime.DEPENDENT
    assert said((0.10, 0.20), LOW, history=fallen) is Regime.DEPENDENT
    assert said((-0.30, 0.30), history=fallen) is Regime.DEPENDENT
    assert said((-0.01, 0.01), history=fallen) is Regime.POLISH


def test_a_fall_is_bounded_by_both_intervals():
    now = interval(0.80, 0.84)
    found = surely_fell(now, [past(0.92, 0.89, 0.95)])
    assert found == pytest.approx(0.92 - 0.82 - (0.03**2 + 0.02**2) ** 0.5)
    assert surely_fell(now, []) == -float("inf")


def test_the_same_fall_is_less_sure_among_many_pasts():
    now, high = interval(0.80, 0.84), past(0.92, 0.89, 0.95)
    rest = [past(0.82, 0.80, 0.84)] * 9
    wider = stats.norm.ppf(1 - 0.025 / 10) / stats.norm.ppf(0.975)
    expected = 0.10 - wider * (0.03**2 + 0.02**2) ** 0.5
    assert surely_fell(now, [high, *rest]) == pytest.approx(expected)
    assert surely_fell(now, [high, *rest]) < surely_fell(now, [high])


def by_orders(names, layer, worth):
    """The mean, over all orders of arrival, of what a layer adds when it comes."""
    orders = list(permutations(names))
    added = []
    for order in orders:
        before = order[: order.index(layer)]
        added.append(
            worth[subset_name(names, (*before, layer))] - worth[subset_name(names, before)]
        )
    return sum(added) / len(orders)


@settings(max_examples=40, deadline=None)
@given(count=st.integers(2, 5), data=st.data())
def test_shapley_values_are_means_over_orders_and_add_up_to_the_whole(count, data):
    names = [f"l{at}" for at in range(count)]
    kept = [tuple(n for at, n in enumerate(names) if mask >> at & 1) for mask in range(1 << count)]
    worth = {subset_name(names, one): data.draw(st.floats(0.0, 1.0)) for one in kept}
    total = 0.0
    for name in names:
        weights = _shapley_weights(names, name)
        found = sum(weight * worth[condition] for condition, weight in weights.items())
        assert found == pytest.approx(by_orders(names, name, worth))
        assert sum(weights.values()) == pytest.approx(0.0)
        total += found
    assert total == pytest.approx(worth["A"] - worth["B"])


def test_a_layer_that_changes_nothing_is_worth_nothing():
    names = ["memory", "cache", "weights"]
    weights = _shapley_weights(names, "cache")
    without = {
        subset_name(names, kept): 0.5 + 0.1 * ("memory" in kept) + 0.05 * ("weights" in kept)
        for kept in (
            (), ("memory",), ("cache",), ("weights",), ("memory", "cache"), ("memory", "weights"),
            ("cache", "weights"), ("memory", "cache", "weights"),
        )
    }  # fmt: skip
    assert sum(w * without[c] for c, w in weights.items()) == pytest.approx(0.0)


def test_few_of_a_class_are_a_pilot_however_many_there_are_of_the_other():
    assert is_pilot(1, 10_000)
    assert is_pilot(5, 10_000)
    assert not is_pilot(100, 100)
    assert not is_pilot(30, 30)


@settings(deadline=None)
@given(ones=st.integers(2, 60), others=st.integers(2, 60))
def test_more_items_never_make_a_pilot(ones, others):
    if not is_pilot(ones, others):
        assert not is_pilot(ones + 1, others)
        assert not is_pilot(ones, others + 1)
    assert is_pilot(ones, others) == is_pilot(others, ones)
