"""Quantiles of the normal, t and beta distributions, without scipy.stats, which imports slowly.

The regularised incomplete beta function is evaluated by its continued fraction (modified Lentz;
Press et al., Numerical Recipes, 6.4), and inverted by Newton's method.
Tested against R and scipy over the whole range in use.
"""

import math
from functools import lru_cache

_TINY = 1e-300
_EPSILON = 1e-15
_STEPS = 200
_ROOT_2 = math.sqrt(2.0)
_ROOT_TAU = math.sqrt(2.0 * math.pi)


@lru_cache(maxsize=4096)
def normal_quantile(p: float) -> float:
    """The z with P(Z <= z) = p, by Newton's method on the logarithm of the tail."""
    if p == 0.5:
        return 0.0
    target = min(p, 1.0 - p)
    z = 1.0
    for _ in range(_STEPS):
        tail = normal_tail(z)
        density = math.exp(-z * z / 2.0) / _ROOT_TAU
        step = tail / density * math.log(tail / target)
        z = max(z + step, z / 2.0)
        if abs(step) <= 1e-15 * z:
            break
    return z if p > 0.5 else -z


def normal_tail(z: float) -> float:
    """P(Z > z)."""
    return math.erfc(z / _ROOT_2) / 2.0


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
    """The x with P(B <= x) = p for B ~ Beta(a, b): Newton's steps inside a shrinking bracket."""
    low, high = 0.0, 1.0
    x = a / (a + b)
    log_scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    for _ in range(_STEPS):
        miss = beta_cdf(x, a, b) - p
        low, high = (x, high) if miss < 0.0 else (low, x)
        log_density = log_scale + (a - 1.0) * math.log(x) + (b - 1.0) * math.log1p(-x)
        step = x - miss * math.exp(min(-log_density, 700.0))
        guess = step if low < step < high else (low + high) / 2.0
        if abs(guess - x) <= 1e-15 * x or guess in (low, high):
            return guess
        x = guess
    return x


def t_tail(t: float, df: float) -> float:
    """P(T > t) for Student's t and t >= 0."""
    return beta_cdf(df / (df + t * t), df / 2.0, 0.5) / 2.0


@lru_cache(maxsize=4096)
def t_quantile(p: float, df: float) -> float:
    """The t with P(T <= t) = p for Student's T with `df` degrees of freedom, whole or not.

    Newton's method on the logarithm of the tail, which is nearly straight in t for light tails
    and in log t for heavy ones, so a step or two from Fisher's expansion suffice.
    """
    if p == 0.5:
        return 0.0
    if df > 1e7:
        return normal_quantile(p)  # more exact than lgamma's rounding
    target = min(p, 1.0 - p)
    log_scale = math.lgamma((df + 1.0) / 2.0) - math.lgamma(df / 2.0) - math.log(df * math.pi) / 2.0
    z = abs(normal_quantile(target))
    t = z + (z**3 + z) / (4.0 * df) + (5.0 * z**5 + 16.0 * z**3 + 3.0 * z) / (96.0 * df**2)
    for _ in range(_STEPS):
        tail = t_tail(t, df)
        density = math.exp(log_scale - (df + 1.0) / 2.0 * math.log1p(t * t / df))
        step = tail / density * math.log(tail / target)
        t = max(t + step, t / 2.0)
        if abs(step) <= 1e-8 * t:  # the next step would be the square of this one
            break
    return t if p > 0.5 else -t
