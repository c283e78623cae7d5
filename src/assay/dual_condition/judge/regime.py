"""Decide the regime of a system from intervals, and when a corpus is only a pilot."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from assay.dual_condition.evidence import Past, Thresholds
from assay.dual_condition.result import Regime
from assay.stats.auc_interval import hanley_mcneil
from assay.stats.estimate import Estimate
from assay.stats.quantiles import normal_quantile

_TELLABLE, _POWER, _LEVEL = 0.75, 0.80, 0.95


@dataclass(frozen=True, kw_only=True)
class Split:
    """Whether memorisation (A - C) and transfer (C - B) can be told, and are surely over 0.

    `helps_unseen`: so is A - B on the items of which the state holds nothing.
    """

    decidable: bool
    memorises: bool = False
    transfers: bool = False
    helps_unseen: bool = False

    @property
    def contradicted(self) -> bool:
        """Whether only memorisation is shown, and a gain that cannot be memory."""
        return self.memorises and not self.transfers and self.helps_unseen


def regime_of(
    difference: Estimate,
    without: Estimate,
    *,
    split: Split | None = None,
    closed: bool = True,
    chance: float = 0.5,
    beyond_placebo: Estimate | None,
    history: Sequence[Past],
    thresholds: Thresholds,
) -> Regime:
    """The regime, from A - B, B, A - C, C - B, and the past values of B.

    `split` is None where C was not run, and not `decidable` where it was and is no C: then what a
    gain is made of is unknown. The system is `closed` if it spoke to nothing outside: what it
    does without its state it may do with something else. A gain that a placebo brings as well is
    not learning. A gain on items that the state holds nothing of is not memory of them.
    """
    if max(-difference.low, difference.high) <= thresholds.polish:
        return Regime.POLISH if closed else Regime.UNDETERMINED
    if difference.high < 0.0:
        return Regime.HARMFUL
    if surely_fell(without, history) >= thresholds.dependent:
        return Regime.DEPENDENT
    if split is not None and not split.decidable:
        return Regime.UNDETERMINED
    if split is not None and split.memorises and not split.transfers:
        return Regime.UNDETERMINED if split.contradicted else Regime.MEMORISED
    floor = thresholds.floor(chance)
    needed = difference.low > thresholds.memory_gap and without.high < floor
    if needed and (split is None or split.memorises):
        return Regime.MEMORY_CARRIED
    taught = beyond_placebo is None or beyond_placebo.low > 0.0
    if difference.low > 0.0 and taught:
        return Regime.LEARNING
    return Regime.UNDETERMINED


def surely_fell(now: Estimate, history: Sequence[Past]) -> float:
    """By how much B is shown to be below one of its past values; at most 0 if it is not.

    Each fall is bounded by MOVER at a level divided by the number of past values, so that a past
    value that was high by chance shows nothing.
    """
    if not history:
        return -math.inf
    tail = (1.0 - now.level) / 2.0
    wider = normal_quantile(1.0 - tail / len(history)) / normal_quantile(1.0 - tail)
    return max(
        past.value - now.value - wider * math.hypot(past.value - past.low, now.high - now.value)
        for past in history
    )


def is_pilot(positives: float, negatives: float) -> bool:
    """Whether a class has too few items for either column to mean anything.

    True if an AUC of .75 would be shown to be above one half in fewer than 80 % of samples
    (two-sided, 5 %), by Hanley & McNeil's variances. The counts are of independent groups.
    """
    if min(positives, negatives) < 2.0:
        return True
    null = math.sqrt((positives + negatives + 1.0) / (12.0 * positives * negatives))
    real = math.sqrt(hanley_mcneil(_TELLABLE, positives, negatives))
    reach = _TELLABLE - 0.5 - normal_quantile(0.5 + _LEVEL / 2.0) * null
    return reach / real < normal_quantile(_POWER)
