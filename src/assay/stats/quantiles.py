"""Quantiles of the normal, t and beta distributions, without the second that scipy.stats costs.

The regularised incomplete beta function is evaluated by its continued fraction (modified Lentz;
Press et al., Numerical Recipes, 6.4), and inverted by bisection: slow, exact to rounding, and
called a few dozen times per scorecard. Tested against scipy over the whole range in use.
"""

import math
from functools import lru_cache
from statistics import NormalDist

_TINY = 1e-300
_EPSILON = 1e-15


def normal_quantile(p: float) -> float:
    """The z with P(Z <= z) = p."""
    return NormalDist().inv_cdf(p)


def _beta_fraction(x: float, a: float, b: float) -> float:
    c, d = 1.0, 1.0 - (a + b) * x / (a + 1.0)
    d = 1.0 / (d if abs(d) > _TINY else _TINY)
    total = d
    for m in range(1, 100_000):
        for numerator in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1.0 + numerator * d
            d = 1.0 / (d if abs(d) > _TINY else _TINY)
            c = 1.0 + numerator / c
            c = c if abs(c) > _TINY else _TINY
            total *= c * d
        if abs(c * d - 1.0) < _EPSILON:
            break
    return total


def beta_cdf(x: float, a: float, b: float) -> float:
    """P(B <= x) for B ~ Beta(a, b)."""
    if x <= 0.0:
        return 0.0
    if x >= 1.0:
        return 1.0
    log_front = (
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
        + a * math.log(x) + b * math.log1p(-x)
    )  # fmt: skip
    front = math.exp(log_front)
    if x < (a + 1.0) / (a + b + 2.0):
        return front * _beta_fraction(x, a, b) / a
    return 1.0 - front * _beta_fraction(1.0 - x, b, a) / b


@lru_cache(maxsize=4096)
def beta_quantile(p: float, a: float, b: float) -> float:
    """The x with P(B <= x) = p for B ~ Beta(a, b)."""
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2.0
        if middle in (low, high):
            break
        if beta_cdf(middle, a, b) < p:
            low = middle
        else:
            high = middle
    return (low + high) / 2.0


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """The t with P(T <= t) = p for Student's T with `df` degrees of freedom, whole or not."""
    if p == 0.5:
        return 0.0
    if df > 1e7:
        return normal_quantile(p)
    tail = 2.0 * min(p, 1.0 - p)
    # P(|T| > t) is the incomplete beta function at df / (df + t^2).
    x = beta_quantile(tail, df / 2.0, 0.5)
    # Where x rounds to 1 the root is lost; its complement keeps the digits.
    rest = beta_quantile(1.0 - tail, 0.5, df / 2.0) if x > 0.5 else 1.0 - x
    size = math.sqrt(df * rest / x)
    return size if p > 0.5 else -size
