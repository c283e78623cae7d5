"""How alike two vectors are."""

import math
from collections.abc import Sequence


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """The cosine of the angle between two vectors; 0 if one has no length.

    Equal vectors give exactly 1: scores made from it must tie where texts are the same.
    """
    if one == other and any(one):
        return 1.0
    lengths = math.hypot(*one) * math.hypot(*other)
    if not lengths:
        return 0.0
    product = math.fsum(a * b for a, b in zip(one, other, strict=True))
    return min(1.0, max(-1.0, product / lengths))
