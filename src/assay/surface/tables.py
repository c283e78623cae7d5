"""Search the residuals of label and method together for tables of a few features.

Models miss functions whose parts predict nothing by themselves: a middle range of a length, a chess
board of two features, an exclusive or of three. If the label depends on such a function and the
method computes it, both residuals share it, and it would count as beyond the surface.

But then the cells of a table of one, two or three features explain all of it: within a cell the
residuals are uncorrelated. A method that uses meaning is as good within every cell of every table.
So all tables are tried. A table whose cells explain more of the product of the residuals than the
best of as many tables of noise would is *found*, and the means of its cells are subtracted from the
residuals. Of all other tables the *worst* is kept, the one that leaves the least: a lower bound
that holds within its cells holds whichever table is true.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.stats.arrays import Codes, Floats
from assay.surface.table_columns import FINEST, columns_of

_SHAPES = (
    *((4,), (8,), (12,), (24,), (48,)),
    *((2, 2), (3, 3), (4, 4), (5, 5), (6, 6), (8, 8), (5, 2), (8, 2), (6, 3)),
    *((2, 2, 2), (3, 3, 3), (4, 4, 4), (2, 2, 4), (3, 3, 2), (4, 4, 2)),
)
"""The numbers of ranges for one, two or three columns; uneven shapes in every arrangement."""
_COARSEST = {(4,), (2, 2), (2, 2, 2)}
"""Shapes that are tried for any number of records."""
_MOST_FEATURES = {2: 60, 3: 36}
"""With more features, only those that explain most by themselves are combined."""
_CELLS = 3.1
"""A table has at most this times the root of the number of records in cells: the more cells, the
more of a method's own signal they absorb by chance."""
_MOST_CUTS = 8
"""The cuts of a table with more cuts are not moved."""
_MOVED = 4
"""For so many tables of each shape, those that leave the least, the cuts are then optimised."""
_MOST_RECORDS = 2_000
"""With more records, so many are searched, and the tables found are applied to all."""
_MOST_FOUND = 3
_CHANCE = 20.0
_BLOCK = 1 << 20


@dataclass(frozen=True, kw_only=True, eq=False)
class Residuals:
    """The residuals of the label and of a method, and the models' predictions of both.

    `lost` is the number of degrees of freedom used by tables.
    """

    label: Floats
    method: Floats
    of_label: Floats
    of_method: Floats
    lost: int = 0

    @property
    def raised(self) -> float:
        """The factor for products of residuals that corrects for the noise absorbed by cells."""
        return self.label.size / (self.label.size - self.lost)

    def within(self, cells: Codes) -> "Residuals":
        """The residuals minus their means over cells.

        The models' predictions count only as far as the data within the cells support them: if the
        table explains everything, the predictions are noise.
        """
        counts = np.bincount(cells)
        label, method, of_label, of_method = (
            values - (np.bincount(cells, values) / np.maximum(counts, 1))[cells]
            for values in (self.label, self.method, self.of_label, self.of_method)
        )
        return Residuals(
            label=_borne_out(label, of_label),
            method=_borne_out(method, of_method),
            of_label=of_label,
            of_method=of_method,
            lost=self.lost + int(np.count_nonzero(counts)) - 1,
        )


def _borne_out(left: Floats, said: Floats) -> Floats:
    """The residuals, with the part of the predictions that the data do not support added back."""
    whole = float(said @ said)
    more = max(float(left @ said) / whole, -1.0) if whole > 1e-12 * said.size else 0.0
    return np.asarray(left - more * said)


def without_tables(
    features: Floats, residuals: Residuals, *, units: int
) -> tuple[Residuals, Residuals]:
    """The residuals within the tables found, and those also within the worst of the other tables.

    `units` is the number of independent records or groups.
    """
    search = _Search(features, residuals, units)
    found, worst = search.look(residuals)
    for _ in range(_MOST_FOUND):
        if found is None:
            break
        residuals = residuals.within(search.cells(search.fitted(found, residuals)))
        found, worst = search.look(residuals)
    feared = search.worst_of(worst, residuals)
    return residuals, residuals if feared is None else residuals.within(search.cells(feared))


