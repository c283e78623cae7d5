"""A model that finds which few features a target depends on, however it depends on them.

Linear models and shallow trees look for what a feature tells by itself. A middle range, a table of
two features like a chess board, or an exclusive or of three tell nothing that way. So every feature
is cut into ranges of equally many records, and every one, every two and every three of them are
tried: how much of the target do the means over their cells explain, beyond what means over as many
cells of noise explain, so many being tried? The best is taken, its part is removed, and the search
goes on until there is no more than noise. Then a forest is grown on the features that were found,
and on no others: with two or three features trees find any function.
"""

import math
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Floats

_LEVELS = {1: (8, 20), 2: (3, 4, 6), 3: (2, 3)}
"""Into how many ranges features are cut, when one, two or three are looked at together."""
_MOST_COLUMNS = {1: 400, 2: 60, 3: 24}
"""With more features than these, only those that tell most by themselves are combined."""
_STEPS = 4
_MOST_FOUND = 6
_BLOCK_CELLS = 1 << 22


class CellSearch:
    """Find the features, then grow a forest on them; fits and predicts like other models."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.found: list[int] = []
        self.mean = 0.0
        self.forest: Any = None

    def fit(self, features: Floats, target: NDArray[Any]) -> "CellSearch":
        """Search, and grow."""
        y = np.asarray(target, dtype=np.float64)
        self.mean = float(y.mean())
        self.found = search(features, y)
        if self.found:
            from sklearn.ensemble import ExtraTreesRegressor

            self.forest = ExtraTreesRegressor(
                n_estimators=60,
                max_features=1.0,
                min_samples_leaf=2,
                random_state=self.seed % 2**32,
            )
            self.forest.fit(features[:, self.found], y)
        return self

    def predict(self, features: Floats) -> Floats:
        """The mean where nothing was found."""
        if self.forest is None:
            return np.full(len(features), self.mean)
        return np.asarray(self.forest.predict(features[:, self.found]))


def search(features: Floats, target: Floats) -> list[int]:
    """The columns that the target is found to depend on, in the order in which they were found."""
    rest = target - target.mean()
    spread = float(rest.std())
    found: list[int] = []
    if spread < 1e-9:
        return found
    codes = {
        levels: np.stack([ranges(column, levels) for column in features.T])
        for levels in {level for levels in _LEVELS.values() for level in levels}
    }
    singles = _explained(codes[8], [(k,) for k in range(features.shape[1])], 8, rest)
    by_size = np.argsort(-singles, kind="stable")
    tried = {
        (many, levels): [
            tuple(sorted(chosen))
            for chosen in combinations(by_size[: _MOST_COLUMNS[many]].tolist(), many)
        ]
        for many, several in _LEVELS.items()
        for levels in several
    }
    total = sum(map(len, tried.values()))
    for _ in range(_STEPS):
        best, cells = 0.0, np.zeros(0, dtype=np.intp)
        chosen: tuple[int, ...] = ()
        noise = float(np.square(rest).mean())
        if noise < 1e-12 * spread**2:
            break
        for (_, levels), sets in tried.items():
            if not sets:
                continue
            over = _explained(codes[levels], sets, levels, rest) / noise
            bound = _noise_bound(codes[levels], sets, total)
            at = int(np.argmax(over / bound))
            if over[at] / bound[at] > max(best, 1.0):
                best = float(over[at] / bound[at])
                chosen, cells = sets[at], _cells(codes[levels], sets[at], levels)
        if not chosen:
            break
        found += [k for k in chosen if k not in found]
        if len(found) >= _MOST_FOUND:
            break
        sums, counts = np.bincount(cells, weights=rest), np.maximum(np.bincount(cells), 1)
        rest = rest - (sums / counts)[cells]
    return found[:_MOST_FOUND]


def ranges(column: Floats, levels: int) -> NDArray[np.intp]:
    """A column as ranges of about equally many records; one with few values as these."""
    values, codes = np.unique(column, return_inverse=True)
    if values.size <= levels:
        return codes
    inner = np.quantile(column, np.arange(1, levels) / levels)
    return np.asarray(np.searchsorted(inner, column, side="right"), dtype=np.intp)


def _cells(codes: NDArray[np.intp], chosen: tuple[int, ...], levels: int) -> NDArray[np.intp]:
    cells = codes[chosen[0]]
    for k in chosen[1:]:
        cells = cells * levels + codes[k]
    return np.asarray(cells, dtype=np.intp)


def _explained(
    codes: NDArray[np.intp], sets: list[tuple[int, ...]], levels: int, rest: Floats
) -> Floats:
    """The sum of squares between the cells, for each set of columns."""
    size, records = levels ** len(sets[0]), rest.size
    block = max(1, _BLOCK_CELLS // max(records, size))
    squares = []
    for start in range(0, len(sets), block):
        part = np.array(sets[start : start + block])
        cells = codes[part[:, 0]]
        for k in range(1, part.shape[1]):
            cells = cells * levels + codes[part[:, k]]
        cells = cells + size * np.arange(len(part))[:, None]
        sums = np.bincount(
            cells.ravel(), weights=np.tile(rest, len(part)), minlength=size * len(part)
        )
        counts = np.bincount(cells.ravel(), minlength=size * len(part))
        gain = np.square(sums) / np.maximum(counts, 1)
        squares.append(gain.reshape(len(part), size).sum(axis=1))
    return np.concatenate(squares)


def _noise_bound(codes: NDArray[np.intp], sets: list[tuple[int, ...]], tried: int) -> Floats:
    """How much the best of so many would explain of noise, by the tail of chi squared."""
    columns = [int(column.max()) + 1 for column in codes]
    cells = np.array([math.prod(columns[k] for k in chosen) for chosen in sets], dtype=np.float64)
    cells = np.minimum(cells, codes.shape[1] / 1.0) - 1.0
    log = math.log(20.0 * tried)
    return np.asarray(cells + 2.0 * np.sqrt(cells * log) + 2.0 * log)
