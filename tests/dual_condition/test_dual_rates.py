"""Short versions of the simulations in benchmarks/dual_rates.py; the tables are in the docs.

A limit is passed by the true rate in about one seed of ten thousand.
"""

from dataclasses import replace

import dual_rates
import numpy as np
import pytest
from dual_rates import (
    HELD_BACK,
    PLANTED,
    SYSTEMS,
    UNEVEN,
    bootstraps,
    coverage,
    falls,
    least,
    pilot,
    planted,
    regimes,
    signal_of,
    still,
    uneven,
    unseen,
)
from dual_situations import System
from scipy import stats

from assay.dual_condition.judge.regime import is_pilot
from assay.stats.crossed import cross

DRAWS = 120


def fewest(rate=0.945, draws=DRAWS):
    """The fewest of so many draws that a true rate brings."""
    return stats.binom.ppf(1e-4, draws, rate) / draws


def most(rate, draws=DRAWS):
    return stats.binom.ppf(0.9999, draws, rate) / draws


@pytest.mark.parametrize("seeds", [5, 10])
@pytest.mark.parametrize(
    "name",
    [
        "no effect",
        "memory of 30 %",
        "the same, seeds differ by .09",
        "the same, groups of 2-5",
        "seed-blind, memory of 5 %",
    ],
)
def test_the_difference_is_held(name, seeds):
    _, ours, _, needed = coverage(replace(SYSTEMS[name], seeds=seeds), DRAWS, seed=seeds)
    assert ours[0] >= fewest()
    assert needed < ours[3] < 2.0 * needed, "wide enough, and no wider than it need be"


def test_an_interval_over_seeds_alone_misses_what_items_leave_open():
    _, ours, student, _ = coverage(replace(SYSTEMS["memory of 90 %"], seeds=10), DRAWS, seed=1)
    assert ours[0] >= fewest()
    assert student[0] < 0.8


def test_resampling_seeds_and_items_holds_less_often(monkeypatch):
    monkeypatch.setattr(dual_rates, "RESAMPLES", 99)
    system = replace(SYSTEMS["memory and transfer"], n=60, seed_effect=0.4)
    ours, plain, nested, _ = bootstraps(system, 100, seed=2)
    assert ours[0] >= fewest(draws=100)
    assert plain[0] < ours[0]
    assert nested[0] < 0.92


@pytest.mark.parametrize("name", PLANTED)
def test_planted_memorisation_and_transfer_are_recovered(name):
    memorised, transferred, *held = planted(PLANTED[name], DRAWS, seed=3)
    assert (memorised > 0.01) == ("memorises" in name or name == "both")
    assert (abs(transferred) > 0.01) == ("transfers" in name or name == "both")
    assert min(held[:3]) >= fewest()
    assert held[3] >= fewest(0.9)


def test_a_wrong_truth_is_not_held():
    system = System(memory=0.3, transfer=0.4, n=400)
    rng = np.random.default_rng(4)
    wrong = 0
    for _ in range(40):
        scores, positive, _ = system.draw(rng)
        found = cross(scores, positive).difference(0, 2)
        wrong += found.low <= system.gap("A", "B") <= found.high
    assert wrong < 20, "memorisation is not the whole learning contribution"


@pytest.mark.parametrize("metric", ["accuracy", "f1", "average-precision"])
def test_other_metrics_are_held(metric):
    system = System(memory=0.1, transfer=0.3, metric=metric)
    assert coverage(system, DRAWS, seed=5)[1][0] >= fewest(0.935)


@pytest.mark.parametrize("system", [System(), System(item=0.0, run=0.0), still(System())])
def test_no_effect_is_seldom_called_anything_else(system):
    _, _, said = regimes(system, DRAWS, seed=6)
    assert said["learning"] <= most(0.03) * DRAWS
    assert said["memory-carried"] == 0


def test_a_gap_at_the_edge_is_seldom_called_polish():
    system = still(System(n=1000))
    at_edge = replace(system, transfer=signal_of(system.truth("B") + 0.02, system) - 1.0)
    gap, _, said = regimes(at_edge, DRAWS, seed=7)
    assert gap == pytest.approx(0.02, abs=1e-6)
    assert said["polish"] <= most(0.05) * DRAWS
    assert regimes(system, 20, seed=7)[2]["polish"] == 20, "the same system without the gap is"


