"""A short version of benchmarks/net_effect_rates.py; the tables are in the docs."""

import numpy as np
import pytest
from net_effect_rates import best_power, gates_of, lost_of, peeking_of, verdicts_of


@pytest.mark.parametrize("world", ["ungated", "each", "one"])
@pytest.mark.parametrize("p", [0.95, 0.8])
@pytest.mark.parametrize("n", [3, 10, 30])
def test_with_no_effect_hardly_anything_is_ratified_or_rejected(world, p, n):
    ours, _ = verdicts_of(world, (p, p), n, 60)
    assert ours["ratify"] <= 9
    assert ours["reject"] <= 9


def test_three_runs_a_side_decide_nothing():
    assert verdicts_of("ungated", (0.5, 0.9), 3, 30)[0] == {"inconclusive": 30}


def test_a_gain_is_ratified_and_its_mirror_image_rejected_and_more_runs_help():
    few, theirs = verdicts_of("ungated", (0.5, 0.9), 10, 60)
    many, theirs_of_many = verdicts_of("ungated", (0.5, 0.9), 30, 60)
    assert few["ratify"] >= 46
    assert many["ratify"] >= 58
    assert theirs["ratify"] > theirs_of_many["ratify"]
    assert verdicts_of("ungated", (0.9, 0.5), 10, 60)[0]["reject"] >= 46


def test_looking_after_every_pair_ratifies_no_more_than_it_may():
    found = peeking_of("ungated", (0.8, 0.8), 25)
    assert sum(verdict == "ratify" for verdict, _ in found) <= 5
    gained = peeking_of("ungated", (0.5, 0.9), 25)
    assert all(verdict == "ratify" for verdict, _ in gained)
    assert np.median([pairs for _, pairs in gained]) <= 30


def test_strict_gates_stop_what_a_spotless_record_lets_through():
    loose, strict = gates_of((1.0, 0.95), 10, 60)
    assert loose >= 0.3
    assert strict == 0.0


def test_no_rule_can_show_a_gate_that_is_always_right_with_ten_runs():
    assert best_power(10, (1.0, 1.0), lost=0.05, alpha=0.05) == pytest.approx(
        0.05 / 0.95**10, abs=1e-3
    )
    assert best_power(10, (0.5, 0.9), lost=0.05, alpha=0.05) == pytest.approx(0.746, abs=1e-3)


def test_a_candidate_that_crashes_where_it_would_have_failed_gains_nothing_by_it():
    ours, left_out = lost_of("candidate, where it would have failed", "no effect", 150, 40)
    assert ours["ratify"] <= 4 and ours["reject"] <= 4
    assert ours["lost"] >= 10
    assert left_out["ratify"] >= 10  # leaving out by default is fooled, as harnesses are


def test_a_baseline_that_crashed_where_it_would_have_failed_is_not_held_to_be_better():
    ours, left_out = lost_of("baseline, where it would have failed", "no effect", 150, 40)
    assert ours["ratify"] <= 4 and ours["reject"] <= 4
    assert left_out["reject"] >= 10


def test_a_gain_is_still_shown_where_few_runs_are_lost_at_random():
    ours, _ = lost_of("baseline, at random", "gain", 150, 20)
    assert ours["ratify"] >= 14 and ours["reject"] == 0


def test_both_ways_err_together_where_a_loss_depends_on_the_other_side():
    """What the rule does not do; the documentation says so."""
    ours, _ = lost_of("candidate, where the baseline failed", "no effect", 150, 30)
    assert ours["reject"] >= 6
