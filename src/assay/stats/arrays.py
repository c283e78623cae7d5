"""Array types of these modules, values coded as whole numbers, and rows ordered by content."""

from collections.abc import Hashable, Iterable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Codes = NDArray[np.intp]


class Places(dict[Hashable, int]):
    """Numbers values in the order in which they are first looked up."""

    def __missing__(self, value: Hashable) -> int:
        place = self[value] = len(self)
        return place


def coded(values: Iterable[Hashable], *, known: Places | None = None) -> Codes:
    """Values as whole numbers: equal values share a number, numbered by first appearance.

    With `known`, earlier values keep their numbers, and new values are added to it.
    """
    places = Places() if known is None else known
    return np.fromiter(map(places.__getitem__, values), dtype=np.intp)


def by_content(rows: Floats) -> Codes:
    """An order of rows by their content, so that random draws do not depend on the input order."""
    return np.lexsort(rows.T[::-1])
