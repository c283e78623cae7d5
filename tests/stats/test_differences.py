"""Intervals of mean differences: by hand, by scipy where nothing is made up, and by coverage."""

import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.stats.differences import clustered, paired, unpaired

GAPS = st.lists(st.integers(-4, 4).map(lambda x: x / 4), min_size=1, max_size=30).map(np.array)
Z95 = stats.norm.ppf(0.975)


def arms(first, second):
    values = np.concatenate([first, second]).astype(float)
    flags = np.repeat([False, True], [len(first), len(second)])
    return values, flags, np.zeros(len(values), dtype=np.intp)


def outcomes(pairs):
    """Every number of pairs that went down and up, as one array of differences."""
    return {
        (down, up): np.array([-1.0] * down + [1.0] * up + [0.0] * (pairs - down - up))
        for down in range(pairs + 1)
        for up in range(pairs + 1 - down)
    }


def chance_of(pairs, down, up, p_down, p_up):
    return stats.multinomial.pmf(
        [down, up, pairs - down - up], pairs, [p_down, p_up, 1.0 - p_down - p_up]
    )


def test_without_ends_paired_is_the_t_interval_of_scipy():
    gaps = np.random.default_rng(1).standard_normal(12)
    reference = stats.ttest_1samp(gaps, 0.0).confidence_interval(0.95)
    assert paired(gaps, whole=None).interval(0.95) == pytest.approx((reference.low, reference.high))


def test_without_ends_unpaired_is_the_welch_interval_of_scipy():
    rng = np.random.default_rng(1)
    first, second = rng.standard_normal(7), 3.0 * rng.standard_normal(15)
    welch = stats.ttest_ind(second, first, equal_var=False)
    reference = welch.confidence_interval(0.95)
    found = unpaired(*arms(first, second), ends=None)
    assert found.df == pytest.approx(welch.df)
    assert found.interval(0.95) == pytest.approx((reference.low, reference.high))


def test_paired_shares_have_the_interval_of_bonett_and_price():
    down, up, pairs = 3, 9, 40
    p12, p21 = (up + 1) / (pairs + 2), (down + 1) / (pairs + 2)
    error = math.sqrt((p12 + p21 - (p12 - p21) ** 2) / (pairs + 2))
    low, high = p12 - p21 - Z95 * error, p12 - p21 + Z95 * error
    gaps = np.array([-1.0] * down + [1.0] * up + [0.0] * (pairs - down - up))
    # ours divides by one less, as every variance of a sample here
    assert paired(gaps, whole=1.0).interval(0.95) == pytest.approx((low, high), abs=0.003)
    assert paired(gaps, whole=1.0).centre == pytest.approx(p12 - p21)


def test_unpaired_shares_have_the_interval_of_agresti_and_caffo():
    first, second = [1] * 30 + [0] * 10, [1] * 45 + [0] * 5
    p1, p2 = 31 / 42, 46 / 52
    error = math.sqrt(p1 * (1 - p1) / 42 + p2 * (1 - p2) / 52)
    found = unpaired(*arms(first, second), ends=(0.0, 1.0))
    assert found.value == pytest.approx(0.15)
    assert found.interval(0.95) == pytest.approx(
        (p2 - p1 - Z95 * error, p2 - p1 + Z95 * error), abs=0.003
    )


@given(GAPS)
@settings(deadline=None)
def test_swapping_the_sides_turns_the_interval_round(gaps):
    for of in (partial(paired, whole=1.0), partial(clustered, runs=1.0)):
        there, back = of(gaps), of(-gaps)
        assert back.value == pytest.approx(-there.value)
        assert back.interval(0.95) == pytest.approx([-x for x in there.interval(0.95)[::-1]])
        assert back.lower(0.05) == pytest.approx(-there.upper(0.05))


@given(GAPS, st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=20))
@settings(deadline=None)
def test_swapping_unpaired_sides_turns_the_interval_round(first, second):
    first = np.abs(first)
    there = unpaired(*arms(first, second), ends=(0.0, 1.0))
    back = unpaired(*arms(second, first), ends=(0.0, 1.0))
    assert back.value == pytest.approx(-there.value)
    assert back.interval(0.95) == pytest.approx([-x for x in there.interval(0.95)[::-1]])
    assert back.lower(0.05) == pytest.approx(-there.upper(0.05))


