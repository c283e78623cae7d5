"""Short versions of benchmarks/surface_rates.py; the tables are in the docs."""

import numpy as np
from surface_rates import at_the_bar, beyond, fitness, real
from surface_situations import SURFACE_ONLY, draw_benchmark


def test_methods_that_are_nothing_but_surface_do_not_pass_beyond_it():
    rng = np.random.default_rng(21)
    drawn = draw_benchmark(rng, size=300, shape="plain")
    for name in ("words", "auxiliary + copied words", "boosted trees", "bayes", "random tree"):
        bar = beyond(drawn, SURFACE_ONLY[name](drawn, rng))
        assert bar.lower_bound < 0.6, name
        assert bar.outcome != "pass"


def test_there_are_twenty_of_them_and_some_would_pass_the_bars_before():
    assert len(SURFACE_ONLY) == 20
    rng = np.random.default_rng(22)
    drawn = draw_benchmark(rng, size=300, shape="crossed")
    label = drawn.label > 0
    scores = SURFACE_ONLY["bayes"](drawn, rng)
    assert np.mean(scores[label]) > np.mean(scores[~label]) + 2.0


def test_a_signal_of_its_own_keeps_its_auc_and_passes_v4():
    plain, left, passed = real(("plain", 400, 1))
    assert passed
    assert abs(plain - left) < 0.06


def test_a_method_at_the_bar_is_not_passed_by_an_optimist():
    found = [at_the_bar(("weak", 108, seed)) for seed in range(6)]
    assert sum(passed for _, passed, _ in found) <= 2
    assert 0.5 < np.mean([value for value, _, _ in found]) < 0.75


def test_a_benchmark_whose_labels_are_shuffled_is_clean():
    assert [fitness(("plain", 108, seed))[1] for seed in range(4)].count("clean") >= 3
