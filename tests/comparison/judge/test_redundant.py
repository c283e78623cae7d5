"""Columns that are no evidence of their own are found, and no others."""

from itertools import permutations

import numpy as np
import pytest

from assay.comparison.judge.redundant import redundant
from assay.comparison.spec import Dimension


def left_out(values, names, *, gated=(), assumed=True):
    dimensions = [Dimension(name=name, gated=name in gated) for name in names]
    rows = np.asarray(values, dtype=float)
    found = redundant(dimensions, rows, np.zeros(len(rows), dtype=np.intp), assumed=assumed)
    return {names[at]: why for at, why in found.items()}


def parts(n=40, seed=0):
    return np.random.default_rng(seed).integers(0, 2, (n, 2)).astype(float)


@pytest.mark.parametrize("order", list(permutations("abs")))
@pytest.mark.parametrize("weight", [0.5, 0.9])
def test_an_overall_score_beside_its_parts_is_left_out_in_any_order(order, weight):
    a, b = parts().T
    columns = {"a": a, "b": b, "s": weight * a + (1.0 - weight) * b}
    found = left_out(np.stack([columns[name] for name in order], axis=1), order)
    assert found == {"s": "s is a weighted mean of other columns"}


def test_an_overall_score_stays_if_it_is_gated_or_planned_or_the_runs_are_few():
    a, b = parts().T
    values = np.stack([a, b, (a + b) / 2.0], axis=1)
    assert left_out(values, "abs", gated="s") == {}
    assert left_out(values, "abs", assumed=False) == {}
    assert left_out(values[:5], "abs") == {}


def test_categories_that_exclude_each_other_and_near_means_all_stay():
    a, b = parts().T
    one_hot = np.eye(3)[np.random.default_rng(1).integers(0, 3, 60)]
    assert left_out(one_hot, "xyz") == {}
    near = (a + b) / 2.0
    near[7] += 0.01
    assert left_out(np.stack([a, b, near], axis=1), "abs") == {}
    assert left_out(np.stack([a, b, a + b], axis=1) / 2.0, "abs") == {}


def test_no_column_is_a_mean_of_others_by_chance():
    rng = np.random.default_rng(2)
    for n in (6, 8, 10, 30):
        for _ in range(100):
            assert left_out(rng.random((n, 3)), "abc") == {}
            words = left_out(rng.integers(0, 2, (n, 3)), "abc").values()
            assert not any("mean" in why for why in words)
            words = left_out(rng.integers(0, 5, (n, 3)) / 4.0, "abc").values()
            assert not any("mean" in why for why in words)
