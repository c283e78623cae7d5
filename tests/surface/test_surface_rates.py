"""Short versions of benchmarks/surface_rates.py; the tables are in the docs."""

import math

import numpy as np
from helpers.scale import scale
from surface_rates import at_the_bar, beyond, fitness, pooled, real
from surface_situations import SURFACE_ONLY, draw_benchmark


def test_methods_that_are_nothing_but_surface_do_not_pass_beyond_it():
    rng = np.random.default_rng(21)
    drawn = draw_benchmark(rng, size=300, shape="plain")
    for name in scale(("words", "boosted trees", "bayes"), SURFACE_ONLY):
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
    """Two draws of a true .65; an optimist, who takes the estimate, passes the first."""
    (above, *decided), (below, *decided_too) = (at_the_bar(("weak", 108, seed)) for seed in (0, 2))
    assert 0.55 < below < 0.65 < above < 0.75
    assert not any((*decided, *decided_too))


def test_a_benchmark_whose_labels_are_shuffled_is_not_called_confounded():
    """The first draw has a joint AUC of .63 by chance, which the interval must forgive."""
    for seed in (0, 1):
        assert fitness(("plain", 108, seed))[1] == "undecided"


def test_what_was_drawn_is_kept_and_not_drawn_again(tmp_path):
    keep = tmp_path / "drawn.jsonl"
    first = pooled(math.sqrt, [4, 9], keep)
    keep.write_text(keep.read_text().replace("3.0", "7.0"))
    cells = [("x", 1), ("y", 2)]
    assert first == [(4, 2.0), (9, 3.0)]
    assert pooled(math.sqrt, [9, 4, 16], keep) == [(9, 7.0), (4, 2.0), (16, 4.0)]
    assert pooled(len, cells, tmp_path / "pairs.jsonl") == [(cell, 2) for cell in cells]
    assert pooled(abs, cells, tmp_path / "pairs.jsonl") == [(cell, 2) for cell in cells]