@dataclass(frozen=True)
class _Table:
    """Columns, and for each the steps at which its ranges end."""

    columns: tuple[int, ...]
    cuts: tuple[tuple[int, ...], ...]

    def moved(self, which: int, cut: int, place: int) -> "_Table":
        """The table with one cut moved."""
        own = list(self.cuts[which])
        own[cut] = place
        cuts = (*self.cuts[:which], tuple(own), *self.cuts[which + 1 :])
        return _Table(self.columns, cuts)


class _Search:
    """The search through all tables of some features."""

    def __init__(self, features: Floats, residuals: Residuals, units: int) -> None:
        self.size, self.units = features.shape[0], units
        self.most_cells = _CELLS * math.sqrt(self.size)
        self.sample = np.unique(
            np.linspace(0, self.size - 1, min(self.size, _MOST_RECORDS)).astype(np.intp)
        )
        self.features = features
        self.columns, single = columns_of(features, self.sample)
        self.steps = np.zeros((len(self.columns), self.sample.size), dtype=np.int8)
        sampled, every = features[self.sample], np.arange(self.sample.size)
        for row, column in zip(self.steps, self.columns, strict=True):
            row[:] = column.steps(sampled, every)
        alone = self._explained([(k,) for k in range(single)], (8,), residuals)[0]
        by_size = np.argsort(-np.abs(alone), kind="stable").tolist()
        self.tables: list[tuple[list[tuple[int, ...]], tuple[int, ...]]] = []
        for shape in _SHAPES:
            if shape in _COARSEST or math.prod(shape) <= self.most_cells:
                most = _MOST_FEATURES.get(len(shape), 0)
                laid = sorted(by_size[:most]) if most else range(len(self.columns))
                self.tables += [(tables, shape) for tables in [_laid(shape, laid)] if tables]
        self.tried = sum(len(tables) for tables, _ in self.tables)

    def look(self, residuals: Residuals) -> tuple[_Table | None, list[_Table]]:
        """The table least likely to be noise, and those that leave the least of the product."""
        u, v = self._sampled(residuals)
        n, total = u.size, float(u @ v)
        spread = math.sqrt(float(u @ u) * float(v @ v)) / n
        if spread <= 0.0:
            return None, []
        r = min(abs(total) / n / spread, 1.0)
        log = math.log(_CHANCE * max(self.tried, 1))
        alone = min(self.units / self.size, 1.0)
        best, found = 1.0, None
        leaving: list[_Table] = []
        for tables, shape in self.tables:
            between, cells = self._explained(tables, shape, residuals)
            lost, taken = cells - 1.0, residuals.lost + cells
            over = np.abs(between - lost * total / n) * alone / spread
            sureness = over / (2.0 * np.sqrt(lost * (1.0 + r * r) / 2.0 * log) + (1.0 + r) * log)
            sureness[taken > min(2.0 * self.most_cells, self.size / 4.0)] = 0.0
            at = int(np.argmax(sureness))
            if sureness[at] > best:
                best, found = float(sureness[at]), _even(tables[at], shape)
            left = np.sign(total) * (total - between) / np.maximum(n - lost, 1.0)
            left[taken > self.size / 2.0] = math.inf
            least = np.argsort(left, kind="stable")[:_MOVED].tolist()
            leaving += [_even(tables[at], shape) for at in least if left[at] < math.inf]
        return found, leaving

    def worst_of(self, tables: Sequence[_Table], residuals: Residuals) -> _Table | None:
        """The table that leaves the least of the product, with optimised cuts."""
        u, v = self._sampled(residuals)
        sign = math.copysign(1.0, float(u @ v))

        def left_of(table: _Table) -> float:
            return sign * self._within(table, u, v)

        return min((self._moved(table, left_of) for table in tables), key=left_of, default=None)

    def fitted(self, table: _Table, residuals: Residuals) -> _Table:
        """A found table with cuts optimised to leave the least of the spread of both residuals.

        Optimising the product instead would absorb some of a method's own signal by chance.
        """
        parts = [(x, float(x @ x)) for x in self._sampled(residuals)]

        def left_of(table: _Table) -> float:
            return sum(self._within(table, x, x) / whole for x, whole in parts if whole > 0.0)

        return self._moved(table, left_of)

    def _moved(self, table: _Table, left_of: Callable[[_Table], float]) -> _Table:
        """The table after one pass that moves each cut to where it leaves the least."""
        if sum(map(len, table.cuts)) > _MOST_CUTS:
            return table
        least = left_of(table)
        for which, own in enumerate(table.cuts):
            for cut in range(len(own)):
                now = table.cuts[which]
                low = now[cut - 1] + 1 if cut else 1
                high = now[cut + 1] if cut + 1 < len(now) else FINEST
                for place in range(low, high):
                    other = table.moved(which, cut, place)
                    left = left_of(other)
                    if left < least:
                        least, table = left, other
        return table

    def cells(self, table: _Table) -> Codes:
        """The cell of each record."""
        cells = np.zeros(self.size, dtype=np.intp)
        for column, cuts in zip(table.columns, table.cuts, strict=True):
            steps = self.columns[column].steps(self.features, self.sample)
            cells = cells * (len(cuts) + 1) + _range_of_step(cuts)[steps]
        return cells

    def _within(self, table: _Table, u: Floats, v: Floats) -> float:
        """The mean product within the cells, corrected for the noise they absorb."""
        cells = np.zeros(u.size, dtype=np.intp)
        for column, cuts in zip(table.columns, table.cuts, strict=True):
            cells = cells * (len(cuts) + 1) + _range_of_step(cuts)[self.steps[column]]
        counts = np.bincount(cells)
        between = np.bincount(cells, u) * np.bincount(cells, v) / np.maximum(counts, 1)
        return (float(u @ v) - float(between.sum())) / (u.size - np.count_nonzero(counts) + 1)

    def _sampled(self, residuals: Residuals) -> tuple[Floats, Floats]:
        return residuals.label[self.sample], residuals.method[self.sample]

    def _explained(
        self, tables: Sequence[tuple[int, ...]], shape: tuple[int, ...], residuals: Residuals
    ) -> tuple[Floats, Floats]:
        """For each table the sum of products between cells, and the number of non-empty cells."""
        u, v = self._sampled(residuals)
        ranges_of = {ranges: _range_of_step(_cuts(ranges)) for ranges in set(shape)}
        products, filled = [np.zeros(0)], [np.zeros(0)]
        block, size = max(1, _BLOCK // u.size), math.prod(shape)
        for start in range(0, len(tables), block):
            columns = np.array(tables[start : start + block])
            count = len(columns)
            cells = np.arange(count)[:, None]
            for k, ranges in enumerate(shape):
                cells = cells * ranges + ranges_of[ranges][self.steps[columns[:, k]]]
            counts, ups, downs = (
                np.bincount(cells.ravel(), weights, minlength=size * count).reshape(count, size)
                for weights in (None, np.tile(u, count), np.tile(v, count))
            )
            products.append((ups * downs / np.maximum(counts, 1)).sum(axis=1))
            filled.append((counts > 0).sum(axis=1).astype(np.float64))
        return np.concatenate(products), np.concatenate(filled)


def _laid(shape: tuple[int, ...], columns: Sequence[int]) -> list[tuple[int, ...]]:
    """All assignments of a shape to columns; an uneven last range takes each position."""
    if len(set(shape)) == 1:
        return list(combinations(columns, len(shape)))
    return [
        (*chosen, other)
        for chosen in combinations(columns, len(shape) - 1)
        for other in columns
        if other not in chosen
    ]


def _even(columns: tuple[int, ...], shape: tuple[int, ...]) -> _Table:
    """A table whose ranges hold equally many steps."""
    return _Table(columns, tuple(map(_cuts, shape)))


def _range_of_step(cuts: Sequence[int]) -> Codes:
    """The range of each step."""
    return np.searchsorted(np.array(cuts), np.arange(FINEST), side="right")


def _cuts(ranges: int) -> tuple[int, ...]:
    """The steps at which ranges of equal size end."""
    return tuple(round(FINEST * k / ranges) for k in range(1, ranges))
