"""Short versions of the simulations in benchmarks/error_rates.py; the tables are in the docs."""

import numpy as np
import pytest
from error_rates import clustered, odd, paired, shares, single, uneven_groups
from group_situations import CHOOSING, CHOOSING_LATER
from situations import Situation, shift
from verdicts import forecast, rates

WORST = (0.97, 50, 0.2, False), (0.97, 108, 0.5, True), (0.7, 108, 0.5, False)


@pytest.mark.parametrize("cell", WORST)
def test_the_interval_covers_where_the_symmetric_one_does_not(cell):
    situation = Situation(**dict(zip(("auc", "n", "share_positive", "levels"), cell, strict=True)))
    ours, symmetric, over, _ = single(situation, 400, seed=1)
    assert ours >= 0.93
    assert over <= 0.075
    if cell[0] == 0.97:
        assert symmetric < 0.93, "the planted wrong must be seen"


def test_a_difference_covers_at_the_hardest_corner():
    ours, over, under = paired(((0.97, 0.87), 108, 0.2, 0.9, True), 400, seed=2)
    assert ours >= 0.93
    assert max(over, under) <= 0.08


def test_ignoring_one_class_groups_invents_evidence_and_respecting_them_does_not():
    respected, ignored = clustered((0.7, 30, 6, False, False), 300, seed=3)
    assert respected >= 0.91
    assert ignored < 0.85


@pytest.mark.parametrize(
    "cell", [(CHOOSING[2], 0.95, 30), (CHOOSING[7], 0.8, 100), (CHOOSING_LATER[16], 0.85, 50)]
)
def test_groups_that_differ_are_covered_where_obuchowskis_variance_fails(cell):
    before, passed, failed, ours, over, under = uneven_groups(cell, 300, seed=8)
    assert before < 0.92 or max(passed, failed) > 0.09, "the planted wrong must be seen"
    assert ours >= 0.93
    assert max(over, under) <= 0.08


def test_scores_of_another_shape_are_covered_where_the_symmetric_interval_fails():
    ours, symmetric, over = odd(("skewed", 0.97, (22, 86)), 300, seed=7)
    assert ours >= 0.92
    assert over <= 0.08
    assert symmetric < 0.90


def test_the_records_said_to_settle_it_do():
    needed, settled = forecast((0.6, "fail"), 100, seed=9)
    assert needed > 108
    assert 0.68 <= settled <= 0.97


def test_f1_covers():
    ours, over = shares(("F1", 0.7, 108), 300, seed=4)
    assert ours >= 0.93
    assert over <= 0.07


def test_a_method_exactly_at_a_bar_passes_and_fails_rarely():
    for boundary in ("v1", "v3", "a control read in the better direction"):
        passed, failed = rates(boundary, 200, seed=5)
        assert passed <= 0.08
        assert failed <= 0.08


def test_five_level_scores_have_the_auc_they_claim():
    rng = np.random.default_rng(6)
    for auc in (0.7, 0.97):
        situation = Situation(auc=auc, n=20_000, share_positive=0.5, levels=True)
        above, below = situation.draw(rng)
        assert len(set(above) | set(below)) == 5
        from assay.stats.auc import auc as measured

        assert measured(above, below) == pytest.approx(auc, abs=0.01)
    assert shift(0.5, True) == pytest.approx(0, abs=1e-6)
