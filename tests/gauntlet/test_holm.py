import math

import pytest

from assay.gauntlet.holm import ConfidenceBounds, holm, times_more
from assay.stats.quantiles import normal_quantile


def one(value: float, spread: float, threshold: float = 0.5) -> ConfidenceBounds:
    """A normal estimate."""

    def interval(level: float) -> tuple[float, float]:
        z = normal_quantile(0.5 + level / 2)
        return value - z * spread, value + z * spread

    return ConfidenceBounds(value=value, threshold=threshold, interval=interval)


def with_p(p: float) -> ConfidenceBounds:
    """An estimate under its threshold with this one-sided p-value."""
    return one(0.5 - normal_quantile(1 - p) * 0.1, 0.1)


def test_holm_rejects_step_by_step():
    shown, alpha = holm([with_p(p) for p in (0.012, 0.02, 0.03, 0.04)], 0.05)
    assert shown == {0}
    assert alpha == 0.05 / 3
    assert holm([with_p(p) for p in (0.012, 0.016, 0.02, 0.2)], 0.05)[0] == {0, 1, 2}
    assert holm([with_p(0.013)] * 4, 0.05)[0] == frozenset()
    assert holm([with_p(0.001)] * 2, 0.05)[0] == {0, 1}


def test_times_more_is_the_power_formula():
    gap, spread = 0.1, 0.08
    found = times_more([one(0.5 + gap, spread)], alpha=0.05, power=0.8)
    assert found == pytest.approx(((1.6449 + 0.8416) * spread / gap) ** 2, rel=1e-3)
    found = times_more([one(0.5 - gap, spread)] * 4, alpha=0.05, power=0.8)
    assert found == pytest.approx(((2.2414 + 0.8416) * spread / gap) ** 2, rel=1e-3)


def test_to_pass_the_hardest_decides_and_to_fail_the_easiest():
    easy, hard = one(0.7, 0.2), one(0.55, 0.2)
    assert times_more([easy, hard], alpha=0.05, power=0.8) == times_more(
        [hard, hard], alpha=0.05, power=0.8
    )
    low, lower = one(0.45, 0.2), one(0.3, 0.2)
    assert times_more([low, lower, easy], alpha=0.05, power=0.8) == times_more(
        [lower, lower, lower], alpha=0.05, power=0.8
    )


def test_no_amount_of_data_settles_what_stands_at_its_threshold():
    assert times_more([one(0.5, 0.1)], alpha=0.05, power=0.8) is None
    assert times_more([one(0.9, 0.01)], alpha=0.05, power=0.8) is None
    assert math.isfinite(times_more([one(0.51, 0.1)], alpha=0.05, power=0.8))
