"""Betting: evidence that may be looked at after every unit (Waudby-Smith and Ramdas 2024).

Somebody who doubts that a mean is at most m bets on it: of the capital of 1, a fraction is staked
on each next score in [0, 1] at odds that are fair if the mean is m. Were it so, nobody could expect
to gain, and the capital would ever reach 1 / alpha with a chance of at most alpha, however often
one looks (Ville 1939). So capital is evidence, and 1 / capital a p-value that stays one.

Which fraction is best depends on what is not known yet; here capital is shared out evenly over a
grid of fractions, so that the best of them carries the whole after a few units.
"""

import math

import numpy as np

from assay.stats.arrays import Floats

FRACTIONS: Floats = np.array([0.02, 0.05, *np.arange(0.1, 0.95, 0.05), 0.97, 0.999])
_STEPS = 30


def log_capital(scores: Floats, mean: float | Floats) -> Floats:
    """The logarithm of the capital after each unit (units x columns), betting on more than `mean`.

    `scores` lie in [0, 1], one row a unit, in the order in which they came.
    """
    against = np.maximum(np.asarray(mean, dtype=np.float64), 1e-12)
    gains = scores / against - 1.0
    grown = np.cumsum(np.log1p(FRACTIONS[:, None, None] * gains[None, :, :]), axis=1)
    peak = grown.max(axis=0)
    return np.asarray(peak + np.log(np.exp(grown - peak).mean(axis=0)))


def ever(capital: Floats) -> Floats:
    """The greatest so far, after each unit: what was shown once stays shown."""
    return np.asarray(np.maximum.accumulate(capital, axis=0))


def lower_bounds(scores: Floats, alpha: float) -> Floats:
    """For each column, the mean that all smaller ones were bet out of the game at some time."""
    low, high = np.zeros(scores.shape[1]), np.ones(scores.shape[1])
    target = -math.log(alpha)
    for _ in range(_STEPS):
        middle = (low + high) / 2.0
        beaten = log_capital(scores, middle).max(axis=0) >= target
        low, high = np.where(beaten, middle, low), np.where(beaten, high, middle)
    return low


def adjusted(logs: Floats) -> Floats:
    """Capital (units x columns, as logarithms) that holds for all columns together.

    A column is shown only where every group of columns that it is in shows something, by the mean
    of their capital; for each size of group the worst company are the poorest columns (Vovk and
    Wang 2021).
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