def test_memory_carried_is_said_where_it_is_and_not_of_a_better_b():
    poor = System(n=1000, signal=signal_of(0.55, System()), transfer=0.5, memory=0.3)
    assert regimes(poor, 40, seed=8)[2]["memory-carried"] > 30
    at_floor = replace(poor, signal=signal_of(0.65, poor))
    assert regimes(at_floor, DRAWS, seed=8)[2]["memory-carried"] <= most(0.04) * DRAWS


def test_a_gain_that_is_all_transfer_is_learning_and_one_that_is_all_memory_is_memorised():
    poor = System(n=1000, signal=signal_of(0.55, System()))
    assert regimes(replace(poor, transfer=0.8), 40, seed=12)[2]["learning"] > 30
    assert regimes(replace(poor, memory=0.3), 40, seed=12)[2]["memorised"] > 30


def test_a_gain_on_unseen_items_withdraws_memorised_and_seldom_without_one():
    known = System(memory=0.4, unseen=0.5)
    gap, before, after = unseen(known, DRAWS, seed=15)
    assert gap == 0.0 and before > 0.8
    assert before - after <= most(0.025)
    helped = replace(known, transfer=0.5, lost=True)
    gap, before, after = unseen(helped, 40, seed=15)
    assert gap > 0.05 and before > 0.8 and after < 0.1
    assert helped.gap("C", "B") == 0.0 and known.gap("A", "B") < System(memory=0.4).gap("A", "B")


def test_harm_is_said_where_it_is_and_seldom_where_there_is_none():
    assert regimes(System(transfer=-0.6), 40, seed=13)[2]["harmful"] > 30
    assert regimes(System(), DRAWS, seed=13)[2]["harmful"] <= most(0.03) * DRAWS


@pytest.mark.parametrize("seeds", [5, 10])
def test_runs_at_chance_are_found_and_the_interval_then_holds(seeds):
    system = replace(UNEVEN["one run of A in ten at chance"], seeds=seeds)
    _, _, there, said, where_said, where_not = uneven(system, DRAWS, seed=14)
    assert said > there - 0.25
    assert where_said >= fewest(draws=30)
    assert where_not < 0.85, "what no seed showed is in no interval, as the page says"


@pytest.mark.parametrize("name", HELD_BACK)
def test_families_that_did_not_choose_the_rule_are_held(name):
    assert uneven(replace(HELD_BACK[name], seeds=10), DRAWS, seed=15)[1] >= fewest(0.935)


@pytest.mark.parametrize("name", ["even seeds", "even seeds that differ by .13"])
def test_even_seeds_are_seldom_said_to_be_uneven(name):
    assert uneven(replace(UNEVEN[name], seeds=10), DRAWS, seed=16)[3] <= most(0.03)


def test_many_pasts_do_not_make_b_fall():
    assert falls(System(), 20, 0.0, DRAWS, seed=9) <= most(0.01)
    assert falls(System(), 20, 0.02, DRAWS, seed=9) <= most(0.05)
    assert falls(System(n=1000, seed_effect=0.02), 5, 0.1, 40, seed=9) > 0.9


def test_the_fewest_items_that_are_no_pilot_mostly_show_an_auc_of_three_quarters():
    for share in (0.5, 0.2):
        ones, others = least(share)
        assert is_pilot(ones - 1, others - 1)
        tested, shown = pilot(ones, others, 400, seed=10)
        assert tested == pytest.approx(0.8, abs=0.08)
        assert 0.55 < shown < tested + 0.05


@pytest.mark.parametrize(
    ("metric", "levels"),
    [
        ("auroc", False),
        ("auroc", True),
        ("average-precision", False),
        ("average-precision", True),
        ("accuracy", False),
        ("f1", False),
    ],
)
def test_systems_reach_what_they_are_said_to(metric, levels):
    system = System(
        n=40_000, seeds=3, memory=0.2, transfer=0.4, positive=0.3, metric=metric, seed_effect=0.02
    )
    system = replace(system, levels=levels)
    scores, positive, _ = system.draw(np.random.default_rng(11))
    found = cross(scores, positive, metric=metric)
    for at, name in enumerate("ABC"):
        assert found.condition(at).value == pytest.approx(system.truth(name), abs=0.015)
