"""From bounds to decisions: Holm's procedure, and how much more data would decide.

A `Bounds` is an interval that can be asked for at any level, against a threshold. Nothing here
knows what was estimated.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.stats.quantiles import normal_quantile

Interval = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """An estimate of `value` from `n` records, with its interval at any level."""

    value: float
    n: int
    threshold: float
    interval: Interval

    def lower(self, alpha: float) -> float:
        """The one-sided lower bound that errs with probability alpha."""
        return self.interval(1.0 - 2.0 * alpha)[0]

    def upper(self, alpha: float) -> float:
        """The one-sided upper bound that errs with probability alpha."""
        return self.interval(1.0 - 2.0 * alpha)[1]


def holm(bounds: Sequence[Bounds], alpha: float) -> tuple[frozenset[int], float]:
    """Which estimates are shown to be under their threshold, and the alpha of the last step.

    Holm (1979): with k already shown, each of the others is tested at alpha / (m - k). The chance
    that any is shown in error is at most alpha.
    """
    shown: set[int] = set()
    step = alpha / len(bounds)
    while len(shown) < len(bounds):
        step = alpha / (len(bounds) - len(shown))
        found = {
            i for i, one in enumerate(bounds) if i not in shown and one.upper(step) < one.threshold
        }
        if not found:
            break
        shown |= found
    return frozenset(shown), step


def times_more(bounds: Sequence[Bounds], *, alpha: float, power: float) -> float | None:
    """How many times the present data would decide with this power, the estimates being right.

    A spread shrinks with the root of the data. To show a miss, one estimate must be shown: the
    easiest. To show that all thresholds are met, every open one must be: the hardest, each with so
    much power that all together have what was asked. None where an estimate stands exactly at its
    threshold, since then no amount decides.
    """
    step = alpha / len(bounds)
    under = [one for one in bounds if one.value < one.threshold]
    if under:
        factors = [
            _factor(one.threshold - one.value, one.upper(step) - one.value, step, power)
            for one in under
        ]
        return min(factors)
    still_open = [one for one in bounds if one.lower(alpha) < one.threshold]
    if not still_open or any(one.value == one.threshold for one in still_open):
        return None
    each = 1.0 - (1.0 - power) / len(still_open)
    return max(
        _factor(one.value - one.threshold, one.value - one.lower(alpha), alpha, each)
        for one in still_open
    )


def _factor(gap: float, reach: float, alpha: float, power: float) -> float:
    """(z_alpha + z_power)^2 se^2 / gap^2, with se the bound's reach over z_alpha."""
    if gap <= 0.0:
        return math.inf
    more = 1.0 + normal_quantile(power) / normal_quantile(1.0 - alpha)
    return (more * reach / gap) ** 2
