"""Exact power of the sign test against enumeration and simulation of the test itself."""

import math

import numpy as np
import pytest
from scipy import stats

from assay.stats import differences, power
from assay.stats.permutation import flip_signs
from assay.stats.power import (
    effect_for,
    fewest_pairs,
    pairs_for,
    share_pairs,
    share_power,
)


def enumerated(pairs, up, down, alpha):
    """The chance of a gain that scipy's binomial test shows, over every outcome."""
    total = 0.0
    for gained in range(pairs + 1):
        for lost in range(pairs + 1 - gained):
            if gained > lost and stats.binomtest(gained, gained + lost).pvalue <= alpha + 1e-12:
                total += stats.multinomial.pmf(
                    [gained, lost, pairs - gained - lost], pairs, [up, down, 1.0 - up - down]
                )
    return total


@pytest.mark.parametrize("pairs", [5, 6, 12, 25])
@pytest.mark.parametrize(("up", "down"), [(0.3, 0.1), (0.9, 0.0), (0.2, 0.2), (0.0, 0.4)])
@pytest.mark.parametrize("alpha", [0.05, 0.01])
def test_power_is_that_of_every_outcome_gone_through(pairs, up, down, alpha):
    assert share_power(pairs, up, down, alpha=alpha) == pytest.approx(
        enumerated(pairs, up, down, alpha), abs=1e-12
    )


def test_the_sign_flip_test_has_the_power_foretold():
    rng = np.random.default_rng(1)
    pairs, repeats, shown = 12, 800, 0
    for _ in range(repeats):
        gaps = rng.choice([1.0, -1.0, 0.0], (pairs, 1), p=[0.6, 0.1, 0.3])
        found = flip_signs(gaps, draws=1 << 14, seed=0)
        shown += int(found.p_values()[0] <= 0.05 and found.observed[0] > 0.0)
    expected = share_power(pairs, 0.6, 0.1, alpha=0.05)
    spread = math.sqrt(expected * (1.0 - expected) / repeats)
    assert abs(shown / repeats - expected) < 4.0 * spread


def test_nothing_that_moves_shows_nothing():
    assert share_power(50, 0.0, 0.0, alpha=0.05) == 0.0


def test_without_an_effect_a_gain_is_shown_at_half_the_error_rate_at_most():
    for pairs in (6, 17, 60, 300):
        for moved in (0.05, 0.5, 1.0):
            assert share_power(pairs, moved / 2, moved / 2, alpha=0.05) <= 0.025


@pytest.mark.parametrize(("up", "down"), [(0.3, 0.1), (0.5, 0.0), (0.1, 0.0), (0.25, 0.15)])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
def test_the_fewest_pairs_reach_the_power_and_keep_it(up, down, power):
    found = share_pairs(up, down, alpha=0.05, power=power)
    assert share_power(found - 1, up, down, alpha=0.05) < power
    later = range(found, found + found // 2 + 20)
    assert min(share_power(pairs, up, down, alpha=0.05) for pairs in later) >= power


def test_a_certain_gain_takes_six_pairs():
    assert fewest_pairs(0.05) == 6
    assert share_pairs(1.0, 0.0, alpha=0.05, power=0.8) == 6
    assert share_power(5, 1.0, 0.0, alpha=0.05) == 0.0
    assert share_power(6, 1.0, 0.0, alpha=0.05) == pytest.approx(1.0)


@pytest.mark.parametrize("alpha", [0.05, 0.03125, 0.01, 0.001])
def test_the_fewest_pairs_are_those_whose_flips_are_rare_enough(alpha):
    fewest = fewest_pairs(alpha)
    assert 2.0 * 0.5**fewest <= alpha * (1.0 + 1e-6)
    assert 2.0 * 0.5 ** (fewest - 1) > alpha


def test_the_smallest_effect_of_so_many_pairs_takes_so_many_pairs():
    effect = effect_for(150, 0.4, alpha=0.05, power=0.8)
    assert pairs_for(effect * 1.0001, 0.4, alpha=0.05, power=0.8) == 150
    assert pairs_for(-effect * 1.0001, 0.4, alpha=0.05, power=0.8) == 150
    assert pairs_for(effect / 2, 0.4, alpha=0.05, power=0.8) == pytest.approx(580, abs=20)


def test_with_many_pairs_the_power_is_that_of_the_normal_test_and_with_few_less():
    pairs = pairs_for(0.02, 1.0, alpha=0.05, power=0.8)
    plain = stats.norm.sf(stats.norm.ppf(0.975) - 0.02 * math.sqrt(pairs))
    assert plain == pytest.approx(0.8, abs=0.005)
    for effect, spread in ((0.075, 0.1), (0.2, 0.25), (5.0, 20.0)):
        pairs = pairs_for(effect, spread, alpha=0.05, power=0.8)
        assert stats.norm.sf(stats.norm.ppf(0.975) - effect / spread * math.sqrt(pairs)) > 0.8


def test_an_effect_too_small_for_any_number_of_pairs_has_none():
    assert share_pairs(0.2001, 0.2, alpha=0.05, power=0.8) is None


def test_the_bound_of_counts_is_that_of_the_pairs_themselves():
    for up, down, pairs in ((0, 0, 61), (3, 1, 12), (0, 4, 40), (20, 20, 60)):
        gaps = np.array([1.0] * up + [-1.0] * down + [0.0] * (pairs - up - down))
        (found,) = differences.share_lower(np.array([up]), np.array([down]), pairs, 0.05)
        assert found == pytest.approx(differences.paired(gaps, whole=1.0).lower(0.05), abs=1e-12)


@pytest.mark.parametrize(("up", "down", "margin"), [(0.01, 0.01, 0.05), (0.0, 0.0, 0.05)])
def test_as_many_pairs_as_a_gate_needs_show_it_as_often_as_was_asked(up, down, margin):
    pairs = power.gate_pairs(up, down, margin=margin, alpha=0.05, power=0.8)
    rng = np.random.default_rng(4)
    moves = rng.choice([1.0, -1.0, 0.0], p=[up, down, 1.0 - up - down], size=(600, pairs))
    shown = [differences.paired(row, whole=1.0).lower(0.05) > -margin for row in moves]
    assert np.mean(shown) > 0.74
    assert power.gate_power(pairs // 2, up, down, margin=margin, alpha=0.05) < 0.8
