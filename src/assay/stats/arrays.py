"""The one array type that passes between these modules."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
