"""How many more pairs would bring a verdict, if the estimates are right.

A verdict needs one of three: a shown gain with no gate in doubt, shown harm, or every dimension
inside its margin. The forecast is for the one that needs fewest pairs.
"""

import math
from collections.abc import Sequence

from assay.comparison.judge.effects import DimensionEffect, Evidence
from assay.comparison.result import Change
from assay.stats.differences import MeanDifference
from assay.stats.power import MOST, fewest_pairs
from assay.stats.quantiles import normal_quantile

POWER = 0.8
_FEWEST_A_SIDE = 4
_LOOKING = 1.5
"""About how many times as many units a sequential comparison needs."""


def pairs_needed(
    evidence: Evidence, *, level: float, strict_gates: bool, paired: bool, sequential: bool = False
) -> int | None:
    """How many more; None if no number suffices or no forecast is possible.

    Uses the evidence of all units at once, even if the comparison is sequential.
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
    needed = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(POWER)
    return (needed / seen) ** 2 if seen > 0.0 else math.inf


def _to_equivalence(dimensions: Sequence[DimensionEffect], alpha: float) -> float:
    """Units needed to show that every dimension is inside its margin."""
    still_open = [effect for effect in dimensions if effect.change is not Change.EQUIVALENT]
    each = 1.0 - (1.0 - POWER) / (2.0 * max(len(still_open), 1))
    return max(
        (
            _units(
                effect.difference, effect.dimension.scaled_margin - abs(effect.delta), alpha, each
            )
            for effect in still_open
        ),
        default=math.inf,
    )


def _to_open_gates(dimensions: Sequence[DimensionEffect], alpha: float, *, strict: bool) -> float:
    """Units needed to show that every gate in doubt lost less than its margin."""
    doubtful = [effect for effect in dimensions if effect.in_doubt(strict=strict)]
    each = 1.0 - (1.0 - POWER) / max(len(doubtful), 1)
    return max(
        (
            _units(
                effect.difference,
                effect.delta + effect.dimension.scaled_margin,
                alpha,
                each,
                narrow=not strict,
            )
            for effect in doubtful
        ),
        default=0.0,
    )


def _units(
    difference: MeanDifference | None,
    gap: float,
    alpha: float,
    power: float,
    *,
    narrow: bool = False,
) -> float:
    """Units needed to show a bound at this distance; at least as many as rule out rare losses.

    If the `narrow` bound is enough, assumes no moves larger than those seen.
    """
    if difference is None or gap <= 0.0:
        return math.inf
    needed = normal_quantile(1.0 - alpha) + normal_quantile(power)
    if narrow and difference.narrow is not None:
        return difference.units * (needed * difference.narrow[1] / gap) ** 2
    rare = math.log(alpha) / math.log1p(-min(gap / difference.reach, 0.999))
    return max((needed * difference.spread / gap) ** 2, rare)
