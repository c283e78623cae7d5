"""Which instances changed sides: at the ideal before and not after, or the other way round."""

import numpy as np
from numpy.typing import NDArray

from assay.comparison.judge.table import TrialTable
from assay.comparison.result import Flip

_NEAR = 1e-9


def find_flips(table: TrialTable) -> tuple[Flip, ...]:
    """Instances that most runs of one side had at the ideal and most of the other had not."""
    design = table.kept.design
    totals = [
        _counted(table, side, np.ones(len(table.values[side]), dtype=bool)) for side in (0, 1)
    ]
    flips = []
    for index, dimension in enumerate(table.counting):
        ideal = dimension.scaled_ideal
        if ideal is None:
            continue
        at = [
            _counted(table, side, table.values[side][:, index] >= ideal - _NEAR) for side in (0, 1)
        ]
        most = [2 * reached > total for reached, total in zip(at, totals, strict=True)]
        flipped = (most[0] != most[1]) & (totals[0] > 0) & (totals[1] > 0)
        flips += [
            Flip(
                instance=design.names[code],
                dimension=dimension.name,
                to="ideal" if most[1][code] else "short",
                baseline=f"{at[0][code]}/{totals[0][code]}",
                candidate=f"{at[1][code]}/{totals[1][code]}",
            )
            for code in np.flatnonzero(flipped)
        ]
    return tuple(flips)


def _counted(table: TrialTable, side: int, flags: NDArray[np.bool_]) -> NDArray[np.intp]:
    """How many runs of each instance have a flag, of those that no policy leaves out."""
    codes = table.kept.design.codes[side][table.included[side] & flags]
    return np.bincount(codes, minlength=len(table.kept.design.names))
