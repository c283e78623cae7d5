"""Features that no subset can be rid of: proof that a balanced subset does not exist.

Of all subsets with so many records of each class, the one with the lowest positives and the highest
negatives has the lowest AUC: the AUC is the mean share of negatives that a positive beats, and
every other positive beats as many or more. If that AUC is too high, every subset's is. This holds
for features whose values do not depend on which other records there are.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.confounding.balanced import HIGHEST
from assay.stats.arrays import Floats
from assay.surface.feature_table import Feature
from assay.surface.joint_model import FEWEST


def separating_feature(table: Sequence[Feature], label: NDArray[np.bool_]) -> str | None:
    """The first feature that has an AUC over the highest allowed in every subset."""
    for feature in table:
        if feature.name == "truncated":  # seen by comparison with the other texts
            continue
        up, down = np.sort(feature.values[label]), np.sort(feature.values[~label])
        if max(_lowest_auc(up, down), _lowest_auc(-up[::-1], -down[::-1])) > HIGHEST:
            return f"{feature.name} ({feature.on})"
    return None


def _lowest_auc(up: Floats, down: Floats) -> float:
    """The AUC of the lowest positives against the highest negatives; both are sorted."""
    lowest, highest = up[:FEWEST, None], down[None, -FEWEST:]
    return float(np.mean((lowest > highest) + 0.5 * (lowest == highest)))
