"""From bounds to decisions: Holm's procedure, and how much more data is needed.

This module does not know what was estimated.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from assay.stats.quantiles import normal_quantile

Interval = Callable[[float], tuple[float, float]]


@dataclass(frozen=True, kw_only=True)
class ConfidenceBounds:
    """An estimate against a threshold, with its interval at any level."""

    value: float
    threshold: float
    interval: Interval

    def lower(self, alpha: float) -> float:
        """The one-sided lower bound that errs with probability alpha."""
        return self.interval(1.0 - 2.0 * alpha)[0]

    def upper(self, alpha: float) -> float:
        """The one-sided upper bound that errs with probability alpha."""
        return self.interval(1.0 - 2.0 * alpha)[1]


def holm(bounds: Sequence[ConfidenceBounds], alpha: float) -> tuple[frozenset[int], float]:
    """The estimates that are shown to be under their threshold, and the alpha of the last step.

    Holm (1979): with k already shown, each of the others is tested at alpha / (m - k). The chance
    that any is shown in error is at most alpha.
    """
    shown: set[int] = set()
    step = alpha / len(bounds)
    while len(shown) < len(bounds):
        step = alpha / (len(bounds) - len(shown))
        under = {i for i, bound in enumerate(bounds) if bound.upper(step) < bound.threshold}
        if under <= shown:
            break
        shown |= under
    return frozenset(shown), step


def times_more(bounds: Sequence[ConfidenceBounds], *, alpha: float, power: float) -> float | None:
    """How many times the present data are needed to decide with this power, if estimates are right.

    A spread shrinks with the root of the data. To show a miss, one estimate must be shown to miss:
    the easiest. To show that all thresholds are met, every open one must be shown: the hardest,
    each with enough power for all together. None if an estimate is exactly at its threshold, since
    then no amount decides.
    """
    step = alpha / len(bounds)
    missed = [
        _factor(bound.threshold - bound.value, bound.upper(step) - bound.value, step, power)
        for bound in bounds
        if bound.value < bound.threshold
    ]
    if missed:
        return min(missed)
    still_open = [bound for bound in bounds if bound.lower(alpha) < bound.threshold]
    if not still_open or any(bound.value == bound.threshold for bound in still_open):
        return None
    each = 1.0 - (1.0 - power) / len(still_open)
    return max(
        _factor(bound.value - bound.threshold, bound.value - bound.lower(alpha), alpha, each)
        for bound in still_open
    )


def _factor(gap: float, reach: float, alpha: float, power: float) -> float:
    """(z_alpha + z_power)^2 se^2 / gap^2, with se the bound's reach over z_alpha."""
    if gap <= 0.0:
        return math.inf
    more = 1.0 + normal_quantile(power) / normal_quantile(1.0 - alpha)
    return (more * reach / gap) ** 2
