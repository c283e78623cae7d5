"""Exact tests of many differences at once: sign flips of pairs, shuffles of labels, step-down.

If the change has no effect, each pair could equally have come out reversed, and each run of an
instance could equally have been on the other side. So the data show how large a difference chance
makes: flip the pairs in all ways (or shuffle the sides within every instance), and count how often
the difference is as large as the observed one. If there are few ways, all are enumerated; if many,
seeded draws are taken, and the observed difference counts as one of them, so that the error rate
holds at any number of draws (Phipson and Smyth 2010).

All columns are resampled together, which keeps their correlation: the step-down maximum (Westfall
and Young 1993) adjusts each p-value for all the others, and five identical columns count as one.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from assay.stats.arrays import Floats, by_content

_CELLS = 1 << 22
_CACHED = 1 << 17
"""How many numbers are made at a time, to fit a processor's cache."""
_EXACT = 1 << 14
_NEAR = 1e-9


@dataclass(frozen=True, kw_only=True)
class Resampled:
    """Standardised differences: as observed (one a column), and under chance (draws x columns).

    `exact` means that all ways were enumerated, including the observed one. Chance is `symmetric`
    if each way has its mirror image: then a size is equally rare in either direction. Shuffles
    between a large side and a small one are not symmetric: there each direction is tested
    separately and the p-value doubled, so that one direction cannot use up the whole error rate.
    """

    observed: Floats
    chance: Floats
    exact: bool
    symmetric: bool = True

    def p_values(self) -> Floats:
        """Each column's own two-sided p-value."""
        return self._two_sided(self._share)

    def adjusted(self) -> Floats:
        """Two-sided p-values adjusted for all columns, by the step-down maximum.

        A column that no draw changes shows nothing and does not affect the others' p-values.
        """
        moved = np.abs(self.chance).max(axis=0, initial=0.0) > 0.0
        p_values = np.ones_like(self.observed)
        if moved.any():
            part = replace(self, observed=self.observed[moved], chance=self.chance[:, moved])
            p_values[moved] = part._two_sided(part._step_down)
        return p_values

    def as_if(self, observed: Floats) -> "Resampled":
        """The same draws with other observed statistics of the same columns."""
        return replace(self, observed=observed)

    def critical(self, alpha: float) -> Floats:
        """The size that each column must exceed for an adjusted p-value of at most alpha.

        Stepping down ends at the first column that does not; later columns must exceed the same
        size.
        """
        moved = np.abs(self.chance).max(axis=0, initial=0.0) > 0.0
        sizes = np.zeros_like(self.observed)
        observed, chance = self.observed[moved], self.chance[:, moved]
        if not moved.any():
            return sizes
        if self.symmetric:
            sizes[moved] = self._step_sizes(np.abs(chance), np.abs(observed), alpha)
        else:
            up = self._step_sizes(chance, observed, alpha / 2.0)
            down = self._step_sizes(-chance, -observed, alpha / 2.0)
            sizes[moved] = np.where(observed >= 0.0, up, down)
        return sizes

    def _step_sizes(self, chance: Floats, observed: Floats, alpha: float) -> Floats:
        draws = len(chance)
        spare = math.floor(alpha * draws if self.exact else alpha * (draws + 1) - 1.0)
        if not 0 <= spare < draws:
            return np.full_like(observed, math.inf)
        order, greatest = _suffix_greatest(chance, observed)
        at = draws - 1 - spare
        sizes: Floats = np.partition(greatest, at, axis=0)[at]
        failed = np.flatnonzero(observed[order] <= sizes)
        if failed.size:
            sizes[failed[0] :] = sizes[failed[0]]
        in_order = np.empty_like(sizes)
        in_order[order] = sizes
        return in_order

    def _two_sided(self, test: Callable[[Floats, Floats], Floats]) -> Floats:
        if self.symmetric:
            return test(np.abs(self.chance), np.abs(self.observed))
        either = np.minimum(test(self.chance, self.observed), test(-self.chance, -self.observed))
        return np.asarray(np.minimum(2.0 * either, 1.0))

    def _step_down(self, chance: Floats, observed: Floats) -> Floats:
        order, greatest = _suffix_greatest(chance, observed)
        stepped = np.maximum.accumulate(self._share(greatest, observed[order]))
        in_order = np.empty_like(stepped)
        in_order[order] = stepped
        return in_order

    def split(self, columns: int) -> "tuple[Resampled, Resampled]":
        """The first columns, and the others."""
        parts = [
            replace(self, observed=self.observed[part], chance=self.chance[:, part])
            for part in (slice(columns), slice(columns, None))
        ]
        return parts[0], parts[1]

    def _share(self, chance: Floats, observed: Floats) -> Floats:
        as_large = (chance >= observed - _NEAR * np.maximum(1.0, np.abs(observed))).sum(axis=0)
        if self.exact:
            return np.asarray(as_large / len(chance), dtype=np.float64)
        return np.asarray((as_large + 1) / (len(chance) + 1), dtype=np.float64)


