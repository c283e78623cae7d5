"""How many more pairs would bring a verdict, if the estimates are right.

Three ways lead to one: show the balance, and every gate that is in doubt; show harm; or show that
everything is inside its margin. The cheapest is told.
"""

import math
from collections.abc import Sequence

from assay.comparison.judge.effects import Evidence, Weighed
from assay.comparison.result import Change, Gate
from assay.stats.differences import MeanDifference
from assay.stats.power import MOST, fewest_pairs
from assay.stats.quantiles import normal_quantile

POWER = 0.8
_FEWEST_A_SIDE = 4
_LOOKING = 1.5
"""By how much looking after every unit makes a comparison longer, about."""


def pairs_needed(
    evidence: Evidence, *, level: float, strict_gates: bool, paired: bool, sequential: bool = False
) -> int | None:
    """How many more; None where no number would do, or none can be foretold.

    The evidence is that of all units at once, also where the comparison is sequential.
    """
    tilt = evidence.tilt
    if tilt is None or tilt.difference is None:
        return None
    alpha = 1.0 - level
    routes = [_to_equivalence(evidence.dimensions, alpha)]
    shown = evidence.units * _times_more(tilt.p, alpha)
    if tilt.shown and not sequential:
        shown = 0.0
    if tilt.value < 0.0:
        routes.append(shown)
    elif tilt.value > 0.0 and not evidence.worse:
        routes.append(max(shown, _to_open_gates(evidence.dimensions, alpha, strict=strict_gates)))
    total = min(routes) * (_LOOKING if sequential else 1.0)
    if not math.isfinite(total) or total > MOST:
        return None
    fewest = fewest_pairs(alpha) if paired else _FEWEST_A_SIDE
    return max(math.ceil(total), fewest, evidence.units + 1) - evidence.units


def _times_more(p: float, alpha: float) -> float:
    """How many times the units would bring a p-value of this size down to alpha, by its z."""
    seen = normal_quantile(1.0 - min(max(p, 1e-12), 1.0) / 2.0)
    wanted = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(POWER)
    return (wanted / seen) ** 2 if seen > 0.0 else math.inf


def _to_equivalence(dimensions: Sequence[Weighed], alpha: float) -> float:
    """Units that show every dimension to be inside its margin."""
    still_open = [one for one in dimensions if one.change is not Change.EQUIVALENT]
    each = 1.0 - (1.0 - POWER) / (2.0 * max(len(still_open), 1))
    return max(
        (_units(one.difference, _margin(one) - abs(one.delta), alpha, each) for one in still_open),
        default=math.inf,
    )


def _to_open_gates(dimensions: Sequence[Weighed], alpha: float, *, strict: bool) -> float:
    """Units that show every gate in doubt to have lost less than its margin."""
    doubtful = [
        one
        for one in dimensions
        if one.gate is Gate.DOUBT or (strict and one.gate is Gate.SPOTLESS)
    ]
    each = 1.0 - (1.0 - POWER) / max(len(doubtful), 1)
    return max(
        (_units(one.difference, one.delta + _margin(one), alpha, each) for one in doubtful),
        default=0.0,
    )


def _margin(one: Weighed) -> float:
    return one.dimension.margin / one.dimension.width


def _units(difference: MeanDifference | None, gap: float, alpha: float, power: float) -> float:
    """Units that show a bound to be so far off; never fewer than rule out rare losses."""
    if difference is None or gap <= 0.0:
        return math.inf
    wanted = normal_quantile(1.0 - alpha) + normal_quantile(power)
    spotless = math.log(alpha) / math.log1p(-min(gap, 0.999))
    return max((wanted * difference.spread / gap) ** 2, spotless)
