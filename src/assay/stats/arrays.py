"""The array types that pass between these modules, values as whole numbers, rows by content."""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


class Places(dict[Hashable, int]):
    """The place of each value among those asked for, in order of first asking."""

    def __missing__(self, value: Hashable) -> int:
        place = self[value] = len(self)
        return place


def coded(values: Iterable[Hashable], *, known: Places | None = None) -> Codes:
    """Each value by its place among the distinct ones, in order of first appearance.

    With `known` the places of earlier values go on being used, and new ones are added to it.
    """
    places = Places() if known is None else known
    return np.fromiter(map(places.__getitem__, values), dtype=np.intp)


def by_content(rows: Floats) -> Codes:
    """The order of rows by what they hold: the same rows then meet the same draws in any order."""
    return np.lexsort(rows.T[::-1])
