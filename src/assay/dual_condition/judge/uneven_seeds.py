"""Find runs that differ from the other seeds of their condition, such as a collapsed seed.

A run is uneven if its distance from its condition's median is over seven times the usual spread of
seeds, and at least .02. The usual spread is the median distance over the runs of all conditions, as
a standard deviation, or the spread that the items' influences give, if that is larger. A few uneven
runs do not move the median, so they do not hide each other. Seven is large enough for five seeds,
which estimate even the median distance badly.

Rare behaviour may not show: with S seeds, none of them uneven, up to 1 - .05^(1/S) of all seeds may
be uneven, at 95 % (.45 for 5 seeds, .26 for 10, .10 for 29).
"""

import numpy as np

from assay.stats.crossed import Crossed

FEWEST_SEEDS = 4
_TIMES, _LEAST = 7.0, 0.02
_AS_DEVIATION = 1.4826


def uneven_runs(crossed: Crossed) -> list[tuple[int, int]]:
    """The uneven runs: indices of condition and seed."""
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
    """The share of all seeds that may be uneven although none of this many was."""
    return float(1.0 - (1.0 - level) ** (1.0 / seeds))
