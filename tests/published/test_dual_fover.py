"""The dual-condition protocol's published figures for FoVer, by the functions that judge."""

import numpy as np
import pytest

from assay.stats.crossed import student

SEEDS = (42, 137, 271, 314, 1729)
A = np.array([0.914952, 0.908738, 0.901450, 0.917102, 0.923426])
B = np.array([0.897008, 0.897914, 0.881334, 0.893026, 0.904030])


def test_the_means_are_the_published_ones():
    assert student(A).value == pytest.approx(0.9131336, abs=5e-8)
    assert student(B).value == pytest.approx(0.8946624, abs=5e-8)


def test_the_difference_and_its_interval_over_seeds_are_the_published_ones():
    found = student(A - B)
    assert found.value == pytest.approx(0.0184712, abs=5e-8)
    assert (round(found.low, 4), round(found.high, 4)) == (0.0125, 0.0245)
    assert found.n == len(SEEDS)


def test_unpaired_seeds_would_not_give_them():
    spread = float(np.sqrt((A.var(ddof=1) + B.var(ddof=1)) / 5.0))
    found = student(A - B)
    assert found.high - found.low < 2.0 * 1.96 * spread
