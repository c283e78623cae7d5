"""Estimates of every condition, of their differences and of weighted sums, with intervals."""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from assay.dual_condition.evidence import DualEvidence
from assay.dual_condition.result import Quantity
from assay.stats.arrays import Floats
from assay.stats.crossed import Crossed, cross
from assay.stats.estimate import Estimate

LEVEL = 0.95
Groups = Sequence[str] | None


class ConditionTable:
    """The scores of every condition and seed, estimated over items and seeds."""

    def __init__(
        self, evidence: DualEvidence, scores: Floats, positive: NDArray[np.bool_], groups: Groups
    ) -> None:
        self.evidence, self.scores, self.groups = evidence, scores, groups
        self.crossed: Crossed = cross(
            scores, positive, metric=evidence.metric, groups=groups, threshold=evidence.threshold
        )

    def of(self, chosen: NDArray[np.bool_]) -> "ConditionTable":
        """The table of some of the items."""
        kept = np.flatnonzero(chosen).tolist()
        groups = None if self.groups is None else tuple(self.groups[at] for at in kept)
        positive = self.crossed.positive[chosen]
        return ConditionTable(self.evidence, self.scores[:, :, chosen], positive, groups)

    def at(self, condition: str) -> int:
        """The index of a condition."""
        return self.evidence.conditions.index(condition)

    def condition(self, name: str) -> Quantity:
        """One condition."""
        weights = self.weights({name: 1.0})
        return self._quantity(self.crossed.condition(self.at(name), level=LEVEL), weights)

    def difference(self, left: str, right: str) -> Quantity:
        """One condition minus another."""
        estimate = self.crossed.difference(self.at(left), self.at(right), level=LEVEL)
        return self._quantity(estimate, self.weights({left: 1.0, right: -1.0}))

    def contrast(self, weights: Mapping[str, float]) -> Quantity:
        """A weighted sum of conditions."""
        listed = self.weights(weights)
        return self._quantity(self.crossed.contrast(listed, level=LEVEL), listed)

    def weights(self, by_name: Mapping[str, float]) -> list[float]:
        """Weights by name as a row over all conditions."""
        return [by_name.get(name, 0.0) for name in self.evidence.conditions]

    def _quantity(self, estimate: Estimate, weights: Sequence[float]) -> Quantity:
        over = self.crossed.over_seeds(weights, level=LEVEL)
        each = self.crossed.per_seed(weights).tolist()
        return Quantity(
            value=estimate.value,
            interval=(estimate.low, estimate.high),
            per_seed={str(s): v for s, v in zip(self.evidence.seeds, each, strict=True)},
            t_interval=None if over is None else (over.low, over.high),
        )


def table_of(evidence: DualEvidence) -> ConditionTable:
    """The table of all items."""
    scores = [
        [evidence.scores[condition][str(seed)] for seed in evidence.seeds]
        for condition in evidence.conditions
    ]
    positive = np.array(evidence.items.positive, dtype=bool)
    return ConditionTable(
        evidence, np.array(scores, dtype=np.float64), positive, evidence.items.group
    )
