"""The one array type that passes between these modules, and how much groups of it weigh."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def effective_groups(codes: NDArray[np.intp]) -> float:
    """How many groups of equal size would be as good as these (Kish): (sum m)^2 / sum m^2.

    A variance that comes from a few large groups is known no better than those few allow.
    """
    sizes = np.bincount(codes)
    return float(sizes.sum()) ** 2 / float(np.square(sizes, dtype=np.float64).sum())
