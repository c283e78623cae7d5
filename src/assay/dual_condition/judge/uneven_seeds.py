"""Runs that came out unlike the other seeds of their condition: a seed that collapsed, say.

A run is uneven where it lies further from its condition's median than seven times what seeds
usually differ by, and by .02 at least. What they usually differ by is the median distance over the
runs of all conditions, as a standard deviation, or what the items' influences make it, where that
is more. A few uneven runs move no median, so they do not hide each other, and seven is far enough
for five seeds, of which even the median distance is known badly.

What no seed showed cannot be found: with S seeds, none of them uneven, a share of 1 - .05^(1/S) of
all seeds may be, at 95 % (.45 for 5 seeds, .26 for 10, .10 for 29).
"""

import numpy as np

from assay.stats.crossed import Crossed

FEWEST_SEEDS = 4
_TIMES, _LEAST = 7.0, 0.02
_AS_DEVIATION = 1.4826


def uneven_runs(crossed: Crossed) -> list[tuple[int, int]]:
    """The uneven runs: condition and seed, by their places."""
    if crossed.seeds < FEWEST_SEEDS:
        return []
    values = crossed.values
    distance = np.abs(values - np.median(values, axis=1, keepdims=True))
    few = np.sqrt(crossed.seeds / (crossed.seeds - 1.0))
    usual = _AS_DEVIATION * few * float(np.median(distance))
    expected = np.array([crossed.seed_spread(i) for i in range(len(values))])
    limit = np.maximum(_TIMES * np.maximum(usual, expected), _LEAST)[:, None]
    return [(int(i), int(s)) for i, s in np.argwhere(distance > limit)]


def unseen_share(seeds: int, *, level: float = 0.95) -> float:
    """The share of seeds that may be uneven although none of so many was."""
    return float(1.0 - (1.0 - level) ** (1.0 / seeds))