def _suffix_greatest(chance: Floats, observed: Floats) -> tuple[NDArray[np.intp], Floats]:
    """The columns by size, largest first; and each draw's maximum over each and all later ones."""
    order = np.argsort(-observed, kind="stable")
    return order, np.maximum.accumulate(chance[:, order][:, ::-1], axis=1)[:, ::-1]


def flip_signs(differences: Floats, *, draws: int, seed: int) -> Resampled:
    """Sign flips of paired differences (units x columns).

    Each column is divided by the root of its sum of squares, which no flip changes. The result does
    not depend on the order of the units. Units without a difference are left out.
    """
    differences = differences[differences.any(axis=1)]
    units = len(differences)
    differences = differences[by_content(differences)]
    sizes = np.sqrt(np.square(differences).sum(axis=0))
    scaled = differences / np.where(sizes > 0.0, sizes, 1.0)
    exact = units <= 62 and 2**units <= max(draws, 1) and 2**units <= _EXACT
    blocks = _all_flips(units) if exact else _drawn_flips(units, draws, seed)
    observed = scaled.sum(axis=0)
    return Resampled(
        observed=observed,
        chance=np.concatenate([observed - 2.0 * (block @ scaled) for block in blocks]),
        exact=exact,
    )


def _all_flips(units: int) -> Iterator[Floats]:
    """Every way to flip some units: 1 where one is flipped."""
    ways = np.arange(2**units, dtype=np.int64)[:, None] >> np.arange(units, dtype=np.int64)
    yield (ways & 1).astype(np.float64)


def _drawn_flips(units: int, draws: int, seed: int) -> Iterator[Floats]:
    rng = np.random.default_rng(seed)
    block = max(1, _CELLS // max(units, 1))
    for start in range(0, draws, block):
        size = min(block, draws - start)
        bits = np.unpackbits(np.frombuffer(rng.bytes((size * units + 7) // 8), dtype=np.uint8))
        flips = bits[: size * units].reshape(size, units)
        rows = max(1, _CACHED // max(units, 1))
        for first in range(0, size, rows):
            yield flips[first : first + rows].astype(np.float64)


def shuffle_labels(
    values: Floats, second: NDArray[np.bool_], strata: NDArray[np.intp], *, draws: int, seed: int
) -> Resampled:
    """Shuffles of which side a row is on (rows x columns), within each stratum.

    The difference is the mean over strata of the second side's mean minus the first's. Each column
    is divided by its spread under shuffling, which no shuffle changes. The result does not depend
    on the order of rows and strata.
    """
    table = np.column_stack([second, values])
    order = by_content(table)
    grouped = [order[strata[order] == code] for code in range(int(strata.max()) + 1)]
    members = sorted(grouped, key=lambda rows: (rows.size, table[rows].tobytes()))
    counts = [int(second[rows].sum()) for rows in members]
    shares = np.empty_like(values)
    variance = np.zeros(values.shape[1])
    for rows, taken in zip(members, counts, strict=True):
        inner = values[rows] - values[rows].mean(axis=0)
        # The rows of a stratum sum to 0, so one side's sum gives the difference.
        both = 1.0 / taken + 1.0 / (rows.size - taken)
        shares[rows] = inner * both / len(members)
        variance += np.square(inner).sum(axis=0) / max(rows.size - 1, 1) * both
    scale = np.sqrt(variance) / len(members)
    shares /= np.where(scale > _NEAR * np.abs(values).max(initial=0.0), scale, np.inf)
    ways = math.prod(
        math.comb(rows.size, taken) for rows, taken in zip(members, counts, strict=True)
    )
    exact = ways <= min(draws, _EXACT)
    blocks = _all_labels(members, counts) if exact else _drawn_labels(members, counts, draws, seed)
    return Resampled(
        observed=second.astype(np.float64) @ shares,
        chance=np.concatenate([block.astype(np.float64) @ shares for block in blocks]),
        exact=exact,
        symmetric=all(2 * taken == rows.size for rows, taken in zip(members, counts, strict=True)),
    )


def _all_labels(members: list[NDArray[np.intp]], counts: list[int]) -> Iterator[NDArray[np.bool_]]:
    total = sum(rows.size for rows in members)
    choices = [
        [rows[list(chosen)] for chosen in itertools.combinations(range(rows.size), taken)]
        for rows, taken in zip(members, counts, strict=True)
    ]
    ways = []
    for chosen in itertools.product(*choices):
        labels = np.zeros(total, dtype=bool)
        labels[np.concatenate(chosen)] = True
        ways.append(labels)
    yield np.array(ways)


def _drawn_labels(
    members: list[NDArray[np.intp]], counts: list[int], draws: int, seed: int
) -> Iterator[NDArray[np.bool_]]:
    rng = np.random.default_rng(seed)
    total = sum(rows.size for rows in members)
    block = max(1, _CELLS // total)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        labels = np.zeros((size, total), dtype=bool)
        for rows, taken in zip(members, counts, strict=True):
            keys = rng.random((size, rows.size))  # the smallest keys form the second side
            last = np.partition(keys, taken - 1, axis=1)[:, taken - 1 : taken]
            labels[:, rows] = keys <= last
        yield labels
