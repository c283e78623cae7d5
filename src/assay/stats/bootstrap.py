"""Seeded bootstrap, stratified and grouped, as weights instead of copies.

A draw is a vector of whole-number weights, one per item; in each stratum as many items (or groups)
are drawn as there are.
A statistic takes a block of draws (draws x items) and gives one value per draw, so nothing is
copied or sorted again: an AUC is one pass over weights already in score order.

With groups the group is what is drawn. Its stratum is then the set of strata it spans (a question
with a true and a false answer is one stratum, a question with only true ones another), so that
every draw keeps both classes.

Percentile intervals cover too little for an AUC near 1 and have no width at 1: for AUCs use
`stats/auc.py`. These serve statistics that have no formula.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.stats.arrays import Floats
from assay.stats.estimate import Estimate

Statistic = Callable[[Floats], Floats]
_BLOCK_CELLS = 1 << 20


def weights(
    strata: ArrayLike, *, draws: int, seed: int, groups: Sequence[str] | None = None
) -> Iterator[Floats]:
    """Blocks of resampling weights (draws x items), the same for the same seed."""
    codes = np.unique(np.asarray(strata), return_inverse=True)[1]
    units = np.arange(codes.size)
    if groups is not None:
        units = np.unique(np.asarray(groups), return_inverse=True)[1]
        spans: list[set[int]] = [set() for _ in range(int(units.max()) + 1)]
        for unit, code in zip(units.tolist(), codes.tolist(), strict=True):
            spans[unit].add(code)
        codes = _kinds(spans)
    members = [np.flatnonzero(codes == code) for code in range(int(codes.max()) + 1)]
    rng = np.random.default_rng(seed)
    block = max(1, _BLOCK_CELLS // units.size)
    for start in range(0, draws, block):
        size = min(block, draws - start)
        drawn = np.empty((size, codes.size))
        for chosen in members:
            drawn[:, chosen] = _counts(rng, size, chosen.size)
        yield drawn if groups is None else drawn[:, units]


def _kinds(spans: Sequence[set[int]]) -> NDArray[np.intp]:
    """The kind of each group: the strata it spans; kinds of a single group join the largest.

    A kind of one group would always be drawn whole, and never vary.
    """
    known: dict[frozenset[int], int] = {}
    codes = np.array([known.setdefault(frozenset(span), len(known)) for span in spans])
    sizes = np.bincount(codes)
    covered = {stratum for span, code in known.items() if sizes[code] > 1 for stratum in span}
    if covered != set().union(*spans):
        raise ValueError("a stratum that only one group holds cannot be resampled by group")
    codes[sizes[codes] == 1] = int(sizes.argmax())
    return np.unique(codes, return_inverse=True)[1]


def _counts(rng: np.random.Generator, draws: int, size: int) -> NDArray[np.intp]:
    """How often each of `size` items comes up in `size` draws with replacement, many times over."""
    picked = rng.integers(0, size, size=(draws, size))
    picked += np.arange(draws)[:, None] * size
    return np.bincount(picked.ravel(), minlength=draws * size).reshape(draws, size)


def auc_statistic(scores: ArrayLike, positive: ArrayLike) -> Statistic:
    """A statistic giving the weighted AUC of each draw; what needs sorting is sorted here."""
    values, flags = np.asarray(scores, dtype=np.float64), np.asarray(positive, dtype=bool)
    if int(flags.sum()) * int((~flags).sum()) <= _BLOCK_CELLS:
        return _by_pairs(values, flags)
    return _by_rank(values, flags)


def _by_pairs(values: Floats, flags: NDArray[np.bool_]) -> Statistic:
    """For small samples: every pair's win once, then one matrix product a block of draws."""
    above, below = values[flags][:, None], values[~flags][None, :]
    won = (above > below) + (above == below) / 2.0

    def statistic(drawn: Floats) -> Floats:
        positives, negatives = drawn[:, flags], drawn[:, ~flags]
        total = positives.sum(axis=1) * negatives.sum(axis=1)
        return np.asarray(np.einsum("ij,ij->i", positives @ won, negatives) / total)

    return statistic


def _by_rank(values: Floats, flags: NDArray[np.bool_]) -> Statistic:
    """For large samples: weights in score order, and a running sum of the negatives'."""
    order = np.argsort(values, kind="stable")
    starts = np.flatnonzero(np.r_[True, np.diff(values[order]) > 0])
    is_positive = flags[order].astype(np.float64)

    def statistic(drawn: Floats) -> Floats:
        ranked = drawn[:, order]
        wins = np.add.reduceat(ranked * is_positive, starts, axis=1)
        below = np.add.reduceat(ranked, starts, axis=1) - wins
        beaten = np.cumsum(below, axis=1)
        total = wins.sum(axis=1) * beaten[:, -1]
        beaten -= below / 2.0
        return np.asarray(np.einsum("ij,ij->i", wins, beaten) / total)

    return statistic


def bootstrap(
    statistic: Statistic,
    strata: ArrayLike,
    *,
    draws: int = 2000,
    seed: int,
    groups: Sequence[str] | None = None,
    level: float = 0.95,
) -> Estimate:
    """The statistic on the items as they are, with its percentile interval over the draws."""
    size = np.asarray(strata).size
    value = float(statistic(np.ones((1, size)))[0])
    found = np.concatenate(
        [statistic(block) for block in weights(strata, draws=draws, seed=seed, groups=groups)]
    )
    tail = (1.0 - level) / 2.0
    low, high = np.quantile(found, [tail, 1.0 - tail])
    how = f"percentile bootstrap, {draws} draws, seed {seed}, stratified" + (
        ", by group" if groups is not None else ""
    )
    return Estimate(value=value, low=float(low), high=float(high), level=level, n=size, how=how)
