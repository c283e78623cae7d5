"""The rates that the rule of ADR-0031 was found to have, from the world in which they arise."""

import numpy as np
import pytest
from net_effect_rates import sides

from assay.comparison.adr_0031 import compare_adr_0031

DRAWS = 700


@pytest.mark.parametrize(
    ("move", "n", "published"),
    [
        ((0.95, 0.95), 3, 0.26),
        ((0.95, 0.95), 10, 0.33),
        ((0.95, 0.95), 30, 0.30),
        ((0.5, 0.9), 3, 0.91),
        ((0.5, 0.9), 10, 0.72),
        ((0.5, 0.9), 30, 0.12),
    ],
)
def test_the_source_rule_ratifies_as_often_as_was_published(move, n, published):
    rng = np.random.default_rng([n, round(100 * move[0])])
    made = [compare_adr_0031(*sides(rng, n, move, "ungated")).verdict for _ in range(DRAWS)]
    assert made.count("ratify") / DRAWS == pytest.approx(published, abs=0.055)