@given(GAPS, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_pairs_changes_no_interval(gaps, random):
    moved = gaps.tolist()
    random.shuffle(moved)
    assert paired(np.array(moved), whole=1.0).interval(0.9) == pytest.approx(
        paired(gaps, whole=1.0).interval(0.9)
    )


@given(GAPS)
@settings(deadline=None)
def test_bounds_with_one_end_are_never_inside_the_ninety_percent_interval(gaps):
    found = paired(gaps, whole=1.0)
    low, high = found.interval(0.9)
    assert found.lower(0.05) <= low + 1e-12
    assert found.upper(0.05) >= high - 1e-12


def test_where_nothing_differs_the_interval_still_has_a_width():
    assert paired(np.zeros(5), whole=1.0).interval(0.95)[0] < -0.3
    assert unpaired(*arms([1.0] * 5, [1.0] * 5), ends=(0.0, 1.0)).interval(0.95)[0] < -0.3


def test_where_nothing_differs_and_there_are_no_ends_there_is_no_interval():
    assert paired(np.full(5, 0.25), whole=None) is None
    assert unpaired(*arms([0.5] * 5, [0.5] * 5), ends=None) is None


def test_fewer_than_59_equal_pairs_do_not_rule_out_a_loss_of_a_twentieth():
    assert paired(np.zeros(58), whole=1.0).lower(0.05) < -0.05
    assert paired(np.zeros(61), whole=1.0).lower(0.05) > -0.05


@pytest.mark.parametrize("pairs", [46, 52, 61, 76, 96, 127])
@pytest.mark.parametrize("up", [0.0, 0.01, 0.05])
def test_a_lower_bound_seldom_misses_a_loss_of_exactly_the_margin(pairs, up):
    wrong = 0.0
    for down in range(min(pairs, 14) + 1):
        for gained in range(min(pairs - down, 16) + 1):
            gaps = np.zeros(pairs)
            gaps[:down], gaps[down : down + gained] = -1.0, 1.0
            if paired(gaps, whole=1.0).lower(0.05) > -0.05:
                wrong += chance_of(pairs, down, gained, up + 0.05, up)
    assert wrong < 0.0525


@pytest.mark.parametrize("pairs", [5, 10, 25])
@pytest.mark.parametrize(("down", "up"), [(0.0, 0.0), (0.05, 0.0), (0.2, 0.05), (0.3, 0.3)])
def test_the_interval_of_paired_shares_covers_by_enumeration(pairs, down, up):
    covered = 0.0
    for (lost, gained), gaps in outcomes(pairs).items():
        low, high = paired(gaps, whole=1.0).interval(0.95)
        if low <= up - down <= high:
            covered += chance_of(pairs, lost, gained, down, up)
    assert covered > 0.94


@pytest.mark.parametrize(
    ("runs", "rates"),
    [
        ((10, 10), (0.5, 0.9)),
        ((2, 50), (0.5, 1.0)),
        ((10, 50), (0.5, 0.95)),
        ((1, 2, 10, 30), (0.5, 0.5, 0.9, 0.9)),
    ],
)
def test_uneven_strata_that_vary_differently_are_covered(runs, rates):
    rng = np.random.default_rng(7)
    strata = np.tile(np.repeat(np.arange(len(runs)), runs), 2).astype(np.intp)
    second = np.repeat([False, True], sum(runs))
    chances = np.tile(np.repeat(rates, runs), 2)
    covered, repeats = 0, 500
    for _ in range(repeats):
        values = (rng.random(chances.size) < chances).astype(float)
        low, high = unpaired(values, second, strata, ends=(0.0, 1.0)).interval(0.95)
        covered += int(low <= 0.0 <= high)
    assert covered / repeats > 0.91


def test_strata_count_alike_however_many_runs_they_have():
    values = np.array([0.0, 1.0, 0.0, 0.0, 0.0, 0.0])
    second = np.array([False, True, False, False, True, True])
    strata = np.array([0, 0, 1, 1, 1, 1], dtype=np.intp)
    assert unpaired(values, second, strata, ends=(0.0, 1.0)).value == pytest.approx(0.5)


def test_means_of_several_runs_have_students_interval():
    gaps = np.array([0.2, 0.0, -0.2, 0.2, 0.2, 0.0, 0.2, 0.0, 0.2, 0.2])
    normal, student = paired(gaps, whole=0.2), clustered(gaps, runs=25.0)
    everyone = np.concatenate([gaps, [-0.2, 0.2]])
    reference = stats.t.interval(0.95, 11, everyone.mean(), stats.sem(everyone))
    assert student.interval(0.95) == pytest.approx(reference)
    assert normal.interval(0.95)[0] > student.interval(0.95)[0]


def test_more_pairs_of_the_same_kind_make_the_interval_narrower_by_the_root():
    gaps = np.array([1.0, 0.0, -1.0, 0.0] * 100)
    few, many = paired(gaps, whole=1.0), paired(np.tile(gaps, 4), whole=1.0)
    assert few.error / many.error == pytest.approx(2.0, rel=0.01)
    assert many.spread == pytest.approx(gaps.std(), rel=0.01)
