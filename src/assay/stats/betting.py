"""Betting: evidence that stays valid if it is looked at after every unit.

To test that a mean is at most m, bet against it: of a capital of 1, stake a fraction on each next
score in [0, 1], at odds that are fair if the mean is m. If the mean is at most m, the capital ever
reaches 1 / alpha with a chance of at most alpha, however often one looks (Ville 1939; Waudby-Smith
and Ramdas 2024). So capital is evidence, and 1 / capital is a p-value valid at any time.

The best fraction is unknown in advance, so capital is split evenly over a grid of fractions; after
a few units the best of them dominates.
"""

import math

import numpy as np

from assay.stats.arrays import Floats

FRACTIONS: Floats = np.array([0.02, 0.05, *np.arange(0.1, 0.95, 0.05), 0.97, 0.999])
_STEPS = 30


def log_capital(scores: Floats, mean: float | Floats) -> Floats:
    """The log capital after each unit (units x columns) of betting on a mean above `mean`.

    `scores` are in [0, 1], one row a unit, in the order of arrival.
    """
    against = np.maximum(np.asarray(mean, dtype=np.float64), 1e-12)
    gains = scores / against - 1.0
    grown = np.cumsum(np.log1p(FRACTIONS[:, None, None] * gains[None, :, :]), axis=1)
    peak = grown.max(axis=0)
    return np.asarray(peak + np.log(np.exp(grown - peak).mean(axis=0)))


def ever(capital: Floats) -> Floats:
    """The running maximum after each unit: evidence once shown stays."""
    return np.asarray(np.maximum.accumulate(capital, axis=0))


def lower_bounds(scores: Floats, alpha: float) -> Floats:
    """The lower bound of each column's mean: every smaller mean was rejected at some time."""
    low, high = np.zeros(scores.shape[1]), np.ones(scores.shape[1])
    target = -math.log(alpha)
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        beaten = log_capital(scores, middle).max(axis=0) >= target
        low, high = np.where(beaten, middle, low), np.where(beaten, high, middle)
    return low


def adjusted(logs: Floats) -> Floats:
    """Log capital (units x columns) adjusted for testing all columns together.

    A column counts only if every set of columns that contains it does, by the mean of their
    capital; for each size of set the worst case is the set with the least capital (Vovk and Wang
    2021).
    """
    values = np.exp(np.minimum(logs, 700.0))
    columns = values.shape[1]
    joint = np.empty_like(values)
    sizes = np.arange(1, columns + 1)
    for index in range(columns):
        others = np.sort(np.delete(values, index, axis=1), axis=1)
        company = np.concatenate([np.zeros((len(values), 1)), np.cumsum(others, axis=1)], axis=1)
        joint[:, index] = ((values[:, [index]] + company) / sizes).min(axis=1)
    return np.asarray(np.log(np.maximum(joint, 1e-300)))
